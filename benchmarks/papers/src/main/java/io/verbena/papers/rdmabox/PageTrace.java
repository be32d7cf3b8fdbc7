package io.verbena.papers.rdmabox;

import java.util.SplittableRandom;

/** The pages that an application uses, one after the other, endlessly. For one thread. */
interface PageTrace {
    /** The page that is used next. */
    int next();

    /** Whether it is written, too. */
    boolean isWritten();

    /** Nanoseconds that the application computes with each page. */
    long computeNanos();

    /** Sweeps over all pages, of which the thread has a part: what each pass of a training over its samples does. */
    static PageTrace sweep(int first, int pages, long computeNanos) {
        return new PageTrace() {
            private int at = -1;

            @Override
            public int next() {
                at = (at + 1) % pages;
                return first + at;
            }

            @Override
            public boolean isWritten() {
                return false;
            }

            @Override
            public long computeNanos() {
                return computeNanos;
            }
        };
    }

    /** Goes from page to page at random, some steps within a neighbourhood and some anywhere: a walk over a graph. */
    static PageTrace walk(int pages, double jumps, int reach, double writes, long computeNanos, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new PageTrace() {
            private int at = random.nextInt(pages);

            @Override
            public int next() {
                at = random.nextDouble() < jumps
                        ? random.nextInt(pages)
                        : Math.floorMod(at + random.nextInt(-reach, reach + 1), pages);
                return at;
            }

            @Override
            public boolean isWritten() {
                return random.nextDouble() < writes;
            }

            @Override
            public long computeNanos() {
                return computeNanos;
            }
        };
    }

    /** Uses records by Zipf's law, as YCSB draws them: popular ones lie anywhere. */
    static PageTrace records(PageChoice choice, double writes, long computeNanos, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new PageTrace() {
            @Override
            public int next() {
                return choice.next(random) / PagingThread.CLUSTER;
            }

            @Override
            public boolean isWritten() {
                return random.nextDouble() < writes;
            }

            @Override
            public long computeNanos() {
                return computeNanos;
            }
        };
    }
}
