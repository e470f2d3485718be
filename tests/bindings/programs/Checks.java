import gradmote.GradmoteException;
import gradmote.Session;
import gradmote.Session.Profile;
import gradmote.onnxruntime.OnnxTensor;
import gradmote.onnxruntime.OrtEnvironment;
import gradmote.onnxruntime.OrtException;
import gradmote.onnxruntime.OrtSession;
import gradmote.onnxruntime.OrtTrainingSession;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** Checks MODEL and ACCUMULATING, the MLP of bindings.same_state in two forms: Checks MODEL ACCUMULATING. */
public final class Checks {
    private static int passed;

    public static void main(String[] arguments) throws Exception {
        byte[] image = Files.readAllBytes(Path.of(arguments[0]));
        dataInEveryForm(image);
        whatIsRefused(image);
        checkpointsAndProperties(image);
        parameters(image);
        afterClose(image);
        threads(image);
        fewerSamples(Files.readAllBytes(Path.of(arguments[0]).resolveSibling("batches.mote")));
        onnxruntimesClasses(arguments[1]);
        System.out.println(passed + " passed, 0 failed");
    }

    private static void dataInEveryForm(byte[] image) {
        float[] pixels = new float[64];
        Arrays.fill(pixels, 0.5f);
        ByteBuffer direct = ByteBuffer.allocateDirect(260).order(ByteOrder.nativeOrder());
        direct.position(4);
        direct.slice().order(ByteOrder.nativeOrder()).asFloatBuffer().put(pixels);
        Object[] forms = {pixels, FloatBuffer.wrap(pixels), direct};
        for (Object form : forms) {
            try (Session session = new Session(image, Profile.STRICT, 2)) {
                check(session.evalStep(pixels, IntBuffer.wrap(new int[] {3})) == session.step(form, new int[] {3}));
                check(session.infer(form).length == 10);
                check(session.optimizerSteps() == 1);
            }
        }
    }

    /** Runs of two samples, by an image with batches of four. */
    private static void fewerSamples(byte[] image) {
        float[] four = new float[256], two = new float[128];
        for (int i = 0; i < 256; i++) four[i] = two[i % 128] = i % 128 / 128f;
        try (Session session = new Session(image)) {
            float loss = session.evalStep(four, new int[] {3, 1, 3, 1});
            check(Math.abs(session.evalStep(two, new int[] {3, 1}) - loss) < 1e-6f);
            float[] scores = session.infer(four);
            check(Arrays.equals(session.infer(two), Arrays.copyOf(scores, 20)));
            refused("GM_ERR_WRONG_SIZE", () -> session.step(two, new int[] {3, 1, 3}));
            check(session.step(two, new int[] {3, 1}) > 0 && session.optimizerSteps() == 1);
        }
    }

    private static void whatIsRefused(byte[] image) {
        float[] pixels = new float[64];
        int[] label = {1};
        try (Session session = new Session(image)) {
            byte[] before = session.save();
            refused("GM_ERR_WRONG_SIZE", () -> session.step(new float[63], label));
            refused("GM_ERR_WRONG_DTYPE", () -> session.step(new int[64], label));
            refused("GM_ERR_WRONG_DTYPE", () -> session.step("pixels", label));
            refused("GM_ERR_WRONG_DTYPE", () -> session.step(pixels, new long[] {1}));
            refused("GM_ERR_INVALID_ARGUMENT", () -> session.step(pixels, null));
            refused("GM_ERR_WRONG_COUNT", () -> session.step(pixels));
            refused("GM_ERR_WRONG_COUNT", () -> session.step(pixels, label, label));
            refused("GM_ERR_WRONG_COUNT", () -> session.step((Object[]) null));
            refused("GM_ERR_WRONG_DTYPE", () -> session.step(ByteBuffer.allocate(256), label));
            refused("GM_ERR_WRONG_SIZE", () -> session.step(ByteBuffer.allocateDirect(255), label));
            refused("GM_ERR_LABEL_OUT_OF_RANGE", () -> session.step(pixels, new int[] {10}));
            refused("GM_ERR_NOT_FINITE", () -> session.step(filled(Float.NaN), label));
            refused("GM_ERR_NO_PROGRAM", () -> session.trainStep(pixels, label));
            refused("GM_ERR_NOT_FOUND", () -> session.classify(99));
            refused("GM_ERR_INVALID_ARGUMENT", () -> session.setLearningRate(Float.NaN));
            refused("GM_ERR_INVALID_ARGUMENT", () -> session.setLinearSchedule(1, 5, -1));
            refused("GM_ERR_NO_STORE", () -> session.learn(1, pixels));
            refused("GM_ERR_WRONG_SIZE", () -> session.setParameters(new float[3]));
            refused("GM_ERR_INVALID_ARGUMENT", () -> session.setParameters(null));
            refused("GM_ERR_INVALID_ARGUMENT", () -> session.load(null));
            refused("GM_ERR_TRUNCATED", () -> session.load(new byte[0]));
            refused("GM_ERR_BAD_MAGIC", () -> session.load(new byte[1000]));
            refused("GM_ERR_INVALID_ARGUMENT", () -> session.setProperty(null, 1));
            refused("GM_ERR_INVALID_ARGUMENT", () -> session.setProperty("a key of more than nineteen bytes", 1));
            byte[] after = session.save();
            check(before.length == after.length);
        }
        refused("GM_ERR_INVALID_ARGUMENT", () -> new Session(null));
        refused("GM_ERR_TRUNCATED", () -> new Session(new byte[3]));
        refused("GM_ERR_TRUNCATED", () -> new Session(Arrays.copyOf(image, image.length - 1)));
        refused("GM_ERR_INVALID_ARGUMENT", () -> new Session(image, Profile.FUSED, -1));
        byte[] damaged = image.clone();
        damaged[image.length / 2] ^= 1;
        refused("GM_ERR_BAD_CRC", () -> new Session(damaged));
    }

