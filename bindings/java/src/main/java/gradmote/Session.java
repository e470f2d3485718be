package gradmote;

import gradmote.Tensor.DType;
import java.io.Closeable;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Trains and runs one .mote image.
 *
 * <p>Data are float[], int[], short[] or byte[] by the tensor's dtype, FloatBuffer, IntBuffer, or a direct ByteBuffer in
 * native order. A program takes every input, then every label. Use a session from one thread at a time.
 * GradmoteException gives the reason that a call was refused.
 */
public final class Session implements Closeable {
    /** How a multiply-accumulate rounds: once (a fused multiply-add) or twice. A board's bits are those of its profile. */
    public enum Profile { FUSED, STRICT }

    /** The programs that an image may have. */
    public enum Program { INFER, EVAL, TRAIN, OPTIMIZER, STEP }

    private static final int INPUT = 0, LABEL = 1, OUTPUT = 2, PARAMETER = 3; // roles
    private static final int ALL = 0, ONE = 1, GRADIENT = 2, DELTA = 3; // values of the state
    private static final int INVALID_ARGUMENT = -1, NOT_FOUND = -13, IN_USE = -102, WRONG_DTYPE = -103, WRONG_COUNT = -107;

    private final long table, handle;
    private final List<Tensor> inputs, labels, outputs, parameters;
    private final AtomicBoolean runs = new AtomicBoolean();

    /** Copies and verifies the image, and sets the state to its initial values. threads: 1 to 16. */
    public Session(byte[] image, Profile profile, int threads) {
        table = Library.table(profile);
        handle = open(table, image, threads);
        inputs = tensors(INPUT);
        labels = tensors(LABEL);
        outputs = tensors(OUTPUT);
        parameters = tensors(PARAMETER);
    }

    /** Opens an image with the fused profile, on one thread. */
    public Session(byte[] image) { this(image, Profile.FUSED, 1); }

    /** Closes the session. Closing it again does nothing. Refused while another thread is in a call. */
    @Override public void close() { close(table, handle); }

    public List<Tensor> inputs() { return inputs; }

    public List<Tensor> labels() { return labels; }

    /** Returns the outputs of all programs. */
    public List<Tensor> outputs() { return outputs; }

    /** Returns the trained parameters. */
    public List<Tensor> parameters() { return parameters; }

    /** Trains on one batch, updates, and returns the loss before the update. */
    public float step(Object... data) { return run(Program.STEP, data); }

    /** Adds the gradients of one micro-batch and returns its loss. The image must be compiled to accumulate. */
    public float trainStep(Object... data) { return run(Program.TRAIN, data); }

    /** Applies the mean of the accumulated gradients. */
    public void optimizerStep() { run(Program.OPTIMIZER); }

    /** Makes the next trainStep() start from zero gradients. */
    public void lazyResetGrad() { lazyResetGrad(table, handle); }

    /** Applies the sum of the accumulated gradients, as onnxruntime does, instead of their mean. */
    public void optimizerStepOnSum() { optimizerStepOnSum(table, handle); }

    /** Returns the loss, without training. */
    public float evalStep(Object... data) { return run(Program.EVAL, data); }

    /** Runs the model and returns its first output, which must be float. */
    public float[] infer(Object... data) { return output(inferred(data)); }

    /** Runs the model and returns its first output as an array of its dtype. */
    public Object inferValues(Object... data) { return values(inferred(data)); }

    /** Returns a copy of an output of the last program, which must be float. */
    public float[] output(Tensor output) { return (float[]) values(requireFloats(output)); }

    /**
     * Returns a copy of an output or parameter as an array of its dtype: float[], int[], short[] or byte[]. If the last
     * program had fewer samples than the batch, an output has only these.
     */
    public Object values(Tensor tensor) {
        int bytes = tensor.dtype.bytes;
        Object values = tensor.dtype.array(tensor.role == OUTPUT ? outputSize(table, handle, tensor.index) / bytes : tensor.size);
        if (tensor.role == PARAMETER) get(table, handle, ONE, tensor.index, bytes, values);
        else read(table, handle, tensor.role, tensor.index, tensor.dtype.ordinal(), bytes, values);
        return values;
    }

    /** Returns the class with the highest score in a row of the last infer(). */
    public int classify(int row) { return classify(table, handle, row); }

    /** Resets all state to the image's initial values. */
    public void reset() { reset(table, handle); }

    /** Returns the rate of the next update. */
    public float learningRate() { return Float.intBitsToFloat(control(table, handle)[4]); }

    /** Returns the number of applied updates. */
    public int optimizerSteps() { return control(table, handle)[2]; }

    /** Sets the rate (finite, at least 0) and ends any schedule. */
    public void setLearningRate(float rate) { setLearningRate(table, handle, rate); }

    /** Raises the rate linearly from 0 to `rate` in warmupSteps, then lowers it to 0 at totalSteps. */
    public void setLinearSchedule(float rate, int warmupSteps, int totalSteps) {
        setLinearSchedule(table, handle, rate, warmupSteps, totalSteps);
    }

