package io.verbena.nic.sim;

import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RethFlyweight;
import org.agrona.DirectBuffer;

/**
 * What a NIC of silicon would take for each packet, besides the wire: processing units that all its links share, the
 * doorbell, the transfer over PCIe, the misses of its caches, as the papers that measure "connections beyond 20"
 * explain them (DRUM II-D; RDMAbox III-A), and the one port by which it hangs on the network.
 *
 * <pre>
 *   engine ─▶ [ packet, doorbell, misses ] ─▶ [ PCIe ] ─▶ [ port ] ─▶ wire
 *              a unit of the sender's          shared      shared
 *   wire ─▶ [ port ] ─▶ [ packet, misses ] ─▶ [ PCIe ] ─▶ engine
 *            shared      a unit of the receiver's   shared
 *   context      one entry a queue pair       looked up for each packet, both ways
 *   WQE          one entry a slot of a queue  pushed by a doorbell or fetched by DMA; looked up where a request starts,
 *                                             sending, and where it completes, receiving
 *   translation  one entry a page             looked up where a RETH names remote memory, receiving
 *   completion   written by DMA               where a signaled request completes, and where a receive does
 * </pre>
 *
 * <p>A queue pair's packets all go through one unit, in order; a unit's costs add up, units overlap. PCIe and wire keep
 * the order in which the engine handed packets over. Without a port's rate each link brings its own; with one, packets
 * that arrive on all links together wait for each other, in a queue without loss. Not thread-safe. By default
 * everything is free, with one unit.
 *
 * <p>What a NIC is given reaches it by doorbells, which are no packets: it knows slots, doorbells and who wants a
 * completion only of the queue pairs that a thread of the host uses through {@link HostQueuePair}. For all others the
 * WQE cache has one entry a queue pair, and nothing else is counted. What the host pays is in {@link HostModel}.
 */
public final class NicModel {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int BITS = 8;
    private static final int MAX_UNITS = 1024;

    /** Bytes of a work queue element and of a completion queue entry on PCIe: a cache line. */
    public static final int WQE_BYTES = 64;

    private long packetNanos;
    private long doorbellNanos;
    private long pcieBitsPerSecond;
    private long pcieLatencyNanos;
    private long portBitsPerSecond;
    private long atomicNanos;
    private NicCache contexts = new NicCache(1, Replacement.LRU);
    private NicCache translations = new NicCache(1, Replacement.LRU);
    private long contextMissNanos;
    private long translationMissNanos;
    private long idleDoorbells;
    private SendQueues sendQueues = new SendQueues(new NicCache(1, Replacement.LRU), 0, 0, 0);
    private int pageBytes = 4096;
    private Direction sending = new Direction(1);
    private Direction receiving = new Direction(1);

    /** Creates a NIC whose work costs nothing. */
    public NicModel() {}

    /**
     * The 100 Gb/s RoCE NIC of Palos' evaluation, for a link of {@link LinkProfile#roce100}.
     *
     * <ul>
     *   <li>PCIe 128 Gb/s: Palos V, "same as the ConnectX-5 RNIC".
     *   <li>One scheduling decision a packet, 10 ns: Palos' clock of 100 MHz (IV; its own argument 22K QPs x 10 ns).
     *   <li>Contexts of 20 queue pairs: the knee of DRUM II-D, figure 2c, measured on a 40 Gb/s NIC of the same family.
     *   <li>That WQEs and translations are cached on the NIC, and that a miss is a DMA over PCIe: RDMAbox III-A. No
     *       paper prints the sizes or the cost: 64 WQEs, 1024 pages and 500 ns, about a PCIe round trip, are
     *       assumptions, as are 2 units and the doorbell's 200 ns. The 500 ns are of the right order by DRUM's figure
     *       10: two misses for each of 100 connections on 2 units come to 50 us, where 90.4 us are printed.
     *   <li>Chained WQEs are read by DMA, and completions are written by it: RDMAbox IV-A, "one MMIO and N-1 DMA
     *       reads". The 50 ns of each are an assumption: reads and writes in a row overlap, so that each takes a tenth
     *       of what one alone does.
     * </ul>
     */
    public static NicModel roce100() {
        return new NicModel()
                .units(2)
                .packet(10)
                .doorbell(200)
                .pcie(128_000_000_000L)
                .pcieLatency(250)
                .contexts(20, 500)
                .wqes(64, 500)
                .wqeFetch(50)
                .completion(50)
                .translations(1024, 4096, 500);
    }

    /**
     * The 40 Gb/s NIC of DRUM's testbed (V-A): contexts of 20 queue pairs (II-D, figure 2c: throughput of RC and UC
     * drops when connections exceed 20), all else as in {@link #roce100} but PCIe of 64 Gb/s, an assumption (8 lanes of
     * generation 3). For a link of {@link LinkProfile#infiniband40}.
     */
    public static NicModel infiniband40() {
        return roce100().pcie(64_000_000_000L);
    }

