package gradmote.onnxruntime;

import gradmote.GradmoteException;
import gradmote.Session;
import gradmote.Session.Program;
import gradmote.Tensor;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Trains like onnxruntime's class of the same name. */
public final class OrtTrainingSession implements Closeable {
    /** The underlying session. */
    public final Session session;
    private final Path exportTable;

    OrtTrainingSession(String checkpointPath, String imagePath) throws OrtException {
        exportTable = Paths.get(imagePath.replaceFirst("\\.[^./\\\\]*$", "") + ".gmex");
        try {
            session = new Session(Files.readAllBytes(Paths.get(imagePath)));
            if (checkpointPath != null) session.load(Files.readAllBytes(Paths.get(checkpointPath)));
        } catch (GradmoteException error) {
            throw new OrtException(error);
        } catch (IOException error) {
            throw new OrtException("cannot read " + error.getMessage());
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

    public Set<String> getTrainInputNames() { return inputNames(Program.TRAIN); }

    public Set<String> getEvalInputNames() { return inputNames(Program.EVAL); }

    public Set<String> getTrainOutputNames() { return outputNames(Program.TRAIN); }

    public Set<String> getEvalOutputNames() { return outputNames(Program.EVAL); }

    /** Writes a .gmck file. saveOptimizer: false if the optimizer should begin again from it, as in the image. */
    public void saveCheckpoint(Path path, boolean saveOptimizer) throws OrtException {
        try {
            Files.write(path, saveOptimizer ? session.save() : session.saveWithoutOptimizer());
        } catch (IOException error) {
            throw new OrtException("cannot write " + error.getMessage());
        }
    }

    /**
     * Writes the trained model, with the export table beside the image (`gradmote compile --export-table`).
     *
     * outputNames: null, or the names of all outputs of the model, which stay.
     */
    public void exportModelForInference(Path outputPath, String[] outputNames) throws OrtException {
        Set<String> own = outputNames(Program.INFER);
        own.remove("loss");
        if (outputNames != null && !own.equals(new LinkedHashSet<>(Arrays.asList(outputNames))))
            throw new OrtException("the model's outputs are " + own + " - pass all of them, or null");
        try {
            Files.write(outputPath, session.exportModel(Files.readAllBytes(exportTable)));
        } catch (GradmoteException | IOException error) {
            throw new OrtException(error.getMessage() + " - gradmote compile --export-table makes " + exportTable);
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
        Object[] data = given(program).map(t -> inputs.get(t.name)).map(t -> t == null ? null : t.data).toArray();
        Set<String> names = inputNames(program);
        if (!names.equals(inputs.keySet())) throw new OrtException("the inputs are " + names + ", not " + inputs.keySet());
        LinkedHashMap<String, OnnxTensor> results = new LinkedHashMap<>();
        try {
            float loss = program == Program.TRAIN ? session.trainStep(data) : session.evalStep(data);
            results.put("loss", OnnxTensor.of(new float[] {loss}));
            for (Tensor output : session.outputs())
                if (output.isIn(program))
                    results.put(output.name, tensorOf(output));
        } catch (GradmoteException error) {
            throw new OrtException(error);
        }
        return new OrtSession.Result(results);
    }

    /** Returns the samples of an output that the last step had. */
    private OnnxTensor tensorOf(Tensor output) throws OrtException {
        Object values = session.values(output);
        long[] shape = IntStream.of(output.shape()).asLongStream().toArray();
        if (shape.length > 0) shape[0] = shape[0] * Array.getLength(values) / output.size;
        return OnnxTensor.of(values, shape);
    }

    private Stream<Tensor> given(Program program) {
        return Stream.of(session.inputs(), session.labels()).flatMap(List::stream).filter(t -> t.isIn(program));
    }

    private Set<String> inputNames(Program program) {
        return given(program).map(t -> t.name).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private Set<String> outputNames(Program program) {
        Set<String> names = new LinkedHashSet<>(Collections.singleton("loss"));
        session.outputs().stream().filter(t -> t.isIn(program)).forEach(t -> names.add(t.name));
        return names;
    }
}
