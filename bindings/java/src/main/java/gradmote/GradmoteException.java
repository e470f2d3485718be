package gradmote;

/** The runtime refused a call. Parameters and optimizer state are unchanged. */
public final class GradmoteException extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** The runtime's code, which is negative; its name, such as GM_ERR_WRONG_SIZE; and what to do about it. */
    public final int code;
    public final String name, hint;

    GradmoteException(int code, String name, String where, String text, String hint) {
        super(where + ": " + text + " (" + name + ", " + code + ")" + (hint.isEmpty() ? "" : " - " + hint));
        this.code = code;
        this.name = name;
        this.hint = hint;
    }
}