    /**
     * The 56 Gb/s NIC of RIMA's evaluation (4), for a link of {@link LinkProfile#infiniband56}: one port of that rate
     * for all its links, and an atomic that takes 2 microseconds, "unloaded, local" (5.2.1). All else is free: the
     * paper's comparison is of memory, and of round trips that are longer than all that by orders.
     */
    public static NicModel infiniband56() {
        return new NicModel().port(56_000_000_000L).atomic(2_000);
    }

    /**
     * Rate in bits per second of the port by which all links of the NIC go, in each direction; 0 (the default) is
     * without limit. A packet that finds the port free passes without delay: its bits were paid for on the link.
     */
    public NicModel port(long bitsPerSecond) {
        portBitsPerSecond = notNegative("port rate", bitsPerSecond);
        return this;
    }

    /**
     * What a unit takes for an atomic operation that arrives, besides {@link #packet}, in nanoseconds: its way over
     * PCIe.
     */
    public NicModel atomic(long nanos) {
        atomicNanos = notNegative("atomic", nanos);
        return this;
    }

    /** Work of a unit on each packet, in nanoseconds. */
    public NicModel packet(long nanos) {
        packetNanos = notNegative("packet", nanos);
        return this;
    }

    /**
     * What a doorbell costs, in nanoseconds: where a request starts and its unit stands idle. A busy unit goes on
     * fetching, as a doorbell for an active queue pair moves a pointer only (Palos IV).
     */
    public NicModel doorbell(long nanos) {
        doorbellNanos = notNegative("doorbell", nanos);
        return this;
    }

    /** Processing units in each direction, 1 to 1024; by default 1. */
    public NicModel units(int count) {
        if (count > MAX_UNITS) {
            throw new IllegalArgumentException("units " + count + " > " + MAX_UNITS);
        }
        sending = new Direction(atLeastOne("units", count));
        receiving = new Direction(count);
        return this;
    }

    /** Rate of PCIe in bits per second, the same in each direction; 0 is without limit. */
    public NicModel pcie(long bitsPerSecond) {
        pcieBitsPerSecond = notNegative("PCIe rate", bitsPerSecond);
        return this;
    }

    /** Latency of PCIe in nanoseconds, once a packet and direction; transfers overlap in it. */
    public NicModel pcieLatency(long nanos) {
        pcieLatencyNanos = notNegative("PCIe latency", nanos);
        return this;
    }

    /** Cache of queue pair contexts, replaced by {@link Replacement#LRU}. */
    public NicModel contexts(int entries, long missNanos) {
        return contexts(entries, Replacement.LRU, missNanos);
    }

    /** Cache of queue pair contexts. */
    public NicModel contexts(int entries, Replacement replacement, long missNanos) {
        contexts = new NicCache(atLeastOne("contexts", entries), replacement);
        contextMissNanos = notNegative("context miss", missNanos);
        return this;
    }

    /** Cache of work queue elements, replaced by {@link Replacement#LRU}. */
    public NicModel wqes(int entries, long missNanos) {
        return wqes(entries, Replacement.LRU, missNanos);
    }

    /** Cache of work queue elements: one a slot of each send queue that the host tells of, one for each other queue. */
    public NicModel wqes(int entries, Replacement replacement, long missNanos) {
        NicCache cache = new NicCache(atLeastOne("WQEs", entries), replacement);
        sendQueues = sendQueues.with(cache, notNegative("WQE miss", missNanos));
        return this;
    }

    /**
     * What a unit takes to read a work queue element that was posted behind another of the same doorbell, in
     * nanoseconds; if not 0, its {@value #WQE_BYTES} bytes go over PCIe.
     */
    public NicModel wqeFetch(long nanos) {
        sendQueues.fetch(notNegative("WQE fetch", nanos));
        return this;
    }

    /**
     * What a unit takes to write a completion queue entry, in nanoseconds, for a signaled request that the host told of
     * or for a receive; if not 0, its {@value #WQE_BYTES} bytes go over PCIe.
     */
    public NicModel completion(long nanos) {
        sendQueues.completion(notNegative("completion", nanos));
        return this;
    }

    /** Cache of translations, one a page, replaced by {@link Replacement#LRU}. */
    public NicModel translations(int entries, int bytesOfPage, long missNanos) {
        return translations(entries, Replacement.LRU, bytesOfPage, missNanos);
    }

