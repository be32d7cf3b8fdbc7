package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * What an {@link Arbiter} schedules: one queue pair's traffic. Belongs to a {@link FlowGroup}.
 *
 * <p>Used under the engine's baton, but for {@link #weight}, {@link #trafficClass}, {@link #rateLimit} and {@link
 * #statistics}, which any thread may read.
 */
public abstract class Flow extends Share {
    /** Least and default weight. */
    public static final int MIN_WEIGHT = 1;

    private static final long BYTES_PER_UNIT = 1L << 8;

    final FlowGroup group;
    final FlowStatistics statistics = new FlowStatistics();

    int budget;
    boolean urgent; // how it is scheduled now
    long bytesAUnit = BYTES_PER_UNIT; // on the average, where units are not bytes; 8 bits of fraction
    long unmeasured; // bytes sent since
    boolean onePacket; // what the visit granted may hold
    boolean answered; // a packet of a request has to ask for an answer
    long waitsSince; // when it became active, if its delay is to be recorded; else 0

    @Nullable
    OutputQueue output;

    @Nullable
    FlowQueue queue; // its group's flows along its output

    private @Nullable Share place; // in a discipline of another kind

    private volatile int configuredWeight = MIN_WEIGHT;
    private volatile TrafficClass trafficClass = TrafficClass.BULK;
    private volatile RateLimit rateLimit = RateLimit.NONE;

    @Nullable
    FlowLimit limit; // its tokens; null while it is unlimited

    /**
     * Creates a flow without work, of weight 1 and class BULK.
     *
     * @param group whose share it takes part in
     */
    protected Flow(FlowGroup group) {
        this.group = group;
    }

    /** The group whose share it takes part in. */
    public final FlowGroup group() {
        return group;
    }

    /** Its weight among the flows of its group. */
    public final int weight() {
        return configuredWeight;
    }

    /** How soon it is served. */
    public final TrafficClass trafficClass() {
        return trafficClass;
    }

    /**
     * Sets weight and class. Before the flow is attached, or followed by {@link Arbiter#changed(Flow, int, int,
     * TrafficClass)}.
     *
     * @param newWeight at least 1
     */
    public final void configure(int newWeight, TrafficClass newClass) {
        if (newWeight < MIN_WEIGHT) {
            throw new IllegalArgumentException("weight " + newWeight + " < minimum " + MIN_WEIGHT);
        }
        configuredWeight = newWeight;
        trafficClass = newClass;
    }

    /** How fast it may send at most. */
    public final RateLimit rateLimit() {
        return rateLimit;
    }

    /** Sets how fast it may send at most; as {@link #configure(int, TrafficClass)}. */
    public final void configure(RateLimit newLimit) {
        rateLimit = newLimit;
    }

    @Override
    final void begin(long turn) {
        super.begin(turn);
        statistics.chunk();
        queue().entry.statistics.chunk();
    }

    final FlowQueue queue() {
        FlowQueue current = queue;
        if (current == null) {
            throw new IllegalStateException("the flow is not attached");
        }
        return current;
    }

    /** What it has sent and waited for. */
    public final FlowStatistics statistics() {
        return statistics;
    }

    /** The output that it was attached to, or null. */
    public final @Nullable OutputQueue output() {
        return output;
    }

    /** Bytes it may send in the visit that {@link Arbiter#next} granted. */
    public final int budget() {
        return budget;
    }

    /**
     * Whether it is served as urgent: it may use the window that links leave to urgent packets, which bulk keeps out
     * of.
     */
    public final boolean isUrgent() {
        return urgent;
    }

    /**
     * Whether the visit that {@link Arbiter#next} granted ends with its first packet, or operation on mapped memory.
     */
    public final boolean sendsOnePacket() {
        return onePacket;
    }

    /**
     * Whether the packet of a request that is sent now is to ask for an answer, also if it does not end a message; says
     * so once.
     */
    public final boolean takeWantsAnswer() {
        boolean wants = answered;
        answered = false;
        return wants;
    }

    /** Whether it waits for what its group's ceiling or its own rate lets it send next; any thread, a hint. */
    protected final boolean isAtCeiling() {
        FlowQueue current = queue;
        return parked || (current != null && current.entry.parked);
    }

    /** Whether it stands in the schedule now, or waits for its rate. */
    public final boolean isScheduled() {
        Share other = place;
        return list != null || (other != null && other.list != null);
    }

    /**
     * What a discipline may charge for a visit that sent this many bytes: these, or, where messages are cut to what a
     * visit grants, their payload.
     */
    public int paid(int sent) {
        return sent;
    }

    // ---- for disciplines of other packages -----------------------------------------------------------------------

    /** What the discipline that it is attached to keeps of it, or null. */
    public final @Nullable Share place() {
        return place;
    }

    /** Sets what the discipline keeps of it. */
    public final void place(@Nullable Share where) {
        place = where;
    }

    /** Sets the output that it is attached to, or null. */
    public final void output(@Nullable OutputQueue along) {
        output = along;
    }

    /** Sets what it may send in the visit that begins: bytes, at least 1. */
    public final void grant(int bytes) {
        budget = bytes;
    }

    /** Sets that it may send one packet in the visit that begins, of at most this many bytes. */
    public final void grantPacket(int bytes) {
        budget = bytes;
        onePacket = true;
    }

    /** Sets whether the packet that it sends now is to ask for an answer. */
    public final void askForAnswer(boolean asks) {
        answered = asks;
    }

    /** Whether that is still to be done. */
    public final boolean hasToAsk() {
        return answered;
    }
}
