package gradmote.onnxruntime;

import java.io.Closeable;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.stream.LongStream;

/** A tensor of float, int, short or byte numbers. long numbers, like onnxruntime's labels, must fit an int. */
public final class OnnxTensor implements Closeable {
    final Object data; // an array that Session accepts
    private final long[] shape;

    private OnnxTensor(Object data, long[] shape) throws OrtException {
        this.data = data;
        this.shape = shape.clone();
        if (LongStream.of(shape).reduce(1, (a, b) -> a * b) != Array.getLength(data))
            throw new OrtException(Array.getLength(data) + " elements do not have shape " + java.util.Arrays.toString(shape));
    }

    static OnnxTensor of(Object values, long... shape) throws OrtException { return new OnnxTensor(values, shape); }

    public static OnnxTensor createTensor(OrtEnvironment environment, FloatBuffer data, long[] shape) throws OrtException {
        float[] values = new float[data.remaining()];
        data.duplicate().get(values);
        return new OnnxTensor(values, shape);
    }

    public static OnnxTensor createTensor(OrtEnvironment environment, IntBuffer data, long[] shape) throws OrtException {
        int[] values = new int[data.remaining()];
        data.duplicate().get(values);
        return new OnnxTensor(values, shape);
    }

    public static OnnxTensor createTensor(OrtEnvironment environment, LongBuffer data, long[] shape) throws OrtException {
        int[] values = new int[data.remaining()];
        for (int i = 0; i < values.length; i++) {
            long value = data.get(data.position() + i);
            values[i] = (int) value;
            if (values[i] != value) throw new OrtException("element " + i + " is " + value + ", which does not fit an int");
        }
        return new OnnxTensor(values, shape);
    }

    /** data: an array of float, int, short, byte (int8, or the bits of uint8) or long, or equally long arrays of these. */
    public static OnnxTensor createTensor(OrtEnvironment environment, Object data) throws OrtException {
        if (data instanceof float[]) return createTensor(environment, FloatBuffer.wrap((float[]) data), length(data));
        if (data instanceof int[]) return createTensor(environment, IntBuffer.wrap((int[]) data), length(data));
        if (data instanceof long[]) return createTensor(environment, LongBuffer.wrap((long[]) data), length(data));
        if (data instanceof byte[]) return new OnnxTensor(((byte[]) data).clone(), length(data));
        if (data instanceof short[]) return new OnnxTensor(((short[]) data).clone(), length(data));
        if (!(data instanceof Object[]) || Array.getLength(data) == 0) throw new OrtException("a tensor is an array of numbers");
        OnnxTensor[] rows = new OnnxTensor[Array.getLength(data)];
        for (int i = 0; i < rows.length; i++) rows[i] = createTensor(environment, ((Object[]) data)[i]);
        return stack(rows);
    }

    private static OnnxTensor stack(OnnxTensor[] rows) throws OrtException {
        int size = Array.getLength(rows[0].data);
        Object all = Array.newInstance(rows[0].data.getClass().getComponentType(), rows.length * size);
        for (int i = 0; i < rows.length; i++) {
            if (!java.util.Arrays.equals(rows[i].shape, rows[0].shape)) throw new OrtException("row " + i + " has another shape");
            System.arraycopy(rows[i].data, 0, all, i * size, size);
        }
        return new OnnxTensor(all, LongStream.concat(LongStream.of(rows.length), LongStream.of(rows[0].shape)).toArray());
    }

    private static long[] length(Object data) { return new long[] {Array.getLength(data)}; }

    /** Returns a number for a scalar, otherwise a copy: an array for one dimension, arrays of arrays for more. */
    public Object getValue() { return shape.length == 0 ? Array.get(data, 0) : nested(0, 0, Array.getLength(data)); }

    /** Returns `size` elements from `at` as the dimensions from `axis` on. */
    private Object nested(int axis, int at, int size) {
        Class<?> element = data.getClass().getComponentType();
        int count = (int) shape[axis];
        if (axis == shape.length - 1) {
            Object row = Array.newInstance(element, count);
            System.arraycopy(data, at, row, 0, count);
            return row;
        }
        Object rows = Array.newInstance(Array.newInstance(element, new int[shape.length - axis - 1]).getClass(), count);
        for (int i = 0; i < count; i++) Array.set(rows, i, nested(axis + 1, at + size / count * i, size / count));
        return rows;
    }

    /** Returns a copy of the elements, or null if they are not floats, as onnxruntime does. */
    public FloatBuffer getFloatBuffer() { return data instanceof float[] ? FloatBuffer.wrap(((float[]) data).clone()) : null; }

    /** Returns a copy of the elements, or null if they are not bytes. */
    public ByteBuffer getByteBuffer() { return data instanceof byte[] ? ByteBuffer.wrap(((byte[]) data).clone()) : null; }

    public long[] getShape() { return shape.clone(); }

    @Override public void close() {}
}
