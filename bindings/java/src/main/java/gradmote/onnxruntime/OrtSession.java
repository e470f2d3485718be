package gradmote.onnxruntime;

import java.util.LinkedHashMap;
import java.util.Optional;

/** Holds the class Result, like onnxruntime's class of the same name. */
public final class OrtSession {
    private OrtSession() {}

    /** The outputs of a step, by position and by name. */
    public static final class Result implements AutoCloseable {
        private final LinkedHashMap<String, OnnxTensor> values;

        Result(LinkedHashMap<String, OnnxTensor> values) { this.values = values; }

        public OnnxTensor get(int index) { return values.values().toArray(new OnnxTensor[0])[index]; }

        public Optional<OnnxTensor> get(String name) { return Optional.ofNullable(values.get(name)); }

        public int size() { return values.size(); }

        @Override public void close() {}
    }
}
