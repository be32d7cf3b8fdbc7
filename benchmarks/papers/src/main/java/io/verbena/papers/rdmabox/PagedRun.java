package io.verbena.papers.rdmabox;

import io.verbena.nic.sim.Replacement;
import io.verbena.papers.figures.PaperFigure.Size;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An application of several threads whose memory is paged to a peer, by RDMAbox or by what it is compared with. */
final class PagedRun {
    /** Pages of the application's. */
    static final int PAGES = 2048;

    /** Threads of the application's, each on a core of its own. */
    static final int THREADS = 8;

    private static final int FULL_USES = 1_000;
    private static final int QUICK_USES = 150;
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);

    private PagedRun() {}

    /** What a thread does, by its number. */
    @FunctionalInterface
    interface Traces {
        /** The pages that it uses. */
        PageTrace of(int thread);
    }

    /**
     * Runs one to its end.
     *
     * @param resident part of the pages that has frames
     * @return its milliseconds
     */
    static double millis(Library library, Traces traces, double resident, long seed, Size size) {
        BoxWorld world = new BoxWorld(
                seed,
                BoxWorld.card(BoxWorld.WQES, Replacement.LRU),
                THREADS + library.pairs,
                1,
                PAGES * PagedApplication.PAGE);
        List<? extends RemoteAccess> ways = library.connect(world, 0, PagedApplication.PAGE, Library.WINDOW, false);
        ResidentSet frames = new ResidentSet(PAGES, (int) (PAGES * resident));
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < THREADS; i++) {
            int uses = size == Size.FULL ? FULL_USES : QUICK_USES;
            world.cores.start(
                    "application " + i, new PagedApplication(ways, traces.of(i), frames, uses, ended::incrementAndGet));
        }
        world.simulation.runUntil(() -> ended.get() == THREADS, LONGEST);
        return world.now() / 1e6;
    }
}
