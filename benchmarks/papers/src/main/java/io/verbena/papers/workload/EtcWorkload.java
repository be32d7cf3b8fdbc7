package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/**
 * The traffic of one source: sizes, gaps and operations, each a sequence of its own under one seed, so that who draws
 * no gaps gets the same sizes as who does.
 *
 * <pre>{@code
 *   EtcWorkload etc = new EtcWorkload(EtcVariant.ETC, 7).load(100_000).injectEvery(1 << 20, 100_000);
 *   due += etc.gapNanos();
 *   send(etc.messageBytes());
 * }</pre>
 *
 * <p>Not thread-safe: one for each source.
 */
public final class EtcWorkload {
    /** GETs for each SET in the ETC pool. */
    public static final int GETS_PER_SET = 30;

    private static final EtcKeySizes KEYS = new EtcKeySizes();
    private static final SizeDistribution PAIRS = new EtcPairSizes();
    private static final SizeDistribution VALUES = new EtcValueSizes();
    private static final SizeDistribution RIMA_VALUES = new EtcValueSizes(EtcVariant.RIMA_TAIL_SHARE);

    private final SimRandom keys;
    private final SimRandom values;
    private final SimRandom messages;
    private final SimRandom gaps;
    private final SimRandom operations;
    private final SizeDistribution valueSizes;
    private SizeDistribution messageSizes;
    private EtcGaps gapLengths = new EtcGaps();
    private int getsPerSet = GETS_PER_SET;
    private int injectedSize;
    private long injectEvery;
    private long drawn;

    /**
     * Traffic as published: 52,700 messages a second, 30 GETs for each SET, nothing injected.
     *
     * @param variant what is a message
     * @param seed any value
     */
    public EtcWorkload(EtcVariant variant, long seed) {
        keys = SimRandom.forPart(seed, 1);
        values = SimRandom.forPart(seed, 2);
        messages = SimRandom.forPart(seed, 3);
        gaps = SimRandom.forPart(seed, 4);
        operations = SimRandom.forPart(seed, 5);
        valueSizes = variant == EtcVariant.ETC ? VALUES : RIMA_VALUES;
        messageSizes = messages(variant);
    }

    /** How long a variant's messages are. */
    public static SizeDistribution messages(EtcVariant variant) {
        return variant == EtcVariant.ETC ? PAIRS : RIMA_VALUES;
    }

    // ---- settings ------------------------------------------------------------------------------------------------

    /**
     * Sets the mean rate; the gaps keep their form.
     *
     * @param messagesPerSecond above 0
     * @return this
     */
    public EtcWorkload load(double messagesPerSecond) {
        gapLengths = EtcGaps.ofRate(messagesPerSecond);
        return this;
    }

    /**
     * Sets how long messages are: the variant's, scaled or truncated.
     *
     * @return this
     */
    public EtcWorkload sizes(SizeDistribution distribution) {
        messageSizes = distribution;
        return this;
    }

    /**
     * Makes every so many-th message one of a given size: the rare maximum, which would otherwise come too seldom.
     *
     * @param size in bytes, at least 0
     * @param every messages from one to the next, at least 1
     * @return this
     */
    public EtcWorkload injectEvery(int size, long every) {
        if (size < 0) {
            throw new IllegalArgumentException("size " + size + " < minimum 0");
        }
        if (every < 1) {
            throw new IllegalArgumentException("every " + every + " < minimum 1");
        }
        injectedSize = size;
        injectEvery = every;
        return this;
    }

    /**
     * Sets the mix of operations.
     *
     * @param gets for each SET, at least 0
     * @return this
     */
    public EtcWorkload getsPerSet(int gets) {
        if (gets < 0) {
            throw new IllegalArgumentException("GETs per SET " + gets + " < minimum 0");
        }
        getsPerSet = gets;
        return this;
    }

    // ---- draws ---------------------------------------------------------------------------------------------------

    /** The next key's length, 1 to {@value EtcKeySizes#MAX}. */
    public int keyBytes() {
        return KEYS.next(keys);
    }

    /** The next value's length, 0 to {@value EtcValueSizes#MAX}. */
    public int valueBytes() {
        return valueSizes.next(values);
    }

    /** The next message's length: a key and a value together, or whatever the variant and the sizes say. */
    public int messageBytes() {
        drawn++;
        return injectEvery > 0 && drawn % injectEvery == 0 ? injectedSize : messageSizes.next(messages);
    }

    /** Nanoseconds from a message to the next, at least 0. */
    public long gapNanos() {
        return gapLengths.next(gaps);
    }

    /** Whether the next operation is a GET. */
    public boolean isGet() {
        return operations.nextInt(getsPerSet + 1) > 0;
    }
}
