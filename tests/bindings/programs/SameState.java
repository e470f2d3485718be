import gradmote.Session;
import gradmote.Session.Profile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;

/** Trains the image of bindings.same_state: SameState MODEL STEPS PROFILE. Prints the loss and the state's digest. */
public final class SameState {
    public static void main(String[] arguments) throws Exception {
        byte[] image = Files.readAllBytes(Path.of(arguments[0]));
        int steps = Integer.parseInt(arguments[1]);
        float loss = 0;
        try (Session session = new Session(image, Profile.valueOf(arguments[2].toUpperCase()), 1)) {
            for (int step = 0; step < steps; step++) loss = session.step(pixels(step), new int[] {step * 7 % 10});
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(session.save());
            StringBuilder text = new StringBuilder();
            for (byte b : digest) text.append(String.format("%02x", b));
            System.out.printf("java %.6f %s%n", loss, text);
        }
    }

    private static float[] pixels(int step) {
        float[] pixels = new float[64];
        int s = step + 1;
        for (int i = 0; i < pixels.length; i++) {
            s = s * 1664525 + 1013904223;
            pixels[i] = (s >>> 8) / 16777216f;
        }
        return pixels;
    }
}
