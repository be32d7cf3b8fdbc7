package io.verbena.tier;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a donor is asked, and what it answers. Little-endian.
 *
 * <pre>
 *   request, and the first 8 bytes of the answer
 *   0                4                8
 *  +----------------+----------------+
 *  | magic          | version        |
 *  +----------------+----------------+
 *  | regions        | length of text | 8     regions 0: the memory is not to be had, and the text says why
 *  +----------------+----------------+
 *  | bytes of each region but the last | 16
 *  +-----------------------------------+
 *  | bytes of the last region          | 24
 *  +-----------------------------------+
 *  | text ...                          | 32    UTF-8: what the names of the regions begin with, or why there are none
 * </pre>
 */
final class LeaseFlyweight {
    /** Bytes of a request. */
    static final int REQUEST_LENGTH = 8;

    private static final int MAGIC = 0x4e4f4456; // "VDON"
    private static final int VERSION = 1;
    private static final int VERSION_OFFSET = 4;
    private static final int REGIONS_OFFSET = 8;
    private static final int TEXT_LENGTH_OFFSET = 12;
    private static final int LENGTH_OFFSET = 16;
    private static final int LAST_LENGTH_OFFSET = 24;
    private static final int TEXT_OFFSET = 32;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private LeaseFlyweight() {}

    static byte[] request() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[REQUEST_LENGTH]);
        begin(buffer);
        return buffer.byteArray();
    }

    static byte[] answer(Regions regions, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[TEXT_OFFSET + bytes.length]);
        begin(buffer);
        buffer.putInt(REGIONS_OFFSET, regions.count(), ORDER);
        buffer.putInt(TEXT_LENGTH_OFFSET, bytes.length, ORDER);
        buffer.putLong(LENGTH_OFFSET, regions.length(), ORDER);
        buffer.putLong(LAST_LENGTH_OFFSET, regions.lastLength(), ORDER);
        buffer.putBytes(TEXT_OFFSET, bytes);
        return buffer.byteArray();
    }

    private static void begin(UnsafeBuffer buffer) {
        buffer.putInt(0, MAGIC, ORDER);
        buffer.putInt(VERSION_OFFSET, VERSION, ORDER);
    }

    /** Why a request, or the begin of an answer, is none; empty if it is one. */
    static String defect(DirectBuffer buffer, int offset, int length) {
        if (length < REQUEST_LENGTH || buffer.getInt(offset, ORDER) != MAGIC) {
            return length + " bytes that are none of a donor's protocol";
        }
        int version = buffer.getInt(offset + VERSION_OFFSET, ORDER);
        return version == VERSION ? "" : "version " + version + " of the donor's protocol; known is " + VERSION;
    }

    /** The same of a whole answer. */
    static String defect(byte[] answer) {
        UnsafeBuffer buffer = new UnsafeBuffer(answer);
        String defect = defect(buffer, 0, answer.length);
        if (!defect.isEmpty()) {
            return defect;
        }
        if (answer.length < TEXT_OFFSET) {
            return "an answer of " + answer.length + " bytes < minimum " + TEXT_OFFSET;
        }
        int text = buffer.getInt(TEXT_LENGTH_OFFSET, ORDER);
        if (text < 0 || text > answer.length - TEXT_OFFSET) {
            return "a text of " + text + " bytes in an answer of " + answer.length;
        }
        int regions = buffer.getInt(REGIONS_OFFSET, ORDER);
        return regions < 0 || regions > Regions.MAX_COUNT ? regions + " regions outside 0.." + Regions.MAX_COUNT : "";
    }

    /** The regions that an answer without defect lends. */
    static Regions regions(byte[] answer) {
        UnsafeBuffer buffer = new UnsafeBuffer(answer);
        return new Regions(
                buffer.getInt(REGIONS_OFFSET, ORDER),
                buffer.getLong(LENGTH_OFFSET, ORDER),
                buffer.getLong(LAST_LENGTH_OFFSET, ORDER));
    }

    static String text(byte[] answer) {
        UnsafeBuffer buffer = new UnsafeBuffer(answer);
        return new String(answer, TEXT_OFFSET, buffer.getInt(TEXT_LENGTH_OFFSET, ORDER), StandardCharsets.UTF_8);
    }
}
