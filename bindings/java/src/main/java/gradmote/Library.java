package gradmote;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.TreeMap;

/** Finds the native libraries: in the JAR, on java.library.path, or in the system's folders (Android). */
final class Library {
    private static final long[] TABLES = new long[2];
    private static boolean loaded;
    private static Path folder; // of unpacked libraries

    /** Returns the address of the profile's table of functions. Throws UnsatisfiedLinkError. */
    static synchronized long table(Session.Profile profile) {
        int at = profile.ordinal();
        try {
            if (!loaded) load("gradmote_jni");
            loaded = true;
            String name = find("gradmote_" + profile.name().toLowerCase(Locale.ROOT));
            return TABLES[at] = TABLES[at] != 0 ? TABLES[at] : Session.loadLibrary(Session.text(name));
        } catch (IOException error) {
            throw new UnsatisfiedLinkError("the native libraries cannot be unpacked: " + error);
        }
    }

    private static void load(String library) throws IOException {
        String file = find(library);
        try {
            if (new File(file).isAbsolute()) System.load(file); else System.loadLibrary(library);
        } catch (UnsatisfiedLinkError error) {
            throw new UnsatisfiedLinkError(error.getMessage() + " - this is " + platform() + ", and the JAR has libraries for "
                + digests().keySet() + "; for others, put those built from sources on java.library.path");
        }
    }

    /** Returns the path of an unpacked library or of one on java.library.path, else its name. */
    private static String find(String library) throws IOException {
        String name = System.mapLibraryName(library), packed = platform() + "/" + name, digest = digests().get(packed);
        if (digest != null) return unpack(packed, name, digest).toString();
        for (String place : System.getProperty("java.library.path", "").split(File.pathSeparator))
            if (new File(place, name).isFile()) return new File(place, name).getAbsolutePath();
        return name;
    }

    private static Path unpack(String packed, String name, String digest) throws IOException {
        byte[] bytes = resource(packed);
        if (!digest.equals(sha256(bytes))) throw new IOException(packed + " is not the file that the JAR was made with");
        if (folder == null) (folder = Files.createTempDirectory("gradmote")).toFile().deleteOnExit();
        Path file = folder.resolve(name);
        file.toFile().deleteOnExit();
        return Files.exists(file) ? file : Files.write(file, bytes);
    }

    /** Returns the libraries in the JAR, as "platform/name", with the SHA-256 of each. It is empty in an AAR. */
    private static TreeMap<String, String> digests() throws IOException {
        TreeMap<String, String> found = new TreeMap<>();
        for (String line : new String(resource("digests"), StandardCharsets.UTF_8).split("\n"))
            if (!line.isEmpty()) found.put(line.substring(66), line.substring(0, 64));
        return found;
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream stream = Library.class.getResourceAsStream("natives/" + name)) {
            return stream == null ? new byte[0] : stream.readAllBytes();
        }
    }

    /** Returns this computer's name in the JAR: linux-x86_64, musl-x86_64, macos-arm64, windows-x86_64, ... */
    private static String platform() throws IOException {
        String name = System.getProperty("os.name").split(" ")[0].toLowerCase(Locale.ROOT);
        String os = name.equals("mac") ? "macos" : name.equals("linux") && isMusl() ? "musl" : name;
        String machine = System.getProperty("os.arch").replace("amd64", "x86_64");
        return os + "-" + (os.equals("macos") ? machine.replace("aarch64", "arm64") : machine);
    }

    /** Returns whether this process runs on musl's C library, which cannot load what was linked with glibc. */
    private static boolean isMusl() throws IOException {
        Path maps = Paths.get("/proc/self/maps");
        return Files.isReadable(maps) && new String(Files.readAllBytes(maps), StandardCharsets.UTF_8).contains("/ld-musl-");
    }

    private static String sha256(byte[] bytes) {
        try {
            return String.format("%064x", new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(bytes)));
        } catch (NoSuchAlgorithmException error) {
            throw new AssertionError(error); // every Java has it
        }
    }
}
