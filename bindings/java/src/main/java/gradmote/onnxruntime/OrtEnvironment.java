package gradmote.onnxruntime;

/** Makes training sessions, like onnxruntime's class of the same name. */
public final class OrtEnvironment implements AutoCloseable {
    private static final OrtEnvironment ONLY = new OrtEnvironment();

    private OrtEnvironment() {}

    public static OrtEnvironment getEnvironment() { return ONLY; }

    /**
     * Opens a training session. trainPath: one .mote image (`gradmote compile --accumulate`), which has all programs.
     * evalPath, optimizerPath: the same path, or null. checkpointPath: a .gmck file, or null for the initial state.
     */
    public OrtTrainingSession createTrainingSession(
            String checkpointPath, String trainPath, String evalPath, String optimizerPath) throws OrtException {
        for (String other : new String[] {evalPath, optimizerPath})
            if (other != null && !other.equals(trainPath))
                throw new OrtException(other + ": an image has all programs - pass " + trainPath + " or null");
        return new OrtTrainingSession(checkpointPath, trainPath);
    }

    @Override public void close() {}
}
