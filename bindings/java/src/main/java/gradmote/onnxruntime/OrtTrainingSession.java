package gradmote.onnxruntime;

import gradmote.GradmoteException;
import gradmote.Session;
import gradmote.Session.Program;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Trains like onnxruntime's class of the same name. */
public final class OrtTrainingSession implements Closeable {
    /** The underlying session. */
    public final Session session;
    private final Path exportTable;
    private Map<String, Object> properties = new TreeMap<>();

    OrtTrainingSession(String checkpointPath, String imagePath) throws OrtException {
        exportTable = Paths.get(imagePath.replaceFirst("\\.[^./\\\\]*$", "") + ".gmex");
        try {
            byte[] image = Files.readAllBytes(Paths.get(imagePath));
            byte[] start = checkpointPath == null ? image : Files.readAllBytes(Paths.get(checkpointPath));
            session = new Session(image);
            if (!Arrays.equals(start, image)) load(start, checkpointPath);
        } catch (GradmoteException error) {
            throw new OrtException(error);
        } catch (IOException error) {
            throw new OrtException("cannot read " + error.getMessage());
        }
    }

    private void load(byte[] file, String path) throws OrtException {
        try {
            if (file.length >= 4 && new String(file, 0, 4, StandardCharsets.ISO_8859_1).equals("MOTE"))
                throw new OrtException(path + " is another image - begin from the same one, or from a .gmck file");
            properties = Properties.unpacked(file);
            session.load(file);
        } catch (GradmoteException | OrtException error) {
            session.close();
            throw error;
        }
    }

    public OrtSession.Result trainStep(Map<String, OnnxTensor> inputs) throws OrtException { return run(Program.TRAIN, inputs); }

    public OrtSession.Result evalStep(Map<String, OnnxTensor> inputs) throws OrtException { return run(Program.EVAL, inputs); }

    public void optimizerStep() throws OrtException { call(session::optimizerStepOnSum); }

    public void lazyResetGrad() throws OrtException { call(session::lazyResetGrad); }

    public void setLearningRate(float rate) throws OrtException { call(() -> session.setLearningRate(rate)); }

    public float getLearningRate() { return session.learningRate(); }

    public void registerLinearLRScheduler(long warmupSteps, long totalSteps, float initialRate) throws OrtException {
        call(() -> session.setLinearSchedule(initialRate, Math.toIntExact(warmupSteps), Math.toIntExact(totalSteps)));
    }

    /** Does nothing: optimizerStep() advances the schedule. */
    public void schedulerStep() {}

    public void setSeed(long seed) throws OrtException { call(() -> session.setSeed((int) seed)); }

    public Set<String> getTrainInputNames() { return OrtSession.inputNames(session, Program.TRAIN); }

    public Set<String> getEvalInputNames() { return OrtSession.inputNames(session, Program.EVAL); }

    public Set<String> getTrainOutputNames() { return OrtSession.outputNames(session, Program.TRAIN); }

    public Set<String> getEvalOutputNames() { return OrtSession.outputNames(session, Program.EVAL); }

    /** Writes a .gmck file. saveOptimizer: false if the optimizer should begin again from it, as in the image. */
    public void saveCheckpoint(Path path, boolean saveOptimizer) throws OrtException {
        try {
            moveToSlots();
            byte[] saved = saveOptimizer ? session.save() : session.saveWithoutOptimizer();
            Map<String, Object> all = new TreeMap<>(session.properties());
            all.putAll(properties);
            Files.write(path, Properties.packed(saved, all));
        } catch (IOException error) {
            throw new OrtException("cannot write " + error.getMessage());
        }
    }

    /**
     * Adds a number or a text of any length, which the checkpoint's file keeps. What fits 32 bits, under a name of up to 19
     * bytes, is in a slot of the state too, if one is free, so that a device reads it.
     */
    public void addProperty(String name, long value) { properties.put(Objects.requireNonNull(name), value); }

    public void addProperty(String name, float value) throws OrtException {
        if (Float.isNaN(value) || Float.isInfinite(value)) throw new OrtException(name + " is " + value + ", which no checkpoint keeps");
        properties.put(Objects.requireNonNull(name), value);
    }

    public void addProperty(String name, String value) { properties.put(Objects.requireNonNull(name), Objects.requireNonNull(value)); }

    /** Returns a Long, a Float or a String. */
    public Optional<Object> getProperty(String name) {
        if (properties.containsKey(name)) return Optional.of(properties.get(name));
        return Optional.ofNullable(session.properties().get(name)).map(n -> n instanceof Integer ? (Object) n.longValue() : n);
    }

    /** Writes what fits to slots, and takes out what they must not have. */
    private void moveToSlots() {
        properties.forEach((name, value) -> {
            boolean isInt = value instanceof Long && ((Long) value).intValue() == (Long) value;
            if (!isInSlot(name, isInt ? ((Long) value).intValue() : value instanceof Float ? (Number) value : null)) isInSlot(name, null);
        });
    }

    /** Sets or removes a number in the state; returns false if it has no place there. */
    private boolean isInSlot(String name, Number value) {
        try {
            session.setProperty(name, value);
            return value != null;
        } catch (GradmoteException noSlot) {
            return false;
        }
    }

    /**
     * Writes the trained model, with the export table beside the image (`gradmote compile --export-table`); to a path that
     * ends in .mote, an image for OrtEnvironment.createSession(), which needs no table.
     *
     * outputNames: null, or the names of all outputs of the model, which stay.
     */
    public void exportModelForInference(Path outputPath, String[] outputNames) throws OrtException {
        Set<String> own = OrtSession.outputNames(session, Program.INFER);
        if (outputNames != null && !own.equals(new LinkedHashSet<>(Arrays.asList(outputNames))))
            throw new OrtException("the model's outputs are " + own + " - pass all of them, or null");
        try {
            boolean isImage = outputPath.toString().endsWith(".mote");
            Files.write(outputPath, isImage ? session.trainedImage() : session.exportModel(Files.readAllBytes(exportTable)));
        } catch (GradmoteException error) {
            throw new OrtException(error);
        } catch (NoSuchFileException missing) {
            throw new OrtException(missing.getMessage() + " is missing - gradmote compile --export-table makes the table");
        } catch (IOException error) {
            throw new OrtException("cannot export: " + error.getMessage());
        }
    }

    @Override public void close() { session.close(); }

    private void call(Runnable action) throws OrtException {
        try {
            action.run();
        } catch (GradmoteException error) {
            throw new OrtException(error);
        }
    }

    private OrtSession.Result run(Program program, Map<String, OnnxTensor> inputs) throws OrtException {
        return OrtSession.run(session, program, inputs);
    }
}
