package io.verbena.papers.rdmabox;

import io.verbena.merge.MergeSettings;
import io.verbena.merge.Window;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.sim.HostPoller;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What RDMAbox is compared with, as the paper characterises it (VII): settings of the same code, and none of these
 * libraries itself. What it does not say of one is what does best here: vanilla verbs copy, and poll by events as in
 * the paper's figure 9; UCX and Libfabric look all the time. RDMAbox looks on for 10 us, as the paper's 120 looks take
 * less here than an answer (figure 2); these are there as well.
 */
enum Library {
    RDMABOX("RDMAbox", 4, true, true, Polling.adaptive().retryFor(Duration.ofNanos(10_000))),
    ACCELIO("as Accelio", 4, Polling.eventBatch(128), true),
    VERBS("as verbs", 1, false, false, Polling.event()),
    UCX("as UCX or Libfabric", 1, false, false, Polling.busy()),
    OCTOPUS("as Octopus", 4, false, false, Polling.busy()),
    GLUSTER("as Gluster", 1, Polling.eventBatch(128), false),
    LOOKS("RDMAbox, 120 looks", 4, true, true, Polling.adaptive());

    /** Bytes in flight at most, where there is a window. */
    static final long WINDOW = 7_000_000;

    private static final long REST_NANOS = 100; // after a look in vain by who never sleeps
    private static final int BUFFER = 16 << 20;
    private static final int SEND_DEPTH = 256;

    /** For tables. */
    final String title;
    /** Connections to a peer, each with a thread that takes its completions. */
    final int pairs;

    private final boolean isTwoSided;
    private final boolean merges;
    private final boolean chains;
    private final Polling polling;

    /** One-sided, from and to memory that is registered beforehand. */
    Library(String title, int pairs, boolean merges, boolean chains, Polling polling) {
        this.title = title;
        this.pairs = pairs;
        this.isTwoSided = false;
        this.merges = merges;
        this.chains = chains;
        this.polling = polling;
    }

    /** Two-sided, from and to memory that is registered for each request. */
    Library(String title, int pairs, Polling polling, boolean chains) {
        this.title = title;
        this.pairs = pairs;
        this.isTwoSided = true;
        this.merges = false;
        this.chains = chains;
        this.polling = polling;
    }

    /** Whether it looks for completions all the time. */
    boolean isAwake() {
        return polling.scheme() == Polling.Scheme.BUSY;
    }

    /** Whether RDMAbox is compared with it. */
    boolean isCompared() {
        return this != RDMABOX && this != LOOKS;
    }

    /** Names it in claims. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What it is, for the settings of a figure. */
    String settings() {
        return (isTwoSided ? "two-sided, dynMR" : "one-sided, preMR") + ", "
                + (merges
                        ? "merged and chained, a window of 7 MB"
                        : chains ? "doorbells for several" : "single requests")
                + (pairs == 1 ? ", a queue pair, " : ", " + pairs + " queue pairs, ") + polling;
    }

    /**
     * Connects to a peer, and starts who takes completions.
     *
     * @param longest operation, in bytes
     * @param window bytes in flight at most, where there is a window
     * @param registers whether what registers its memory in the paper does so, or copies, which is cheaper below 928 KB
     */
    List<? extends RemoteAccess> connect(BoxWorld world, int peer, int longest, long window, boolean registers) {
        if (isTwoSided) {
            List<MessagePair> ways = world.messages(peer, pairs, chains, registers, polling);
            ways.forEach(each -> poll(world, each, each.asking()));
            return ways;
        }
        MergeSettings settings =
                new MergeSettings(merges, chains, BUFFER, () -> Window.fixed(merges ? window : Long.MAX_VALUE));
        List<MergingPair> ways = world.merging(peer, pairs, settings, SEND_DEPTH, longest);
        ways.forEach(each -> poll(world, each, each));
        return ways;
    }

    private void poll(BoxWorld world, RemoteAccess way, HostPoller.Taker taker) {
        world.cores.start("poller", BoxWorld.poller(world.cores, way.completions(), polling, REST_NANOS, taker));
    }
}
