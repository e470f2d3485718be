package gradmote.onnxruntime;

/** Thrown by onnxruntime's classes when a call fails. */
public class OrtException extends Exception {
    public OrtException(String message) { super(message); }

    private static final long serialVersionUID = 1;

    OrtException(gradmote.GradmoteException cause) { super(cause.getMessage(), cause); }
}
