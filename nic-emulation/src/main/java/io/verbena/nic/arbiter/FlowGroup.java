package io.verbena.nic.arbiter;

/**
 * Flows that share one entitlement: a tenant. Each engine's arbiter keeps its own state of it, found by {@link #index}.
 *
 * <p>Concurrency: the settings are written by whoever administers groups, one at a time, and read by engines at their
 * next visit; {@link #ledger}, {@link #statistics} and {@link #operations} say whose they are.
 */
public final class FlowGroup {
    private final int index;
    private final GroupLedger ledger;
    private final GroupStatistics statistics;
    private final OperationRate operations = new OperationRate();
    private volatile int weight;
    private volatile long ceiling;
    private volatile long floor;
    private volatile int urgentLimit = Integer.MAX_VALUE;

    /**
     * Creates a group without limits.
     *
     * @param index its number in the NIC, from 0
     * @param weight at least 1
     * @param engines of the NIC
     */
    public FlowGroup(int index, int weight, int engines) {
        this.index = index;
        this.weight = weight;
        this.ledger = new GroupLedger(engines);
        this.statistics = new GroupStatistics(engines);
    }

    /** Its number in the NIC, from 0; free again when it is destroyed. */
    public int index() {
        return index;
    }

    /** Its weight among the groups that have work. */
    public int weight() {
        return weight;
    }

    /** Most bytes a second over all engines, 0 for no such bound. */
    public long ceilingBytesPerSecond() {
        return ceiling;
    }

    /** Bytes a second that it has before others are served, 0 for none. */
    public long floorBytesPerSecond() {
        return floor;
    }

    /** Bytes of the longest message that is served as urgent. */
    public int urgentLimit() {
        return urgentLimit;
    }

    /**
     * Operations a second that it may send over all engines, requests and answers: a bound beside the ceiling, which is
     * the administrator's; the lower one holds. A rate that is set or lifted is to be followed as {@link #weight(int)};
     * another rate is seen by itself, within a millisecond.
     */
    public OperationRate operations() {
        return operations;
    }

    /** Whether it has a ceiling or a rate of operations: what a visit asks first. */
    public boolean isLimited() {
        return ceiling != 0 || operations.perSecond() != 0;
    }

    /** Its account across engines. */
    public GroupLedger ledger() {
        return ledger;
    }

    /** What it has sent. */
    public GroupStatistics statistics() {
        return statistics;
    }

    /** Sets its weight, at least 1. To be followed by {@link Arbiter}'s {@code changed} on each engine. */
    public void weight(int value) {
        weight = value;
    }

    /** Sets ceiling and floor, bytes a second, 0 for none. To be followed as {@link #weight(int)}. */
    public void rates(long ceilingBytesPerSecond, long floorBytesPerSecond) {
        ledger.rates(ceilingBytesPerSecond, floorBytesPerSecond);
        ceiling = ceilingBytesPerSecond;
        floor = floorBytesPerSecond;
    }

    /** Sets the length up to which messages are served as urgent. */
    public void urgentLimit(int bytes) {
        urgentLimit = bytes;
    }
}
