package io.verbena.bench.check.redis;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Bytes as a reader wants them: shortened, escaped, and with the name of the value that they belong to. Static. */
final class Text {
    /** Bytes that are shown of a longer value. */
    static final int SHORT = 96;

    private static final Pattern BLOCK =
            Pattern.compile("c([0-9a-f]{4})k([0-9a-f]{4})v([0-9a-f]{6})(?:#([0-9a-f]{6})(?:~([0-9a-f]{6})>)?)?");

    private Text() {}

    static String of(byte[] bytes) {
        return of(bytes, bytes.length);
    }

    /** The start of a value of a length. */
    static String of(byte[] start, int length) {
        StringBuilder text = new StringBuilder("\"");
        int shown = Math.min(start.length, SHORT);
        for (int i = 0; i < shown; i++) {
            int each = start[i] & 0xFF;
            if (each == '\r') {
                text.append("\\r");
            } else if (each == '\n') {
                text.append("\\n");
            } else if (each == '"' || each == '\\') {
                text.append('\\').append((char) each);
            } else if (each < ' ' || each > '~') {
                text.append(String.format(Locale.ROOT, "\\x%02x", each));
            } else {
                text.append((char) each);
            }
        }
        text.append('"');
        if (shown < length) {
            text.append("... (").append(length).append(" bytes)");
        }
        return text.toString();
    }

    /** Which value of the load these bytes belong to, as a clause; empty if they do not tell. */
    static String origin(byte[] bytes, int begin, int run) {
        int from = Math.max(0, begin - ValueContent.BLOCK);
        int count = Math.min(bytes.length - from, 4 * ValueContent.BLOCK);
        if (count <= 0) {
            return "";
        }
        Matcher matcher = BLOCK.matcher(new String(bytes, from, count, StandardCharsets.ISO_8859_1));
        if (!matcher.find()) {
            return "";
        }
        // The block that holds the byte in question, or the last before it.
        int at = matcher.start();
        while (from + at + ValueContent.BLOCK <= begin && matcher.find()) {
            at = matcher.start();
        }
        matcher.find(at);
        String place = matcher.group(4);
        String from2 = matcher.group(5);
        return "this value belongs to connection " + Integer.parseInt(matcher.group(1), 16) + ", key k"
                + Integer.parseInt(matcher.group(2), 16) + ", version " + Integer.parseInt(matcher.group(3), 16)
                + (place == null ? "" : ", from its byte " + (long) Integer.parseInt(place, 16) * ValueContent.BLOCK)
                + (from2 != null && Integer.parseInt(from2, 16) != run ? ", of another run" : "");
    }
}
