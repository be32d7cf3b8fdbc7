package io.verbena.rate;

/**
 * The pace of a {@link PriceExchange}, in nanoseconds of the node's clock.
 *
 * @param round between two steps of what a node sends, and the longest pause between two messages to a peer
 * @param patience for the last peer to answer before a step is made with what it said before
 * @param lease for which a grant holds, from when the report that it answers was sent; a peer that is silent for so
 *     long leaves the problem
 */
public record ExchangeTimes(long round, long patience, long lease) {
    private static final int ROUNDS_OF_PATIENCE = 4;
    private static final int ROUNDS_OF_LEASE = 40;

    /**
     * Checks the order.
     *
     * @throws IllegalArgumentException unless {@code 0 < round <= patience < lease}
     */
    public ExchangeTimes {
        if (!(round > 0 && round <= patience && patience < lease)) {
            throw new IllegalArgumentException("round " + round + ", patience " + patience + ", lease " + lease
                    + " are not above 0 and in this order");
        }
    }

    /** The usual proportions for a round: waits of 4 rounds, leases of 40. */
    public static ExchangeTimes of(long roundNanos) {
        return new ExchangeTimes(roundNanos, ROUNDS_OF_PATIENCE * roundNanos, ROUNDS_OF_LEASE * roundNanos);
    }
}
