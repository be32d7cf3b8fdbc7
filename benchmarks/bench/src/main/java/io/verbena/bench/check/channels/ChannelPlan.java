package io.verbena.bench.check.channels;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.Plan;
import java.util.BitSet;
import java.util.Set;

/** What a seed of {@code simulate channels} means: how many channels, what they share, and what befalls them. */
final class ChannelPlan extends Plan<ChannelPlan, ChannelPlan.Feature> {
    /** Steps of a walk unless said otherwise. */
    static final int STEPS = 60;

    /** Most bytes of a message. */
    static final int MAX_MESSAGE = 300_000;

    /** Channels of the largest walks. */
    static final int THOUSAND = 1_000;

    private static final long PLAN_PART = 23L << 40;
    private static final int SMALL = 512 << 10;

    /** A kind of thing that a plan may have, and that a shrunk walk may do without. */
    enum Feature {
        LOSS,
        DUPLICATION,
        REORDERING,
        /** Links break, and come up again. */
        BREAKS,
        /** Links lose everything for a while. */
        CUTS,
        /** The receiver's memory is mapped by the sender. */
        DIRECT,
        /** Messages of many segments. */
        LONG,
        /** Channels close in the midst. */
        CLOSES,
        WRONG_KEYS,
        TOO_LONG,
        CLOSED_INBOXES,
        /** Nobody reads an inbox for a while. */
        STUCK_INBOXES,
        /** The receiver has little room for what comes by a queue pair. */
        TIGHT_QUOTA,
        /** Nodes stand still for a while. */
        PAUSES,
        /** Each turn of a node takes a while, in which answers come before the next is sent. */
        SLOW_TURNS,
        /** A queue pair may send little at a time. */
        SMALL_TURNS,
        CRASHES
    }

    static final Kind<Feature> KIND = new Kind<>("verbena simulate channels", STEPS, 24L << 40, Feature.class);

    final int channels;
    final int inboxes;
    final int queuePairs;
    final int segment;
    final int depth;
    final int pathMtu;
    private final int memory;
    private final int quota;
    private final long rate;
    private final int percent;
    private final int delay;
    private final int window;
    private final int turnNanos;
    private final int turnBytes;

    /**
     * What a seed means.
     *
     * @param seed any value
     * @param steps of the walk
     * @param without steps that are left out; the others stay what they are
     * @param off features that are left out
     */
    ChannelPlan(long seed, int steps, BitSet without, Set<Feature> off) {
        super(KIND, seed, steps, without, off);
        SimRandom random = SimRandom.forPart(seed, PLAN_PART);
        for (Feature f : Feature.values()) {
            if (random.chance(f == Feature.CRASHES ? 0.2 : f == Feature.LONG ? 0.8 : 0.5)) {
                have(f);
            }
        }
        channels = channels(random);
        inboxes = 1 + random.nextInt(5);
        queuePairs = channels < 8 || random.nextInt(2) == 0 ? 1 : 1 + random.nextInt(3);
        segment = 1024 << random.nextInt(6);
        depth = 2 << random.nextInt(5);
        pathMtu = 1024 << random.nextInt(4);
        memory = SMALL << random.nextInt(4);
        quota = MAX_MESSAGE + 100 + random.nextInt(50_000);
        rate = random.nextInt(3) == 0 ? 1_000_000_000L : 10_000_000_000L;
        percent = 1 + random.nextInt(3);
        delay = 1 + random.nextInt(20_000);
        window = (8 << 10) << random.nextInt(5);
        turnNanos = 1 + random.nextInt(20_000);
        turnBytes = 1024 << random.nextInt(5);
    }

    private static int channels(SimRandom random) {
        int kind = random.nextInt(100);
        return kind < 60
                ? 2 + random.nextInt(11)
                : kind < 90 ? 12 + random.nextInt(60) : kind < 98 ? 72 + random.nextInt(250) : THOUSAND;
    }

    /** The link's, each way. */
    LinkProfile profile() {
        LinkProfile profile =
                new LinkProfile().rate(rate).delay(delay).window(window).direct(has(Feature.DIRECT));
        if (has(Feature.LOSS)) {
            profile.loss(0.005 * percent);
        }
        if (has(Feature.DUPLICATION)) {
            profile.duplication(0.02 * percent);
        }
        if (has(Feature.REORDERING)) {
            profile.reordering(0.02 * percent, 20_000);
        }
        return profile;
    }

    /** Nanoseconds that a turn of a node takes. */
    long turnNanos() {
        return has(Feature.SLOW_TURNS) ? turnNanos : 0;
    }

    /** What both nodes have room for, and how much they send at a time. */
    SimNode.Options node() {
        SimNode.Options options = new SimNode.Options().appendQueues(64);
        return has(Feature.SMALL_TURNS)
                ? options.arbiter(
                        ArbiterSettings.defaults().withAloneBudget(turnBytes).withMinChunk(turnBytes))
                : options;
    }

    /** Bytes of an inbox. */
    int memory() {
        return memory;
    }

    /** Bytes that the receiver keeps of what comes by one queue pair. */
    int quota() {
        return has(Feature.TIGHT_QUOTA) ? quota : 256 << 20;
    }

    @Override
    protected ChannelPlan with(int fewer, BitSet leftOut, Set<Feature> less) {
        return new ChannelPlan(seed(), fewer, leftOut, less);
    }

    @Override
    public String toString() {
        return channels + " channels to " + inboxes + " inboxes by " + queuePairs + " queue pairs, segments of "
                + segment + ", " + stepsLeft() + " steps, " + features();
    }
}