    private static void checkpointsAndProperties(byte[] image) {
        try (Session session = new Session(image); Session other = new Session(image)) {
            session.step(filled(0.25f), new int[] {7});
            session.setProperty("best", 97);
            session.setProperty("größe", 0.5f);
            other.load(session.save());
            check(Arrays.equals(other.save(), session.save()));
            check(other.property("best").get().equals(97) && other.property("größe").get().equals(0.5f));
            other.setProperty("best", null);
            check(!other.property("best").isPresent());
            check(other.carryOver(session.save()) > 4);
            other.reset();
            check(other.optimizerSteps() == 0);
        }
    }

    private static void parameters(byte[] image) {
        try (Session session = new Session(image)) {
            check(session.inputs().size() == 1 && session.labels().size() == 1 && session.parameters().size() == 4);
            check(session.labels().get(0).isInteger && !session.inputs().get(0).isInteger);
            check(Arrays.equals(session.inputs().get(0).shape(), new int[] {1, 64}));
            check(session.parameter("0.weight").get().length == 64 * 32 && !session.parameter("none").isPresent());
            session.step(filled(0.25f), new int[] {7});
            float[] delta = session.delta(), trained = session.getParameters();
            session.setParameters(new float[trained.length]);
            session.applyDelta(delta);
            check(Math.abs(session.getParameters()[0] - trained[0]) < 1e-6f);
            session.setLinearSchedule(0.1f, 0, 10);
            check(session.learningRate() == 0.1f);
        }
    }

    private static void afterClose(byte[] image) {
        Session session = new Session(image);
        session.close();
        session.close();
        refused("GM_ERR_CLOSED", () -> session.step(filled(0), new int[] {1}));
        refused("GM_ERR_CLOSED", session::save);
        refused("GM_ERR_CLOSED", session::reset);
        refused("GM_ERR_CLOSED", session::learningRate);
        refused("GM_ERR_CLOSED", session::getParameters);
        refused("GM_ERR_CLOSED", () -> session.property("a"));
    }

    /** Two threads step while the first closes the session under them. */
    private static void threads(byte[] image) throws Exception {
        for (int round = 0; round < 20; round++) {
            Session session = new Session(image);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread[] threads = new Thread[2];
            for (int i = 0; i < 2; i++) {
                threads[i] = new Thread(() -> stepUntilClosed(session, failure));
                threads[i].start();
            }
            Thread.sleep(2);
            while (true) {
                try {
                    session.close();
                    break;
                } catch (GradmoteException error) {
                    if (!error.name.equals("GM_ERR_IN_USE")) throw error;
                }
            }
            for (Thread thread : threads) thread.join();
            if (failure.get() != null) throw new AssertionError(failure.get());
            passed++;
        }
    }

    private static void stepUntilClosed(Session session, AtomicReference<Throwable> failure) {
        float[] pixels = filled(0.5f);
        while (true) {
            try {
                session.step(pixels, new int[] {1});
            } catch (GradmoteException error) {
                if (error.name.equals("GM_ERR_CLOSED")) return;
                if (!error.name.equals("GM_ERR_IN_USE")) failure.set(error);
            } catch (Throwable error) {
                failure.set(error);
                return;
            }
        }
    }

