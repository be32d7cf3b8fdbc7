package io.verbena.kv.store;

import io.verbena.kv.protocol.DoubleText;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes replies as Redis does on the wire; bytes are Latin-1 characters. */
final class Resp {
    private Resp() {}

    static String render(ReplyCursor cursor, boolean resp3) {
        StringBuilder out = new StringBuilder();
        while (cursor.next()) {
            renderValue(cursor, resp3, out);
        }
        return out.toString();
    }

    private static void renderValue(ReplyCursor cursor, boolean resp3, StringBuilder out) {
        switch (cursor.type()) {
            case NIL -> out.append(resp3 ? "_\r\n" : "$-1\r\n");
            case NIL_ARRAY -> out.append(resp3 ? "_\r\n" : "*-1\r\n");
            case INTEGER -> out.append(':').append(cursor.integer()).append("\r\n");
            case BULK -> bulk(out, text(cursor));
            case STATUS -> out.append('+').append(text(cursor)).append("\r\n");
            case ERROR -> out.append('-').append(text(cursor)).append("\r\n");
            case ARRAY -> out.append('*').append(cursor.count()).append("\r\n");
            case SET -> out.append(resp3 ? '~' : '*').append(cursor.count()).append("\r\n");
            case MAP ->
                out.append(resp3 ? '%' : '*')
                        .append(resp3 ? cursor.count() : 2 * cursor.count())
                        .append("\r\n");
            case DOUBLE -> {
                String text = number(cursor.doubleValue());
                if (resp3) {
                    out.append(',').append(text).append("\r\n");
                } else {
                    bulk(out, text);
                }
            }
            case BOOLEAN, VERBATIM, STREAM, HELD -> throw new AssertionError(cursor.type());
        }
    }

    static String number(double value) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[DoubleText.MAX_SHORT_LENGTH]);
        return buffer.getStringWithoutLengthAscii(0, new DoubleText().putShort(value, buffer, 0));
    }

    private static void bulk(StringBuilder out, String text) {
        out.append('$').append(text.length()).append("\r\n").append(text).append("\r\n");
    }

    static String text(ReplyCursor cursor) {
        return new String(cursor.bytes(), StandardCharsets.ISO_8859_1);
    }

    static boolean isError(ReplyCursor cursor) {
        return cursor.type() == ReplyType.ERROR;
    }
}
