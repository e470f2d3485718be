package gradmote.onnxruntime;

import gradmote.GradmoteException;
import gradmote.Session;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Makes sessions, like onnxruntime's class of the same name. */
public final class OrtEnvironment implements Closeable {
    private static final OrtEnvironment ONLY = new OrtEnvironment();

    private OrtEnvironment() {}

    public static OrtEnvironment getEnvironment() { return ONLY; }

    /**
     * Opens a training session. trainPath: one .mote image (`gradmote compile --accumulate`), which has all programs.
     * evalPath, optimizerPath: the same path, or null. checkpointPath: a .gmck file, or null or the image for its initial
     * state.
     */
    public OrtTrainingSession createTrainingSession(
            String checkpointPath, String trainPath, String evalPath, String optimizerPath) throws OrtException {
        for (String other : new String[] {evalPath, optimizerPath})
            if (other != null && !other.equals(trainPath))
                throw new OrtException(other + ": an image has all programs - pass " + trainPath + " or null");
        return new OrtTrainingSession(checkpointPath, trainPath);
    }

    /** Opens a .mote image, such as OrtTrainingSession.exportModelForInference() writes, to infer. */
    public OrtSession createSession(String modelPath) throws OrtException {
        try {
            return createSession(Files.readAllBytes(Paths.get(modelPath)));
        } catch (IOException error) {
            throw new OrtException("cannot read " + error.getMessage());
        }
    }

    public OrtSession createSession(byte[] model) throws OrtException {
        try {
            return new OrtSession(new Session(model));
        } catch (GradmoteException error) {
            throw new OrtException(error);
        }
    }

    /** Does nothing: there is one environment. */
    @Override public void close() {}
}