    /** What a trained image infers is what the session infers that wrote it. */
    private static void inference(OrtEnvironment environment, OrtTrainingSession trained, Path folder) throws Exception {
        Path image = folder.resolve("trained.mote");
        trained.exportModelForInference(image, null);
        float[] expected = trained.session.infer((Object) filled(0.5f));
        OnnxTensor pixels = OnnxTensor.createTensor(environment, new float[][] {filled(0.5f)});
        try (OrtSession session = environment.createSession(image.toString())) {
            String input = session.getInputNames().iterator().next(), output = session.getOutputNames().iterator().next();
            check(session.getNumInputs() == 1 && session.getNumOutputs() == 1);
            try (OrtSession.Result result = session.run(Collections.singletonMap(input, pixels))) {
                check(Arrays.equals(((float[][]) result.get(0).getValue())[0], expected));
                check(result.get(output).get().getShape()[1] == expected.length);
            }
            check(session.run(Collections.singletonMap(input, pixels), Collections.singleton(output)).size() == 1);
            refusedByOrt("the inputs are", () -> session.run(Collections.singletonMap("no input", pixels)));
            refusedByOrt("the outputs are",
                    () -> session.run(Collections.singletonMap(input, pixels), Collections.singleton("no output")));
        }
        try (Session begun = new Session(Files.readAllBytes(image))) {
            check(Arrays.equals(begun.getParameters(), trained.session.getParameters()) && begun.optimizerSteps() == 0);
        }
        try (OrtTrainingSession begun = environment.createTrainingSession(image.toString(), image.toString(), null, null)) {
            check(Arrays.equals(begun.session.getParameters(), trained.session.getParameters()));
        }
        String own = folder.resolve("accumulating.mote").toString();
        refusedByOrt("is another image", () -> environment.createTrainingSession(image.toString(), own, null, null));
        refusedByOrt("GM_ERR_BAD_MAGIC", () -> environment.createTrainingSession(folder.resolve("trained.onnx").toString(), own, null, null));
        refusedByOrt("cannot read", () -> environment.createSession("no such file"));
        refusedByOrt("GM_ERR_TRUNCATED", () -> environment.createSession(new byte[3]));
        short[][][] cube = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
        check(Arrays.deepEquals((short[][][]) OnnxTensor.createTensor(environment, cube).getValue(), cube));
    }

    /** What an earlier session added; a damaged byte of it, and lasting records before it. */
    private static void properties(OrtTrainingSession session, Path kept, String model) throws Exception {
        check(session.getProperty("epoch").get().equals(3L) && session.session.property("epoch").get().equals(3));
        check(session.getProperty("best").get().equals(0.5f) && session.getProperty("a count under a long name").get().equals(1L << 40));
        check(session.getProperty("größe").get().equals("said \"5\"\n") && session.getProperty("empty").get().equals(""));
        check(session.getProperty("device").get().equals(7L) && !session.getProperty("nothing").isPresent());
        byte[] file = Files.readAllBytes(kept);
        file[file.length - 3] ^= 1;
        Path damaged = kept.resolveSibling("damaged.gmck"), lasting = Paths.get(model).resolveSibling("lasting.gmck");
        Files.write(damaged, file);
        refusedByOrt("are damaged", () -> begin(model, damaged));
        byte[] records = Files.readAllBytes(lasting);
        int first = ByteBuffer.wrap(records).order(ByteOrder.LITTLE_ENDIAN).getInt(8), changes = 0;
        for (int at = first; at < first + 28 + 20; at++) {
            byte[] changed = records.clone();
            changed[at] ^= 1;
            Files.write(damaged, changed);
            try {
                check(begin(model.replace("accumulating", "model"), damaged).equals(3L));
            } catch (OrtException error) {
                changes++;
            }
        }
        check(changes == 28 + 20 - 2 * 8);
        Files.delete(damaged);
    }

    /** Returns the property `epoch` of a checkpoint. */
    private static Object begin(String model, Path checkpoint) throws OrtException {
        try (OrtTrainingSession session = OrtEnvironment.getEnvironment().createTrainingSession(checkpoint.toString(), model, null, null)) {
            return session.getProperty("epoch").get();
        }
    }

