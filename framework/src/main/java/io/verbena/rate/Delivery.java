package io.verbena.rate;

/** Whether a message between two hosts arrives, in the round for which it was sent. */
@FunctionalInterface
public interface Delivery {
    /** Of a host's rates, to the peers that answer them. */
    int REPORT = 0;

    /** Of prices, to the hosts that asked. */
    int PRICE = 1;

    /** Nothing is lost. */
    Delivery ALL = (round, from, to, kind) -> true;

    /**
     * Whether a message arrives.
     *
     * @param round from 0 on
     * @param from host that sends
     * @param to host that receives
     * @param kind {@link #REPORT} or {@link #PRICE}
     */
    boolean arrives(int round, int from, int to, int kind);

    /**
     * Loses each message with a probability, as a function of the seed and of what is asked, in any order.
     *
     * @param seed of all chance
     * @param probability 0 to 1
     */
    static Delivery lossy(long seed, double probability) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("probability " + probability + " is not from 0 to 1");
        }
        return (round, from, to, kind) -> {
            long hash = mixed(mixed(seed + 2L * round + kind) + ((long) from << 32 | to));
            return (hash >>> 11) * 0x1p-53 >= probability;
        };
    }

    /** The finalizer of SplitMix64 (Steele et al.). */
    private static long mixed(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
