import gradmote.GradmoteException;
import gradmote.Session;
import gradmote.Session.Profile;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Prints what a model of 8-bit or 16-bit integers gives: Narrow MODEL. */
public final class Narrow {
    private static final byte[] X = {0, 37, 74, 11, 48, 85};

    public static void main(String[] arguments) throws Exception {
        byte[] image = Files.readAllBytes(Path.of(arguments[0]));
        try (Session session = new Session(image, Profile.STRICT, 1)) {
            System.out.println(session.inputs().get(0).dtype + " " + session.inputs().get(0).size);
            System.out.println(session.parameters().get(0).dtype + " " + session.parameters().get(0).size);
            print(session.inferValues(X));
            ByteBuffer direct = ByteBuffer.allocateDirect(6);
            direct.put(X).rewind();
            print(session.inferValues(direct));
            System.out.println(session.classify(0));
            byte[] initial = session.getParameterBytes();
            session.step(X, new int[] {2});
            byte[] trained = session.getParameterBytes(), delta = session.deltaBytes();
            print(session.values(session.parameters().get(0)));
            print(trained);
            print(delta);
            session.setParameterBytes(initial);
            session.applyDeltaBytes(delta);
            System.out.println(Arrays.equals(session.getParameterBytes(), trained));
            refused(() -> session.step(new float[6], new int[] {2}));
            refused(() -> session.step(new int[6], new int[] {2}));
            refused(() -> session.infer(X));
            refused(() -> session.parameter("w"));
            refused(session::getParameters);
            refused(session::delta);
            refused(() -> session.setParameters(new float[initial.length / 4]));
            session.learn(1, X);
        }
    }

    private static void print(Object values) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < Array.getLength(values); i++) line.append(Array.get(values, i)).append(' ');
        System.out.println(line.toString().trim());
    }

    private static void refused(Runnable call) {
        try {
            call.run();
            System.out.println("was taken");
        } catch (GradmoteException error) {
            System.out.println(error.name + (error.getMessage().matches("(?s).*\\((I8|U8|I16)\\).*") ? " names its type" : " " + error));
        }
    }
}
