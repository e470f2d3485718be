package gradmote.onnxruntime;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * Properties of any length, after a checkpoint in its file (docs/SPEC.md, "Properties after a checkpoint"): Long, Float and
 * String by name, as a flat JSON object.
 */
final class Properties {
    private static final int CHECKPOINT = 0x4B434D47, LASTING = 0x524C4D47, MAGIC = 0x50504D47; // GMCK, GMLR, GMPP
    private static final int HEAD = 12; // magic, size and checksum

    private Properties() {}

    /** Returns the checkpoint with the properties after it. */
    static byte[] packed(byte[] checkpoint, Map<String, Object> properties) {
        if (properties.isEmpty()) return checkpoint;
        byte[] text = new TreeMap<>(properties).entrySet().stream().map(p -> quoted(p.getKey()) + ": " + written(p.getValue()))
                .collect(Collectors.joining(", ", "{", "}")).getBytes(StandardCharsets.UTF_8);
        ByteBuffer file = ByteBuffer.allocate(checkpoint.length + HEAD + text.length).order(ByteOrder.LITTLE_ENDIAN);
        return file.put(checkpoint).putInt(MAGIC).putInt(text.length).putInt(checksum(text, 0, text.length)).put(text).array();
    }

    /** Returns the properties after the checkpoint in a file; none if there are none. */
    static Map<String, Object> unpacked(byte[] file) throws OrtException {
        ByteBuffer words = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        for (int size = sizeOfPart(words, 0); size > 0; size = sizeOfPart(words, at)) at += size;
        if (at == 0 || at == file.length) return new TreeMap<>();
        int start = at + HEAD;
        if (word(words, at) != MAGIC || start > file.length || word(words, at + 4) != file.length - start
                || word(words, at + 8) != checksum(file, start, file.length - start))
            throw new OrtException("the properties after the checkpoint are damaged - transfer the file again");
        try {
            ByteBuffer text = ByteBuffer.wrap(file, start, file.length - start);
            return new Reader(StandardCharsets.UTF_8.newDecoder().decode(text).toString()).members();
        } catch (CharacterCodingException | NumberFormatException error) {
            throw Reader.wrong();
        }
    }

    /** Returns the bytes of the part at `at`: a checkpoint, or a lasting record if it is whole; 0 for others. */
    private static int sizeOfPart(ByteBuffer file, int at) {
        boolean isLasting = word(file, at) == LASTING;
        if (!isLasting && word(file, at) != CHECKPOINT) return 0;
        long size = isLasting ? (word(file, at + 12) & 0xFFFFFFFFL) + 20 : word(file, at + 8) & 0xFFFFFFFFL;
        if (size < 20 || size > file.capacity() - at) return 0;
        int end = at + (int) size;
        return isLasting && checksum(file.array(), at + 16, (int) size - 20) != word(file, end - 4) ? 0 : (int) size;
    }

    private static int word(ByteBuffer file, int at) { return at <= file.capacity() - 4 ? file.getInt(at) : 0; }

    private static int checksum(byte[] bytes, int from, int count) {
        CRC32 crc = new CRC32();
        crc.update(bytes, from, count);
        return (int) crc.getValue();
    }

    private static String quoted(String text) {
        return text.chars().mapToObj(c -> c == '"' || c == '\\' ? "\\" + (char) c : c < 0x20 ? String.format("\\u%04x", c) : "" + (char) c)
                .collect(Collectors.joining("", "\"", "\""));
    }

    /** Returns a value as JSON; a float has a point. */
    private static String written(Object value) { return value instanceof String ? quoted((String) value) : value.toString(); }

    /** Reads a flat JSON object. */
    private static final class Reader {
        private final String json;
        private int at;

        Reader(String text) { json = text; }

        Map<String, Object> members() throws OrtException {
            Map<String, Object> found = new TreeMap<>();
            take('{');
            if (peek() != '}')
                do {
                    String name = text();
                    take(':');
                    found.put(name, peek() == '"' ? text() : number());
                } while (took(','));
            take('}');
            if (peek() != 0) throw wrong();
            return found;
        }

        private char peek() {
            while (at < json.length() && " \t\r\n".indexOf(json.charAt(at)) >= 0) at++;
            return at < json.length() ? json.charAt(at) : 0;
        }

        private boolean took(char wanted) {
            boolean isThere = peek() == wanted;
            if (isThere) at++;
            return isThere;
        }

        private void take(char wanted) throws OrtException {
            if (!took(wanted)) throw wrong();
        }

        private String text() throws OrtException {
            StringBuilder text = new StringBuilder();
            for (take('"'); at < json.length() && json.charAt(at) != '"'; at++)
                text.append(json.charAt(at) == '\\' ? escaped() : json.charAt(at));
            if (at == json.length()) throw wrong();
            at++;
            return text.toString();
        }

        private char escaped() throws OrtException {
            char kind = ++at < json.length() ? json.charAt(at) : 0;
            int known = "\"\\/bfnrt".indexOf(kind);
            if (known >= 0) return "\"\\/\b\f\n\r\t".charAt(known);
            if (kind != 'u' || at + 4 >= json.length()) throw wrong();
            at += 4;
            return (char) Integer.parseUnsignedInt(json.substring(at - 3, at + 1), 16);
        }

        private Object number() {
            int first = at;
            while (at < json.length() && "+-.eE0123456789".indexOf(json.charAt(at)) >= 0) at++;
            String number = json.substring(first, at);
            return number.matches(".*[.eE].*") ? (Object) Float.valueOf(number) : (Object) Long.valueOf(number);
        }

        static OrtException wrong() {
            return new OrtException("the properties after the checkpoint are not a JSON object of numbers and texts");
        }
    }
}