    /** Cache of translations, one a page. */
    public NicModel translations(int entries, Replacement replacement, int bytesOfPage, long missNanos) {
        translations = new NicCache(atLeastOne("translations", entries), replacement);
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

    /** Lookups that had to fetch a work queue element again that the NIC had before; of queues untold, a batch. */
    public long wqeMisses() {
        return sendQueues.misses();
    }

    /** Work queue elements that hosts have posted and told of. */
    public long wqes() {
        return sendQueues.posted();
    }

    /** Doorbells that hosts have rung and told of: writes into the NIC's memory (MMIO). */
    public long mmios() {
        return sendQueues.doorbells();
    }

    /** Work queue elements that did not come with a doorbell and were read for the first time. */
    public long wqeFetches() {
        return sendQueues.fetches();
    }

    /** Completion queue entries written: for signaled requests that hosts told of, and for receives. */
    public long completionWrites() {
        return sendQueues.completions();
    }

    /** Lookups that had to fetch a translation. */
    public long translationMisses() {
        return translations.misses();
    }

    /** Requests that found their unit idle, and paid for a {@link #doorbell}. */
    public long doorbells() {
        return idleDoorbells;
    }

    /** A host has put a request into a send queue. */
    void post(int qp, boolean reliable, int mtu, boolean signaled) {
        sendQueues.post(qp, reliable, mtu, signaled);
    }

    /** A host has rung a doorbell. */
    void ring(int qp) {
        sendQueues.ring(qp);
    }

    /** When a packet that is handed over now is ready for the wire, whose framing takes some bytes more. */
    long send(long now, DirectBuffer b, int offset, int length, int framing) {
        long cost = packetNanos;
        int qp = 0;
        if (length >= BthFlyweight.LENGTH) {
            qp = BthFlyweight.sourceQp(b, offset);
            cost += contexts.use(qp) ? 0 : contextMissNanos;
            Opcode opcode = Opcode.of(BthFlyweight.opcode(b, offset));
            if (opcode != null && opcode.isRequest()) {
                cost += sendQueues.send(qp, opcode, b, offset);
                if (opcode.startsMessage() && sending.isIdle(qp, now)) {
                    idleDoorbells++;
                    cost += doorbellNanos;
                }
            }
        }
        long ready = sending.pass(now, qp, cost, length + transferred(), pcieBitsPerSecond) + pcieLatencyNanos;
        return sending.leave(ready, length + framing, portBitsPerSecond);
    }

    /** When a packet that has come off the wire now, with its framing, reaches the engine. */
    long receive(long now, DirectBuffer b, int offset, int length, int framing) {
        long cost = packetNanos;
        int qp = 0;
        if (length >= BthFlyweight.LENGTH) {
            qp = BthFlyweight.destinationQp(b, offset);
            cost += contexts.use(qp) ? 0 : contextMissNanos;
            Opcode opcode = Opcode.of(BthFlyweight.opcode(b, offset));
            if (opcode != null && opcode.rethOffset() != Opcode.ABSENT && length >= opcode.headerLength()) {
                cost += translate(b, offset + opcode.rethOffset());
            }
            if (opcode == Opcode.FETCH_ADD || opcode == Opcode.COMPARE_SWAP) {
                cost += atomicNanos;
            }
            if (opcode != null && opcode.isResponse() && length >= opcode.headerLength()) {
                cost += sendQueues.answered(qp, opcode, b, offset);
            } else if (opcode != null && opcode.consumesReceive()) {
                cost += sendQueues.completion();
            }
        }
        long here = receiving.enter(now, length + framing, portBitsPerSecond);
        return receiving.pass(here, qp, cost, length + transferred(), pcieBitsPerSecond) + pcieLatencyNanos;
    }

    private int transferred() {
        return sendQueues.takeTransfers() * WQE_BYTES;
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

    /**
     * One direction: units side by side, then PCIe and the port, a packet after the other; fractions of a nanosecond
     * are carried over.
     */
    private static final class Direction {
        private final long[] unitFreeNanos;
        private long pcieFreeNanos;
        private long remainder;
        private long portFreeNanos;
        private long portRemainder;

        Direction(int units) {
            unitFreeNanos = new long[units];
        }

        private int unit(int qp) {
            return (qp & Integer.MAX_VALUE) % unitFreeNanos.length;
        }

        boolean isIdle(int qp, long now) {
            return unitFreeNanos[unit(qp)] <= now;
        }

        /** When a packet's first bit goes out of the port. */
        long leave(long now, int length, long bitsPerSecond) {
            long start = Math.max(portFreeNanos, now);
            occupy(start, length, bitsPerSecond);
            return start;
        }

        /** When the last bit of a packet, which reached the port now at the earliest, has come in behind all others. */
        long enter(long now, int length, long bitsPerSecond) {
            occupy(portFreeNanos, length, bitsPerSecond);
            if (portFreeNanos < now) {
                portFreeNanos = now;
                portRemainder = 0;
            }
            return portFreeNanos;
        }

        private void occupy(long start, int length, long bitsPerSecond) {
            if (start > portFreeNanos) {
                portRemainder = 0;
            }
            portFreeNanos = start;
            if (bitsPerSecond > 0) {
                long scaled = (long) length * BITS * NANOS_PER_SECOND + portRemainder;
                portFreeNanos += scaled / bitsPerSecond;
                portRemainder = scaled % bitsPerSecond;
            }
        }

        long pass(long now, int qp, long cost, int length, long bitsPerSecond) {
            int unit = unit(qp);
            long ready = Math.max(unitFreeNanos[unit], now) + cost;
            unitFreeNanos[unit] = ready;
            if (pcieFreeNanos < ready) {
                pcieFreeNanos = ready;
                remainder = 0;
            }
            if (bitsPerSecond > 0) {
                long scaled = (long) length * BITS * NANOS_PER_SECOND + remainder;
                pcieFreeNanos += scaled / bitsPerSecond;
                remainder = scaled % bitsPerSecond;
            }
            return pcieFreeNanos;
        }
    }
}