    /** Sets the seed of Dropout and of the sample store's choices. */
    public void setSeed(int seed) { setSeed(table, handle, seed); }

    /** Returns a copy of the parameter with this name, which must be float; values() takes every dtype. */
    public Optional<float[]> parameter(String name) { return named(name).map(t -> (float[]) values(requireFloats(t))); }

    /** Returns a copy of its accumulated gradient, which is float for parameters of every dtype. */
    public Optional<float[]> gradient(String name) { return named(name).map(t -> get(GRADIENT, t.index, 4, new float[t.size])); }

    /** Returns all parameters, in the order of parameters(). All must be float. */
    public float[] getParameters() { return get(ALL, 0, 4, new float[floats()]); }

    public void setParameters(float[] values) { setFloats(ALL, values); }

    /** Returns the bytes of all parameters, whatever dtypes they have. Each begins at a multiple of 4. */
    public byte[] getParameterBytes() { return get(ALL, 0, 1, allBytes()); }

    public void setParameterBytes(byte[] values) { set(table, handle, ALL, 0, 1, values); }

    /** Returns the total number of elements of the parameters. */
    public int parametersSize() { return parameters.stream().mapToInt(t -> t.size).sum(); }

    /** Returns the parameters' difference from the image's initial ones. All must be float. */
    public float[] delta() { return get(DELTA, 0, 4, new float[floats()]); }

    /** Sets the parameters to the image's initial ones plus this difference. */
    public void applyDelta(float[] delta) { setFloats(DELTA, delta); }

    /** Returns the difference of parameters of any dtypes; for integers it is modulo 2 to the power of their bits. */
    public byte[] deltaBytes() { return get(DELTA, 0, 1, allBytes()); }

    public void applyDeltaBytes(byte[] delta) { set(table, handle, DELTA, 0, 1, delta); }

    /** Returns the bytes of a .gmck checkpoint. */
    public byte[] save() { return save(table, handle, true); }

    /** Returns a checkpoint from which the optimizer begins again: moments, counters, rate and schedule are the image's. */
    public byte[] saveWithoutOptimizer() { return save(table, handle, false); }

    /** Returns the trained model as an ONNX file. exportTable: the .gmex file of `gradmote compile --export-table`. */
    public byte[] exportModel(byte[] exportTable) { return exportModel(table, handle, exportTable); }

    /** Returns the image with the parameters and statistics that it has now. Moments, counters and rate begin as before. */
    public byte[] trainedImage() { return trainedImage(table, handle); }

    /** Loads a checkpoint of the same model. */
    public void load(byte[] checkpoint) { restore(table, handle, checkpoint, false); }

    /** Loads the matching entries of another model's checkpoint, and returns their number. */
    public int carryOver(byte[] checkpoint) { return restore(table, handle, checkpoint, true); }

    /** Stores an Integer or a Float in the state; null removes it. key: up to 19 bytes of UTF-8. */
    public void setProperty(String key, Number value) {
        boolean isInteger = value instanceof Integer;
        int bits = value == null ? 0 : isInteger ? value.intValue() : Float.floatToRawIntBits(value.floatValue());
        setProperty(table, handle, text(key), value == null ? 0 : isInteger ? 1 : 2, bits);
    }

    /** Returns the number stored under this key. */
    public Optional<Number> property(String key) {
        return Optional.ofNullable(property(table, handle, text(key))).map(Session::numberOf);
    }

    /** Returns all numbers by their keys. */
    public Map<String, Number> properties() {
        Map<String, Number> found = new TreeMap<>();
        int[] described = new int[2];
        int index = 0;
        for (byte[] key; (key = propertyAt(table, handle, index, described)) != null; index++)
            found.put(new String(key, StandardCharsets.UTF_8).replace("\0", ""), numberOf(described));
        return found;
    }

    /** described: type and bits. */
    private static Number numberOf(int[] described) {
        return described[0] == 1 ? (Number) described[1] : (Number) Float.intBitsToFloat(described[1]);
    }

    /** Adds a sample of the input's size to the sample store. */
    public void learn(int label, Object sample) {
        write(inputs.get(0), sample);
        learn(table, handle, label);
    }

    /** Runs step() on samples of the store, and returns the loss. */
    public float replay() { return replay(table, handle); }

    /** Removes the samples of a class from the store. */
    public void forget(int label) { forget(table, handle, label); }

    private float run(Program program, Object... data) {
        if (!runs.compareAndSet(false, true)) fail(IN_USE, program.name());
        try {
            List<Tensor> wanted = new ArrayList<>();
            for (List<Tensor> some : Arrays.asList(inputs, labels)) some.stream().filter(t -> t.isIn(program)).forEach(wanted::add);
            if (data == null || !wanted.isEmpty() && data.length != wanted.size()) fail(WRONG_COUNT, program.name());
            for (int i = 0; i < wanted.size(); i++) write(wanted.get(i), data[i]);
            return run(table, handle, program.ordinal());
        } finally {
            runs.set(false);
        }
    }

