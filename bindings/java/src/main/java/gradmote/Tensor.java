package gradmote;

/** An input, label, output or parameter. */
public final class Tensor {
    /** The name in the ONNX model; it is empty where the image has no names. */
    public final String name;
    /** Whether its elements are int and not float; and how many there are. */
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
        isInteger = described[1] == 1;
        size = described[2] / 4;
        shape = java.util.Arrays.copyOfRange(described, 4, 4 + described[3]);
    }

    /** Returns the dims. */
    public int[] shape() { return shape.clone(); }

    /** Returns whether a program has it. */
    public boolean isIn(Session.Program program) { return (programs >> program.ordinal() & 1) != 0; }
}
