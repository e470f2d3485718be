package gradmote;

/** An input, label, output or parameter. */
public final class Tensor {
    /** The type of elements. Arrays of them are float[], int[], byte[] for I8 and for the bits of U8, and short[]. */
    public enum DType {
        F32, I32, I8, U8, I16;

        /** The bytes of an element. */
        public final int bytes = Integer.parseInt(name().substring(1)) / 8;

        /** Returns an array of this many elements. */
        Object array(int size) {
            return this == F32 ? new float[size] : this == I32 ? new int[size] : this == I16 ? new short[size] : new byte[size];
        }
    }

    /** The name in the ONNX model; empty if the image has no names. */
    public final String name;
    public final DType dtype;
    /** Whether its elements are integers (of any type) rather than float; and their number. */
    public final boolean isInteger;
    public final int size;
    final int role, index, programs;
    private final int[] shape;

    /** described: programs, dtype, bytes, rank and dims. */
    Tensor(int role, int index, String name, int[] described) {
        this.role = role;
        this.index = index;
        this.name = name;
        programs = described[0];
        dtype = DType.values()[described[1]];
        isInteger = dtype != DType.F32;
        size = described[2] / dtype.bytes;
        shape = java.util.Arrays.copyOfRange(described, 4, 4 + described[3]);
    }

    /** Returns the dims. */
    public int[] shape() { return shape.clone(); }

    /** Returns the name and the type, for messages. */
    @Override public String toString() { return name + " (" + dtype + ")"; }

    /** Returns whether a program has it. */
    public boolean isIn(Session.Program program) { return (programs >> program.ordinal() & 1) != 0; }
}
