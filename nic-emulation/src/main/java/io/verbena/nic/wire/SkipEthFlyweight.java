package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Skip extended header: the PSN of the request that comes next. Those from the packet's own PSN up to there are
 * nobody's any more: what had them was refused, or came behind what was.
 *
 * <pre>
 *    0          4       8
 *   +----------+-------+
 *   | next PSN | flags |     flag 1: the append in parts that is under way is given up
 *   +----------+-------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class SkipEthFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 8;

    private static final int NEXT_OFFSET = 0;
    private static final int FLAGS_OFFSET = 4;
    private static final int ABANDONS = 1;

    private SkipEthFlyweight() {}

    /**
     * Writes the header.
     *
     * @param next PSN of the next request
     * @param abandons whether the append in parts that is under way is given up
     */
    public static void encode(MutableDirectBuffer b, int offset, int next, boolean abandons) {
        b.putInt(offset + NEXT_OFFSET, next & Psn.MASK, LITTLE_ENDIAN);
        b.putInt(offset + FLAGS_OFFSET, abandons ? ABANDONS : 0, LITTLE_ENDIAN);
    }

    /** Reads the PSN of the next request. */
    public static int next(DirectBuffer b, int offset) {
        return b.getInt(offset + NEXT_OFFSET, LITTLE_ENDIAN) & Psn.MASK;
    }

    /** Reads whether the append in parts that is under way is given up. */
    public static boolean abandons(DirectBuffer b, int offset) {
        return (b.getInt(offset + FLAGS_OFFSET, LITTLE_ENDIAN) & ABANDONS) != 0;
    }
}
