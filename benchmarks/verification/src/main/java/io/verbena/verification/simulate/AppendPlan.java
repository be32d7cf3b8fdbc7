package io.verbena.verification.simulate;

import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.Plan;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/** What a seed of {@code simulate append} means: the queue, its senders, the links between them, and which faults. */
final class AppendPlan extends Plan<AppendPlan, AppendPlan.Feature> {
    /** Steps of a walk unless said otherwise. */
    static final int STEPS = 100;

    private static final int MAX_SENDERS = 8;
    private static final int MAX_HOSTS = 4;
    private static final int LARGE_MESSAGES = 16;
    private static final long MICRO = 1_000;
    private static final long PATIENT = 10_000_000 * MICRO;
    private static final long PLAN_PART = 3L << 40;
    private static final long RESERVE_PART = 4L << 40;

    /** A kind of thing that a plan may have, and that a shrunk walk may do without. */
    enum Feature {
        LOSS,
        DUPLICATION,
        REORDERING,
        CORRUPTION,
        CUTS,
        BREAKS,
        PAUSES,
        CRASHES,
        OWNER_CRASHES,
        DIRECT,
        KILLED_DIRECT,
        FROZEN_DIRECT,
        STALLS,
        TIGHT,
        MODIFY,
        DESTROY,
        FLAWS,
        LARGE,
        CONSUMERS,
        HOLDS
    }

    static final Kind<Feature> KIND = new Kind<>("verbena simulate append", STEPS, 4L << 40, Feature.class);

    private static final Set<Feature> HARMLESS = EnumSet.of(
            Feature.DIRECT,
            Feature.STALLS,
            Feature.TIGHT,
            Feature.MODIFY,
            Feature.DESTROY,
            Feature.FLAWS,
            Feature.LARGE,
            Feature.CONSUMERS,
            Feature.HOLDS);

    /** NICs with senders, besides the owner's. */
    final int hosts;

    final int senders;
    /** Consumers of the queue; 1: the queue's own. */
    final int consumers;

    final int chunkLength;
    final int maxMessage;
    final int reserve;
    /** Whether the queue shares its NIC's reserve, in place of one of its own. */
    final boolean sharesReserve;

    final long memoryLimit;
    final long surplusNanos;
    final long holeTimeoutNanos;
    /** Longer than any sender of a walk stands still, or so short that some are given up. */
    final long unfinishedTimeoutNanos;
    /** How long a mapping takes; 0: none of the simulation's time. */
    final long allocationNanos;

    private final double loss;
    private final double duplication;
    private final double reordering;
    private final double corruption;
    private final long rate;
    private final long delay;

    /**
     * What a seed means.
     *
     * @param seed any value
     * @param steps of the walk
     * @param without steps that are left out; the others stay what they are
     * @param off features that are left out
     */
    AppendPlan(long seed, int steps, BitSet without, Set<Feature> off) {
        super(KIND, seed, steps, without, off);
        SimRandom random = SimRandom.forPart(seed, PLAN_PART);
        hosts = 1 + random.nextInt(MAX_HOSTS);
        senders = Math.max(hosts, 1 + random.nextInt(MAX_SENDERS));
        boolean calm = random.nextInt(12) == 0;
        for (Feature f : Feature.values()) {
            boolean wanted = random.chance(f == Feature.DIRECT || f == Feature.STALLS ? 0.6 : 0.4);
            if (wanted && (HARMLESS.contains(f) || !calm)) {
                have(f);
            }
        }
        chunkLength = AppendQueueAttributes.MIN_CHUNK_LENGTH << random.nextInt(2);
        int most = random.nextInt(3);
        maxMessage = has(Feature.LARGE) ? 3 * chunkLength : most == 0 ? 4_000 : most == 1 ? chunkLength / 4 : 40_000;
        reserve = 1 + random.nextInt(3);
        sharesReserve = SimRandom.forPart(seed, RESERVE_PART).chance(0.5);
        int spare = random.nextInt(4);
        memoryLimit = has(Feature.TIGHT) ? least(reserve) + (1L + spare) * chunkLength + maxMessage : 0;
        int patience = 1 + random.nextInt(1_000);
        surplusNanos = patience * MICRO;
        holeTimeoutNanos = (100 + random.nextInt(300)) * MICRO;
        allocationNanos = random.nextInt(2) == 0 ? 0 : random.nextInt(200) * MICRO;
        int several = 2 + random.nextInt(2);
        consumers = has(Feature.CONSUMERS) ? several : 1;
        double strength = 0.2 + random.nextDouble();
        loss = has(Feature.LOSS) ? 0.03 * strength : 0;
        duplication = has(Feature.DUPLICATION) ? 0.08 * strength : 0;
        reordering = has(Feature.REORDERING) ? 0.08 * strength : 0;
        corruption = has(Feature.CORRUPTION) ? 0.02 * strength : 0;
        rate = (10L + random.nextInt(91)) * 1_000_000_000L;
        delay = 200L + random.nextInt(8_000);
        unfinishedTimeoutNanos = random.nextInt(2) == 0 ? PATIENT : (20 + random.nextInt(500)) * MICRO;
    }

