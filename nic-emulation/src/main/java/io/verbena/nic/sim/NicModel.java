package io.verbena.nic.sim;

import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RethFlyweight;
import org.agrona.DirectBuffer;

/**
 * What a NIC of silicon would take for each packet, besides the wire: one pipeline that all its links share, the transfer
 * over PCIe, and the misses of its caches, as the papers that measure "connections beyond 20" explain them (DRUM 2.2).
 *
 * <pre>
 *   engine ─▶ [ packet + PCIe + misses ] ─▶ wire ─▶ [ packet + PCIe + misses ] ─▶ engine
 *              the sender's pipeline                  the receiver's pipeline
 *   context      one entry a queue pair     looked up for each packet, both ways
 *   WQE          one entry a queue pair     looked up where a request starts, sending
 *   translation  one entry a page           looked up where a RETH names remote memory, receiving
 * </pre>
 *
 * <p>Costs are added up, not overlapped. Not thread-safe. By default everything is free.
 */
public final class NicModel {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int BITS = 8;

    private long packetNanos;
    private long pcieBitsPerSecond;
    private LruCache contexts = new LruCache(1);
    private LruCache wqes = new LruCache(1);
    private LruCache translations = new LruCache(1);
    private long contextMissNanos;
    private long wqeMissNanos;
    private long translationMissNanos;
    private int pageBytes = 4096;
    private final Pipeline sending = new Pipeline();
    private final Pipeline receiving = new Pipeline();

    /** Creates a NIC whose work costs nothing. */
    public NicModel() {}

    /** Work of the pipeline on each packet, in nanoseconds. */
    public NicModel packet(long nanos) {
        packetNanos = notNegative("packet", nanos);
        return this;
    }

    /** Rate of PCIe in bits per second, the same in each direction; 0 is without limit. */
    public NicModel pcie(long bitsPerSecond) {
        pcieBitsPerSecond = notNegative("PCIe rate", bitsPerSecond);
        return this;
    }

    /** Cache of queue pair contexts. */
    public NicModel contexts(int entries, long missNanos) {
        contexts = new LruCache(atLeastOne("contexts", entries));
        contextMissNanos = notNegative("context miss", missNanos);
        return this;
    }

    /** Cache of work queue elements, one batch a queue pair. */
    public NicModel wqes(int entries, long missNanos) {
        wqes = new LruCache(atLeastOne("WQEs", entries));
        wqeMissNanos = notNegative("WQE miss", missNanos);
        return this;
    }

    /** Cache of translations, one a page. */
    public NicModel translations(int entries, int bytesOfPage, long missNanos) {
        translations = new LruCache(atLeastOne("translations", entries));
        pageBytes = atLeastOne("page", bytesOfPage);
        translationMissNanos = notNegative("translation miss", missNanos);
        return this;
    }

    /** Lookups that found the queue pair's context. */
    public long contextHits() {
        return contexts.hits();
    }

    /** Lookups that had to fetch the queue pair's context. */
    public long contextMisses() {
        return contexts.misses();
    }

    /** Lookups that had to fetch work queue elements. */
    public long wqeMisses() {
        return wqes.misses();
    }

    /** Lookups that had to fetch a translation. */
    public long translationMisses() {
        return translations.misses();
    }

    /** When a packet that is handed over now is ready for the wire. */
    long send(long now, DirectBuffer b, int offset, int length) {
        long cost = packetNanos;
        if (length >= BthFlyweight.LENGTH) {
            int qp = BthFlyweight.sourceQp(b, offset);
            cost += contexts.use(qp) ? 0 : contextMissNanos;
            Opcode opcode = Opcode.of(BthFlyweight.opcode(b, offset));
            if (opcode != null && opcode.isRequest() && opcode.startsMessage()) {
                cost += wqes.use(qp) ? 0 : wqeMissNanos;
            }
        }
        return sending.pass(now, cost, length, pcieBitsPerSecond);
    }

    /** When a packet that has come off the wire now reaches the engine. */
    long receive(long now, DirectBuffer b, int offset, int length) {
        long cost = packetNanos;
        if (length >= BthFlyweight.LENGTH) {
            cost += contexts.use(BthFlyweight.destinationQp(b, offset)) ? 0 : contextMissNanos;
            Opcode opcode = Opcode.of(BthFlyweight.opcode(b, offset));
            if (opcode != null && opcode.rethOffset() != Opcode.ABSENT && length >= opcode.headerLength()) {
                cost += translate(b, offset + opcode.rethOffset());
            }
        }
        return receiving.pass(now, cost, length, pcieBitsPerSecond);
    }

    private long translate(DirectBuffer b, int reth) {
        long first = RethFlyweight.remoteOffset(b, reth) / pageBytes;
        long pages = Math.max(0, RethFlyweight.length(b, reth)) / pageBytes + 1L;
        long key = (long) RethFlyweight.rkey(b, reth) << 32;
        long cost = 0;
        for (long page = first; page < first + pages; page++) {
            cost += translations.use(key ^ page) ? 0 : translationMissNanos;
        }
        return cost;
    }

    private static long notNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + ' ' + value + " < 0");
        }
        return value;
    }

    private static int atLeastOne(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + ' ' + value + " < 1");
        }
        return value;
    }

    /** One direction: a packet after the other; fractions of a nanosecond are carried over. */
    private static final class Pipeline {
        private long freeNanos;
        private long remainder;

        long pass(long now, long cost, int length, long bitsPerSecond) {
            if (freeNanos < now) {
                freeNanos = now;
                remainder = 0;
            }
            freeNanos += cost;
            if (bitsPerSecond > 0) {
                long scaled = (long) length * BITS * NANOS_PER_SECOND + remainder;
                freeNanos += scaled / bitsPerSecond;
                remainder = scaled % bitsPerSecond;
            }
            return freeNanos;
        }
    }
}