    private List<Tensor> tensors(int role) {
        List<Tensor> found = new ArrayList<>();
        int[] described = new int[10];
        for (byte[] name; (name = describe(table, handle, role, found.size(), described)) != null; )
            found.add(new Tensor(role, found.size(), new String(name, StandardCharsets.UTF_8), described));
        return Collections.unmodifiableList(found);
    }

    private static Optional<Tensor> find(List<Tensor> all, Predicate<Tensor> test) { return all.stream().filter(test).findFirst(); }

    private Optional<Tensor> named(String name) { return find(parameters, t -> t.name.equals(name)); }

    private Tensor inferred(Object... data) {
        run(Program.INFER, data);
        return find(outputs, t -> t.isIn(Program.INFER)).get();
    }

    /** Fills an array with values of the state. bytes: of an element. */
    private <T> T get(int values, int index, int bytes, T to) {
        get(table, handle, values, index, bytes, to);
        return to;
    }

    private byte[] allBytes() { return new byte[parameters.stream().mapToInt(t -> (t.size * t.dtype.bytes + 3) / 4 * 4).sum()]; }

    private void setFloats(int values, float[] data) {
        floats();
        set(table, handle, values, 0, 4, data);
    }

    private static Tensor requireFloats(Tensor tensor) {
        if (tensor.isInteger) fail(WRONG_DTYPE, tensor + ", which values() and the methods on bytes take");
        return tensor;
    }

    /** Returns the number of floats in all parameters. Throws GradmoteException if one has another dtype. */
    private int floats() { return parameters.stream().mapToInt(t -> requireFloats(t).size).sum(); }

    private void write(Tensor tensor, Object data) {
        Object plain = plain(data), wanted = tensor.dtype.array(0);
        if (!(plain instanceof ByteBuffer) && plain.getClass() != wanted.getClass()) fail(WRONG_DTYPE, tensor.toString());
        write(table, handle, tensor.role, tensor.index, tensor.dtype.ordinal(), tensor.dtype.bytes, plain);
    }

    static byte[] text(String text) { return text == null ? null : (text + "\0").getBytes(StandardCharsets.UTF_8); }

    /** Returns data as an array or a direct ByteBuffer that begins at its position. */
    private static Object plain(Object data) {
        if (data instanceof FloatBuffer) {
            float[] values = new float[((FloatBuffer) data).remaining()];
            ((FloatBuffer) data).duplicate().get(values);
            return values;
        }
        if (data instanceof IntBuffer) {
            int[] values = new int[((IntBuffer) data).remaining()];
            ((IntBuffer) data).duplicate().get(values);
            return values;
        }
        if (data instanceof ByteBuffer && ((Buffer) data).isDirect()) return ((ByteBuffer) data).slice();
        boolean isArray = data != null && Arrays.stream(DType.values()).anyMatch(t -> t.array(0).getClass() == data.getClass());
        if (!isArray) fail(data == null ? INVALID_ARGUMENT : WRONG_DTYPE, "data");
        return data;
    }

    static native long loadLibrary(byte[] path);
    private static native void fail(int code, String where);
    private static native long open(long table, byte[] image, int threads);
    private static native void close(long table, long handle);
    private static native void reset(long table, long handle);
    private static native int[] control(long table, long handle);
    private static native byte[] describe(long table, long handle, int role, int index, int[] described);
    private static native void write(long table, long handle, int role, int index, int dtype, int bytes, Object data);
    private static native void read(long table, long handle, int role, int index, int dtype, int bytes, Object data);
    private static native float run(long table, long handle, int program);
    private static native int outputSize(long table, long handle, int index);
    private static native int classify(long table, long handle, int row);
    private static native void optimizerStepOnSum(long table, long handle);
    private static native byte[] exportModel(long table, long handle, byte[] file);
    private static native void lazyResetGrad(long table, long handle);
    private static native void setLearningRate(long table, long handle, float rate);
    private static native void setLinearSchedule(long table, long handle, float rate, int warmupSteps, int totalSteps);
    private static native void setSeed(long table, long handle, int seed);
    private static native void get(long table, long handle, int values, int index, int bytes, Object data);
    private static native void set(long table, long handle, int values, int index, int bytes, Object data);
    private static native byte[] save(long table, long handle, boolean withOptimizer);
    private static native byte[] trainedImage(long table, long handle);
    private static native int restore(long table, long handle, byte[] file, boolean carriesOver);
    private static native void setProperty(long table, long handle, byte[] key, int type, int value);
    private static native int[] property(long table, long handle, byte[] key);
    private static native byte[] propertyAt(long table, long handle, int index, int[] described);
    private static native void learn(long table, long handle, int label);
    private static native float replay(long table, long handle);
    private static native void forget(long table, long handle, int label);
}