    /** Whether a request may be without an answer for as long as its retries last. */
    boolean isSilent() {
        return loss > 0
                || corruption > 0
                || reordering > 0
                || has(Feature.CUTS)
                || has(Feature.BREAKS)
                || has(Feature.PAUSES)
                || has(Feature.CRASHES)
                || has(Feature.OWNER_CRASHES)
                || (has(Feature.DIRECT) && (has(Feature.KILLED_DIRECT) || has(Feature.FROZEN_DIRECT)));
    }

    /** Whether a sender that stands still in the middle of a message may be given up. */
    boolean isImpatient() {
        return unfinishedTimeoutNanos < PATIENT;
    }

    /** The least limit that a queue with so many chunks in reserve takes. */
    long least(int chunks) {
        return (1L + chunks) * chunkLength + 2L * Integer.highestOneBit(Math.max(4096, maxMessage));
    }

    /** Bytes that the queues of the owner's NIC have ready together, 0 if each is to have a reserve. */
    long sharedReserve() {
        return sharesReserve ? (long) reserve * chunkLength : 0;
    }

    /**
     * A number of chunks to give a queue.
     *
     * @param chunks of a queue with a reserve of its own; one that shares gets one for one value only
     */
    int reserveChunks(int chunks) {
        return sharesReserve && chunks != 3 ? -1 : chunks;
    }

    AppendQueueAttributes attributes() {
        return new AppendQueueAttributes()
                .chunkLength(chunkLength)
                .maxMessage(maxMessage)
                .largeMessages(LARGE_MESSAGES)
                .reserveChunks(sharesReserve ? -1 : reserve)
                .memoryLimit(memoryLimit)
                .surplusNanos(surplusNanos)
                .holeTimeoutNanos(holeTimeoutNanos)
                .unfinishedTimeoutNanos(unfinishedTimeoutNanos);
    }

    LinkProfile profile() {
        LinkProfile p = new LinkProfile()
                .rate(rate)
                .delay(delay)
                .loss(loss)
                .duplication(duplication)
                .corruption(corruption)
                .direct(has(Feature.DIRECT));
        if (reordering > 0) {
            p.reordering(reordering, 20_000);
        }
        return p;
    }

    @Override
    protected AppendPlan with(int fewer, BitSet leftOut, Set<Feature> less) {
        return new AppendPlan(seed(), fewer, leftOut, less);
    }

    @Override
    public String toString() {
        return senders + " senders on " + hosts + " NICs, chunks of " + chunkLength
                + (sharesReserve ? ", shared reserve " : ", reserve ") + reserve + ", limit " + memoryLimit + ", "
                + stepsLeft() + " steps, " + features();
    }
}
