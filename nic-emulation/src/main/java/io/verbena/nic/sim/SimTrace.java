package io.verbena.nic.sim;

import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What happened, one line a packet, the last of them kept; and a hash over all of them, kept or not. Two runs of one
 * seed have the same text and the same hash.
 *
 * <pre>
 *      time in us   way   opcode       to QP   PSN       bytes
 *      12.340       a>b   SEND_ONLY    qp=17   psn=4     len=80   lost
 * </pre>
 *
 * <p>Not thread-safe. Recording a packet allocates nothing; the text is made when it is asked for.
 */
public final class SimTrace {
    /** Lines kept by default. */
    public static final int DEFAULT_CAPACITY = 4096;

    /** What became of a packet. */
    enum Fate {
        SENT("", true),
        DELIVERED("delivered", true),
        LOST("lost", true),
        CUT("cut off", true),
        CORRUPTED("corrupted", true),
        DUPLICATED("duplicated", true),
        REORDERED("reordered", true),
        OVERRUN("overrun", true),
        INJECTED("injected", true),
        NOTE("", false);

        final String word;
        final boolean packet;

        Fate(String word, boolean packet) {
            this.word = word;
            this.packet = packet;
        }
    }

    private static final Fate[] FATES = Fate.values();
    private static final int FIELDS = 4;
    private static final long FNV_PRIME = 0x100_0000_01B3L;
    private static final int NO_SYNDROME = 0xFFFF;

    private final int capacity;
    private final long[] records;
    private final @Nullable String[] words;
    private long count;
    private long hash = 0xCBF2_9CE4_8422_2325L;

    /**
     * Creates an empty trace.
     *
     * @param capacity lines that are kept, at least 1
     */
    public SimTrace(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("trace of " + capacity + " lines < 1");
        }
        this.capacity = capacity;
        records = new long[capacity * FIELDS];
        words = new String[capacity];
    }

    /** Events recorded since the start, kept or not. */
    public long count() {
        return count;
    }

    /** A hash over all events since the start. */
    public long hash() {
        return hash;
    }

    void packet(long nowNanos, String way, Fate fate, DirectBuffer b, int offset, int length) {
        int opcode = 0;
        int syndrome = NO_SYNDROME;
        int qp = 0;
        int psn = 0;
        if (length >= BthFlyweight.LENGTH) {
            opcode = BthFlyweight.opcode(b, offset);
            qp = BthFlyweight.destinationQp(b, offset);
            psn = BthFlyweight.psn(b, offset);
            Opcode known = Opcode.of(opcode);
            if (known != null && known.aethOffset() != Opcode.ABSENT && length >= known.headerLength()) {
                syndrome = AethFlyweight.syndrome(b, offset + known.aethOffset());
            }
        }
        record(
                nowNanos,
                (long) fate.ordinal() << 56 | (long) opcode << 48 | (long) syndrome << 32 | (length & 0xFFFF_FFFFL),
                (long) qp << 32 | psn,
                way);
    }

    /**
     * Records something that is not a packet.
     *
     * @param nowNanos virtual time
     * @param text one line
     */
    public void note(long nowNanos, String text) {
        record(nowNanos, (long) Fate.NOTE.ordinal() << 56, 0, text);
    }

    private void record(long nowNanos, long what, long which, String word) {
        int slot = (int) (count++ % capacity);
        int at = slot * FIELDS;
        records[at] = nowNanos;
        records[at + 1] = what;
        records[at + 2] = which;
        records[at + 3] = word.hashCode();
        words[slot] = word;
        for (int i = 0; i < FIELDS; i++) {
            hash = (hash ^ records[at + i]) * FNV_PRIME;
            hash ^= hash >>> 32;
        }
    }

    /** The lines that are kept, each ended by a newline. */
    public String text() {
        return tail(capacity);
    }

    /** The last lines, at most this many. */
    public String tail(int lines) {
        long first = Math.max(0, count - Math.min(lines, capacity));
        StringBuilder out = new StringBuilder();
        if (first > 0) {
            out.append("... ").append(first).append(" earlier\n");
        }
        for (long i = first; i < count; i++) {
            line(out, (int) (i % capacity));
        }
        return out.toString();
    }

    private void line(StringBuilder out, int slot) {
        int at = slot * FIELDS;
        long nanos = records[at];
        long what = records[at + 1];
        int opcode = (int) (what >>> 48) & 0xFF;
        int syndrome = (int) (what >>> 32) & 0xFFFF;
        Fate fate = FATES[(int) (what >>> 56)];
        long fraction = nanos % 1000;
        out.append(nanos / 1000).append('.');
        out.append((char) ('0' + fraction / 100));
        out.append((char) ('0' + fraction / 10 % 10));
        out.append((char) ('0' + fraction % 10));
        out.append(' ').append(words[slot]);
        if (fate.packet) {
            int length = (int) what;
            if (length < BthFlyweight.LENGTH) {
                out.append(" no BTH");
            } else {
                Opcode known = Opcode.of(opcode);
                out.append(' ').append(known == null ? "opcode(" + opcode + ')' : known.name());
                out.append(" qp=").append((int) (records[at + 2] >>> 32));
                out.append(" psn=").append((int) records[at + 2]);
            }
            out.append(" len=").append(length);
            if (syndrome != NO_SYNDROME) {
                out.append(' ').append(AethSyndrome.describe(syndrome));
            }
            if (!fate.word.isEmpty()) {
                out.append(' ').append(fate.word);
            }
        }
        out.append('\n');
    }
}