    private static void onnxruntimesClasses(String model) throws Exception {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        Path kept = Files.createTempFile("learned", ".gmck"), fresh = Files.createTempFile("fresh", ".gmck");
        try (OrtTrainingSession session = environment.createTrainingSession(null, model, model, model)) {
            check(session.getTrainInputNames().size() == 2 && session.getTrainOutputNames().contains("loss"));
            Map<String, OnnxTensor> inputs = new HashMap<>();
            String[] names = session.getTrainInputNames().toArray(new String[0]);
            inputs.put(names[0], OnnxTensor.createTensor(environment, new float[][] {filled(0.5f)}));
            inputs.put(names[1], OnnxTensor.createTensor(environment, new long[] {3}));
            float first = step(session, inputs);
            for (int i = 0; i < 20; i++) step(session, inputs);
            check(step(session, inputs) < first);
            try (OrtSession.Result result = session.evalStep(inputs)) {
                check((Float) result.get("loss").get().getValue() < first);
            }
            session.registerLinearLRScheduler(0, 10, 0.5f);
            session.schedulerStep();
            check(session.getLearningRate() == 0.5f);
            session.addProperty("epoch", 3);
            session.addProperty("best", 0.5f);
            session.addProperty("a count under a long name", 1L << 40);
            session.addProperty("größe", "said \"5\"\n");
            session.addProperty("empty", "");
            session.session.setProperty("device", 7);
            refusedByOrt("which no checkpoint keeps", () -> session.addProperty("nothing", Float.NaN));
            session.saveCheckpoint(kept, true);
            session.saveCheckpoint(fresh, false);
            Files.copy(kept, Paths.get(model).resolveSibling("kept.gmck"), StandardCopyOption.REPLACE_EXISTING);
            refusedByOrt("the inputs are", () -> session.trainStep(new HashMap<>()));
            Path folder = Paths.get(model).toAbsolutePath().getParent();
            session.saveCheckpoint(folder.resolve("trained.gmck"), true);
            session.exportModelForInference(folder.resolve("trained.onnx"), null);
            inference(environment, session, folder);
            refusedByOrt("the model's outputs are", () -> session.exportModelForInference(kept, names));
            refusedByOrt("GM_ERR_INVALID_ARGUMENT", () -> session.setLearningRate(-1));
        }
        try (OrtTrainingSession again = environment.createTrainingSession(kept.toString(), model, null, null)) {
            check(again.getLearningRate() == 0.5f);
            properties(again, kept, model);
            try (OrtTrainingSession begun = environment.createTrainingSession(fresh.toString(), model, null, null);
                 OrtTrainingSession first = environment.createTrainingSession(null, model, null, null)) {
                check(Arrays.equals(begun.session.getParameters(), again.session.getParameters()));
                check(begun.session.optimizerSteps() == 0 && begun.getLearningRate() == first.getLearningRate());
                begun.session.setParameters(first.session.getParameters());
                for (String name : begun.session.properties().keySet()) begun.session.setProperty(name, null);
                check(Arrays.equals(begun.session.save(), first.session.save()));
            }
        }
        Files.delete(kept);
        Files.delete(fresh);
        refusedByOrt("cannot read", () -> environment.createTrainingSession(null, "no such file", null, null));
        refusedByOrt("an image has all programs", () -> environment.createTrainingSession(null, model, "eval.onnx", null));
        refusedByOrt("do not have shape", () -> OnnxTensor.createTensor(environment, FloatBuffer.allocate(3), new long[] {4}));
        refusedByOrt("does not fit", () -> OnnxTensor.createTensor(environment, new long[] {1L << 40}));
    }

    private static float step(OrtTrainingSession session, Map<String, OnnxTensor> inputs) throws OrtException {
        float loss = (Float) session.trainStep(inputs).get(0).getValue();
        session.optimizerStep();
        session.lazyResetGrad();
        return loss;
    }

    private static float[] filled(float value) {
        float[] values = new float[64];
        Arrays.fill(values, value);
        return values;
    }

    private static void refused(String name, Runnable call) {
        try {
            call.run();
        } catch (GradmoteException error) {
            check(error.name.equals(name) && error.code < 0 && !error.hint.isEmpty(), name + " expected: " + error);
            return;
        }
        throw new AssertionError("not refused: " + name);
    }

    private interface OrtCall {
        void run() throws OrtException;
    }

    private static void refusedByOrt(String part, OrtCall call) {
        try {
            call.run();
        } catch (OrtException error) {
            check(error.getMessage().contains(part), part + " expected: " + error);
            return;
        }
        throw new AssertionError("not refused: " + part);
    }

    private static void check(boolean holds, String... what) {
        if (!holds) throw new AssertionError(what.length > 0 ? what[0] : "does not hold");
        passed++;
    }
}
