import gradmote.Session;
import gradmote.Session.Profile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Trains an MLP on handwritten digits and prints its accuracy before and after.
 *
 * <p>./run example digits_files && ./run scons java && java -cp build/java/gradmote.jar
 * bindings/java/examples/TrainDigits.java build/digits
 */
public final class TrainDigits {
    private static final int PIXELS = 64;

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        FloatBuffer pixels = read(folder, "train.f32").asFloatBuffer();
        IntBuffer labels = read(folder, "train.i32").asIntBuffer();
        try (Session session = new Session(Files.readAllBytes(folder.resolve("model.mote")), Profile.FUSED, 1)) {
            float before = accuracy(session, folder);
            for (int epoch = 0; epoch < 5; epoch++) {
                double loss = 0;
                for (int i = 0; i < labels.limit(); i++) loss += session.step(sample(pixels, i), new int[] {labels.get(i)});
                System.out.printf("epoch %d: loss %.4f%n", epoch + 1, loss / labels.limit());
            }
            System.out.printf("accuracy %.3f -> %.3f%n", before, accuracy(session, folder));
            Files.write(folder.resolve("learned.gmck"), session.save());
        }
    }

    private static float accuracy(Session session, Path folder) throws IOException {
        FloatBuffer pixels = read(folder, "test.f32").asFloatBuffer();
        IntBuffer labels = read(folder, "test.i32").asIntBuffer();
        int right = 0;
        for (int i = 0; i < labels.limit(); i++) {
            session.infer(sample(pixels, i));
            right += session.classify(0) == labels.get(i) ? 1 : 0;
        }
        return (float) right / labels.limit();
    }

    private static float[] sample(FloatBuffer pixels, int index) {
        float[] sample = new float[PIXELS];
        FloatBuffer at = pixels.duplicate();
        at.position(index * PIXELS);
        at.get(sample);
        return sample;
    }

    private static ByteBuffer read(Path folder, String name) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name))).order(ByteOrder.LITTLE_ENDIAN);
    }
}
