package io.verbena.bench.check.nodes;

import io.verbena.InboxOptions;
import io.verbena.MuxOptions;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.RateOptions;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.Plan;
import java.time.Duration;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/** What a seed of {@code simulate nodes} means: how many nodes, how they reach each other, and what they do. */
final class NodePlan extends Plan<NodePlan, NodePlan.Feature> {
    /** Steps of a walk unless said otherwise. */
    static final int STEPS = 80;

    private static final int MAX_NODES = 4;
    private static final int CHUNK = 64 << 10;
    private static final int MAX_LARGE = 3 * CHUNK;
    private static final double RETIREMENT_CHANCE = 0.02;
    private static final double RATES_CHANCE = 0.3;
    private static final int MIN_RATE = 20_000;
    private static final long PLAN_PART = 5L << 40;
    private static final long RATES_PART = 19L << 40;

    /** A kind of thing that a plan may have, and that a shrunk walk may do without. */
    enum Feature {
        /** Nodes have threads of their own, and time is real; else the walk drives them, in a time that it makes. */
        THREADS,
        CALLS,
        REGIONS,
        CLOSES,
        /** Inboxes, responders and regions are closed and opened anew. */
        OPENINGS,
        RECONNECTS,
        RESTARTS,
        /** Nodes close without lingering. */
        ABRUPT,
        /** Nodes are not driven for a while. */
        STALLS,
        /** Handlers leave messages for later. */
        LAZY,
        HOLDS,
        ANSWERS,
        LARGE,
        TIGHT,
        /** Channels to the same node share queue pairs. */
        SHARING,
        /** Waits for queue pairs to go, which takes more than a second. */
        RETIREMENT,
        /** Nodes have rates, of what they send and of what they deliver. */
        RATES
    }

    static final Kind<Feature> KIND = new Kind<>("verbena simulate nodes", STEPS, 6L << 40, Feature.class);

    /** How nodes reach each other. */
    enum Way {
        LOCAL,
        SHM,
        UDS,
        TCP
    }

    private final boolean real;
    final int nodes;
    final Way way;
    final int maxMessage;
    private final boolean assisted;
    private final int sendDepth;
    private final int stagingLength;
    private final int maxInline;
    private final int ringLength;
    private final int pathMtu;
    private final int reserve;
    private final int spare;
    private final MuxOptions mux;
    private final RateOptions rates;

    /**
     * What a seed means.
     *
     * @param seed any value
     * @param steps of the walk
     * @param without steps that are left out; the others stay what they are
     * @param off features that are left out
     * @param real whether nodes have threads of their own
     */
    NodePlan(long seed, int steps, BitSet without, Set<Feature> off, boolean real) {
        super(KIND, seed, steps, without, off);
        this.real = real;
        SimRandom random = SimRandom.forPart(seed, PLAN_PART);
        nodes = 2 + random.nextInt(MAX_NODES - 1);
        for (Feature f : EnumSet.complementOf(EnumSet.of(Feature.RATES))) {
            boolean drawn = random.chance(chance(f));
            if (drawn || (f == Feature.THREADS && real)) {
                have(f);
            }
        }
        int which = random.nextInt(Way.values().length);
        Way possible =
                has(Feature.THREADS) ? Way.values()[which] : Way.LOCAL; // sockets need whoever waits at the other end
        way = possible == Way.TCP && has(Feature.RESTARTS) ? Way.UDS : possible; // a port may not be free again at once
        assisted = random.nextInt(3) != 0;
        sendDepth = 2 << random.nextInt(6);
        stagingLength = 4096 << random.nextInt(7);
        maxInline = random.nextInt(3) == 0 ? 0 : 192;
        ringLength = (16 << 10) << random.nextInt(4);
        pathMtu = 1024 << random.nextInt(5);
        reserve = 1 + random.nextInt(2);
        spare = random.nextInt(3);
        mux = new MuxOptions()
                .after(random.nextInt(3))
                .queuePairs(1 + random.nextInt(2))
                .depth(2 << random.nextInt(4));
        int most = random.nextInt(3);
        SimRandom ofRates =
                SimRandom.forPart(seed, RATES_PART); // what seeds meant before there were rates they mean still
        if (ofRates.chance(RATES_CHANCE)) {
            have(Feature.RATES);
        }
        rates = new RateOptions()
                .epoch(Duration.ofMillis(1 + ofRates.nextInt(10)))
                .requests(MIN_RATE << ofRates.nextInt(8));
        if (ofRates.nextInt(2) == 0) {
            rates.completions(MIN_RATE << ofRates.nextInt(8));
        }
        maxMessage = has(Feature.LARGE) ? MAX_LARGE : most == 0 ? 4_000 : most == 1 ? CHUNK / 4 : 40_000;
    }

    private static double chance(Feature feature) {
        switch (feature) {
            case THREADS:
                return 0; // as the command says
            case RETIREMENT:
                return RETIREMENT_CHANCE;
            case CALLS:
            case REGIONS:
            case CLOSES:
            case ANSWERS:
                return 0.7;
            default:
                return 0.4;
        }
    }

    /** Bytes of a chunk of an inbox. */
    int chunk() {
        return CHUNK;
    }

    /** Whether nodes close without lingering. */
    boolean isAbrupt() {
        return has(Feature.ABRUPT);
    }

    @Override
    protected String options() {
        return real ? " --real" : "";
    }

    NodeContext context(String name, WalkTime time) {
        NodeContext context = new NodeContext()
                .runtime(time.runtime())
                .callbackBound(time.isVirtual() ? Duration.ZERO : Duration.ofMillis(100))
                .name(name)
                .mode(!has(Feature.THREADS) ? NodeMode.INVOKER : assisted ? NodeMode.ASSISTED : NodeMode.THREAD)
                .sharedMemory(way == Way.SHM)
                .maxConnections(256)
                .maxInboxes(32)
                .maxRegions(256)
                .chunksPerInbox(8)
                .sendDepth(sendDepth)
                .stagingLength(stagingLength)
                .maxInline(maxInline)
                .ringLength(ringLength)
                .pathMtu(pathMtu)
                .linger(isAbrupt() ? Duration.ZERO : NodeWalk.PATIENCE)
                .closeOnShutdown(false);
        context.shareConnections(has(Feature.SHARING) ? mux : new MuxOptions().after(Integer.MAX_VALUE));
        return has(Feature.RATES) ? context.rates(rates) : context;
    }

    InboxOptions inbox() {
        InboxOptions options = new InboxOptions()
                .chunkLength(CHUNK)
                .reserveChunks(reserve)
                .maxMessage(maxMessage)
                .maxHeld(8)
                .surplus(Duration.ofMillis(2));
        if (has(Feature.TIGHT)) {
            long least = (1L + reserve) * CHUNK + 2L * Integer.highestOneBit(Math.max(4096, maxMessage));
            options.memoryLimit(least + (1L + spare) * CHUNK + maxMessage);
        }
        return options;
    }

    @Override
    protected NodePlan with(int fewer, BitSet leftOut, Set<Feature> less) {
        return new NodePlan(seed(), fewer, leftOut, less, real);
    }

    @Override
    public String toString() {
        return nodes + " nodes by " + way + ", messages up to " + maxMessage + ", " + stepsLeft() + " steps, "
                + features();
    }
}
