package io.verbena.papers.palos;

import io.verbena.nic.sim.Tamper;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.agrona.MutableDirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;

/** Counts what leaves a link, for each queue pair: at the wire, without asking the scheduler that is judged by it. */
public final class WireMeter implements Tamper {
    /** What a queue pair has sent. */
    public static final class Count {
        private long wireBytes;
        private long payload;
        private long packets;
        private long messages;

        /** Bytes, with headers and framing. */
        long wireBytes() {
            return wireBytes;
        }

        /** Bytes of messages. */
        long payload() {
            return payload;
        }

        /** Packets. */
        long packets() {
            return packets;
        }

        /** Messages, or slices of them, whose last packet has left. */
        long messages() {
            return messages;
        }
    }

    private final int framing;
    private final Int2ObjectHashMap<Count> counts = new Int2ObjectHashMap<>();

    /**
     * A meter of nothing yet.
     *
     * @param framing bytes that a packet takes besides its own
     */
    WireMeter(int framing) {
        this.framing = framing;
    }

    /** Counts a queue pair from now on. */
    Count count(int queuePair) {
        Count count = new Count();
        counts.put(queuePair, count);
        return count;
    }

    /** Everything starts at 0 again. */
    void reset() {
        counts.values().forEach(count -> {
            count.wireBytes = 0;
            count.payload = 0;
            count.packets = 0;
            count.messages = 0;
        });
    }

    @Override
    public Verdict onPacket(MutableDirectBuffer buffer, int offset, int length) {
        Count count = counts.get(BthFlyweight.sourceQp(buffer, offset));
        if (count != null) {
            count.wireBytes += length + framing;
            Opcode opcode = Opcode.of(BthFlyweight.opcode(buffer, offset));
            count.packets++;
            count.payload += opcode == null ? 0 : length - opcode.headerLength();
            if (opcode != null && opcode.endsMessage()) {
                count.messages++;
            }
        }
        return Verdict.PASS;
    }
}
