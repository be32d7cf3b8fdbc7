package io.verbena.nic.sim;

/**
 * What one direction of a simulated link is like. Fluent and mutable: rates and faults may be changed while the
 * simulation runs, and hold for packets that are flushed from then on; sizes are fixed when the link is made.
 *
 * <p>By default: 100 Gb/s, 1 microsecond, packets of 8320 bytes, a window of 64 KiB, no faults.
 */
public final class LinkProfile {
    /** Least that a link must carry in one packet. */
    public static final int MIN_PACKET = 512;

    /** Most that a link carries in one packet. */
    public static final int MAX_PACKET = 1 << 20;

    int maxPacket = 8192 + 128;
    int window = 64 * 1024;
    int inbound = 4 * 1024 * 1024;
    boolean direct;
    long bitsPerSecond = 100_000_000_000L;
    int overheadBytes;
    long delayNanos = 1_000;
    long jitterNanos;
    double loss;
    int lossBurst = 1;
    double duplication;
    double reordering;
    long reorderNanos = 10_000;
    double corruption;

    /** Creates the default. */
    public LinkProfile() {}

    /**
     * A link of 100 Gb/s Ethernet as RoCE uses it: the rate of Palos' evaluation (V), frames of 1500 bytes as its II-B
     * says they typically are (a path MTU of 1024 and headers fit), 58 bytes of Ethernet, IP and UDP a packet with
     * preamble, check sum and gap, and 1 microsecond, which no paper prints.
     */
    public static LinkProfile roce100() {
        return new LinkProfile()
                .rate(100_000_000_000L)
                .overhead(58)
                .maxPacket(1500)
                .delay(1_000);
    }

    /** A link of 40 Gb/s InfiniBand, as in DRUM's testbed (V-A); packets of 4096 bytes and headers, 1 microsecond. */
    public static LinkProfile infiniband40() {
        return new LinkProfile()
                .rate(40_000_000_000L)
                .overhead(8)
                .maxPacket(4096 + 128)
                .delay(1_000);
    }

    /**
     * A link of 56 Gb/s InfiniBand (FDR), as in RIMA's evaluation (4): packets of 4096 bytes and headers, 34 bytes of
     * framing a packet (local route header, check sums and link-level delimiters: 26 and 8), 1 microsecond, which the
     * paper does not print.
     */
    public static LinkProfile infiniband56() {
        return new LinkProfile()
                .rate(56_000_000_000L)
                .overhead(34)
                .maxPacket(4096 + 128)
                .delay(1_000);
    }

    /** A copy that can be changed on its own. */
    public LinkProfile copy() {
        LinkProfile copy = new LinkProfile();
        copy.maxPacket = maxPacket;
        copy.window = window;
        copy.inbound = inbound;
        copy.direct = direct;
        copy.bitsPerSecond = bitsPerSecond;
        copy.overheadBytes = overheadBytes;
        copy.delayNanos = delayNanos;
        copy.jitterNanos = jitterNanos;
        copy.loss = loss;
        copy.lossBurst = lossBurst;
        copy.duplication = duplication;
        copy.reordering = reordering;
        copy.reorderNanos = reorderNanos;
        copy.corruption = corruption;
        return copy;
    }

    /** Largest packet in bytes, {@link #MIN_PACKET} to {@link #MAX_PACKET}. Fixed when the link is made. */
    public LinkProfile maxPacket(int bytes) {
        if (bytes < MIN_PACKET || bytes > MAX_PACKET) {
            throw new IllegalArgumentException(
                    "packet of " + bytes + " bytes outside " + MIN_PACKET + ".." + MAX_PACKET);
        }
        maxPacket = bytes;
        return this;
    }

    /** Bytes that may be committed and not yet on the wire; one packet always fits. Fixed when the link is made. */
    public LinkProfile window(int bytes) {
        window = atLeast("window", bytes, 1);
        return this;
    }

    /**
     * Bytes that may have arrived and not been polled, 4 MiB by default; what comes on top is dropped as overrun. A
     * packet counts as {@link #MIN_PACKET} at least.
     */
    public LinkProfile inbound(int bytes) {
        inbound = atLeast("inbound", bytes, MIN_PACKET);
        return this;
    }

    /** Whether each end maps the other's memory. Fixed when the link is made. */
    public LinkProfile direct(boolean mapped) {
        direct = mapped;
        return this;
    }

    /** Rate in bits per second; 0 is without limit. */
    public LinkProfile rate(long bits) {
        bitsPerSecond = atLeast("rate", bits, 0);
        return this;
    }

    /** Bytes that each packet takes on the wire besides its own, such as framing. */
    public LinkProfile overhead(int bytes) {
        overheadBytes = atLeast("overhead", bytes, 0);
        return this;
    }

    /** Time from the last bit's departure to its arrival, in nanoseconds. */
    public LinkProfile delay(long nanos) {
        delayNanos = atLeast("delay", nanos, 0);
        return this;
    }

    /** Added to the delay of each packet, evenly from 0 to this; does not change the order. */
    public LinkProfile jitter(long nanos) {
        jitterNanos = atLeast("jitter", nanos, 0);
        return this;
    }

    /** Probability that a packet is lost. */
    public LinkProfile loss(double probability) {
        loss = probability("loss", probability);
        return this;
    }

    /** Packets lost in a row, each time that loss strikes; 1 by default. */
    public LinkProfile lossBurst(int packets) {
        lossBurst = atLeast("loss burst", packets, 1);
        return this;
    }

    /** Probability that a packet arrives twice. */
    public LinkProfile duplication(double probability) {
        duplication = probability("duplication", probability);
        return this;
    }

    /**
     * Packets that others overtake.
     *
     * @param probability that a packet is held back
     * @param mostNanos it is held back evenly from 1 to this
     */
    public LinkProfile reordering(double probability, long mostNanos) {
        reordering = probability("reordering", probability);
        reorderNanos = atLeast("reordering", mostNanos, 1);
        return this;
    }

    /** Probability that a packet is damaged; the link's checksum finds it, and it is dropped. */
    public LinkProfile corruption(double probability) {
        corruption = probability("corruption", probability);
        return this;
    }

    /** Takes all faults away; rate and delay stay. */
    public LinkProfile faultless() {
        return loss(0).duplication(0).reordering(0, reorderNanos).corruption(0);
    }

    private static int atLeast(String what, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(what + ' ' + value + " < " + least);
        }
        return value;
    }

    private static long atLeast(String what, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(what + ' ' + value + " < " + least);
        }
        return value;
    }

    private static double probability(String what, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(what + ' ' + value + " outside 0..1");
        }
        return value;
    }
}
