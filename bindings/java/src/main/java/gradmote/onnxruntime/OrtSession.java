package gradmote.onnxruntime;

import gradmote.GradmoteException;
import gradmote.Session;
import gradmote.Session.Program;
import gradmote.Tensor;
import java.io.Closeable;
import java.lang.reflect.Array;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Infers like onnxruntime's class of the same name. */
public final class OrtSession implements Closeable {
    /** The underlying session. */
    public final Session session;

    OrtSession(Session session) { this.session = session; }

    public Set<String> getInputNames() { return inputNames(session, Program.INFER); }

    public Set<String> getOutputNames() { return outputNames(session, Program.INFER); }

    public long getNumInputs() { return getInputNames().size(); }

    public long getNumOutputs() { return getOutputNames().size(); }

    /** Infers. inputs: each input by its name, of as many samples as the image's batch, or fewer. */
    public Result run(Map<String, ? extends OnnxTensor> inputs) throws OrtException { return run(session, Program.INFER, inputs); }

    /** The same; requestedOutputs: the names of some outputs. */
    public Result run(Map<String, ? extends OnnxTensor> inputs, Set<String> requestedOutputs) throws OrtException {
        if (!getOutputNames().containsAll(requestedOutputs))
            throw new OrtException("the outputs are " + getOutputNames() + ", not " + requestedOutputs);
        Result all = run(inputs);
        all.values.keySet().retainAll(requestedOutputs);
        return all;
    }

    @Override public void close() { session.close(); }

    static Result run(Session session, Program program, Map<String, ? extends OnnxTensor> inputs) throws OrtException {
        Set<String> names = inputNames(session, program);
        if (!names.equals(inputs.keySet())) throw new OrtException("the inputs are " + names + ", not " + inputs.keySet());
        Object[] data = names.stream().map(inputs::get).map(t -> t == null ? null : t.data).toArray();
        LinkedHashMap<String, OnnxTensor> results = new LinkedHashMap<>();
        try {
            if (program == Program.INFER) session.inferValues(data);
            else results.put("loss", OnnxTensor.of(program == Program.TRAIN ? loss(session.trainStep(data)) : loss(session.evalStep(data))));
            for (Tensor output : session.outputs())
                if (output.isIn(program)) results.put(output.name, tensorOf(session, output));
        } catch (GradmoteException error) {
            throw new OrtException(error);
        }
        return new Result(results);
    }

    private static float[] loss(float value) { return new float[] {value}; }

    /** Returns the samples of an output that the last run had. */
    private static OnnxTensor tensorOf(Session session, Tensor output) throws OrtException {
        Object values = session.values(output);
        long[] shape = IntStream.of(output.shape()).asLongStream().toArray();
        if (shape.length > 0) shape[0] = shape[0] * Array.getLength(values) / output.size;
        return OnnxTensor.of(values, shape);
    }

    static Set<String> inputNames(Session session, Program program) {
        return Stream.of(session.inputs(), session.labels()).flatMap(List::stream).filter(t -> t.isIn(program))
                .map(t -> t.name).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the names of a program's outputs, after its loss. */
    static Set<String> outputNames(Session session, Program program) {
        Set<String> names = new LinkedHashSet<>(program == Program.INFER ? Collections.emptySet() : Collections.singleton("loss"));
        session.outputs().stream().filter(t -> t.isIn(program)).forEach(t -> names.add(t.name));
        return names;
    }

    /** The outputs of a run, by position and by name. */
    public static final class Result implements Closeable {
        private final LinkedHashMap<String, OnnxTensor> values;

        Result(LinkedHashMap<String, OnnxTensor> values) { this.values = values; }

        public OnnxTensor get(int index) { return values.values().toArray(new OnnxTensor[0])[index]; }

        public Optional<OnnxTensor> get(String name) { return Optional.ofNullable(values.get(name)); }

        public int size() { return values.size(); }

        @Override public void close() {}
    }
}
