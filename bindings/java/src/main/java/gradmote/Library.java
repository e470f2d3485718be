package gradmote;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Finds the native libraries: in the JAR, on java.library.path, or in the system's folders (Android). */
final class Library {
    private static final long[] TABLES = new long[2];

    /** Returns the address of the profile's table of functions. */
    static synchronized long table(Session.Profile profile) {
        int at = profile.ordinal();
        try {
            if (TABLES[0] == 0 && TABLES[1] == 0) {
                String glue = file("gradmote_jni");
                if (new File(glue).isAbsolute()) System.load(glue); else System.loadLibrary("gradmote_jni");
            }
            String name = file("gradmote_" + profile.name().toLowerCase(Locale.ROOT));
            return TABLES[at] = TABLES[at] != 0 ? TABLES[at] : Session.loadLibrary(Session.text(name));
        } catch (IOException error) {
            throw new UnsatisfiedLinkError("the native libraries cannot be unpacked: " + error);
        }
    }

    private static String file(String library) throws IOException {
        String name = System.mapLibraryName(library);
        String os = System.getProperty("os.name").split(" ")[0].toLowerCase(Locale.ROOT);
        String folder = "natives/" + os + "-" + System.getProperty("os.arch").replace("amd64", "x86_64") + "/";
        try (InputStream packed = Library.class.getResourceAsStream(folder + name)) {
            if (packed != null) {
                Path file = Files.createTempDirectory("gradmote").resolve(name);
                file.getParent().toFile().deleteOnExit();
                file.toFile().deleteOnExit();
                Files.copy(packed, file);
                return file.toString();
            }
        }
        for (String place : System.getProperty("java.library.path", "").split(File.pathSeparator))
            if (new File(place, name).isFile()) return new File(place, name).getAbsolutePath();
        return name;
    }
}
