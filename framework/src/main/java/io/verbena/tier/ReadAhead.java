package io.verbena.tier;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Recognises who reads in order, by faults that follow each other in a thread, and loads ahead of that thread: at first
 * two pages, then twice as many each time up to a block. The first use of a page in the second half of what was read
 * ahead begins the next window, so that a reader which is slow enough does not wait. The pages of a window are posted
 * one after another, so that they merge.
 *
 * <p>Thread-safe. Threads that share an entry disturb each other's windows, and nothing else.
 */
final class ReadAhead {
    private static final int STREAMS = 64;
    private static final int WINDOW_BITS = 8;
    private static final int FRAMES_PART = 8;

    private final Space space;
    private final Pager pager;
    private final int longest; // a power of two
    private final byte[] advice; // of blocks
    private final AtomicLongArray streams = new AtomicLongArray(STREAMS); // next page, and log2 of the window

    ReadAhead(Space space, Pager pager) {
        this.space = space;
        this.pager = pager;
        Geometry geometry = space.geometry();
        int most = Math.min(geometry.pagesPerBlock, space.frames().count() / FRAMES_PART);
        this.longest = Integer.highestOneBit(Math.max(1, most));
        this.advice = new byte[geometry.blocks];
        for (int i = 0; i < STREAMS; i++) {
            streams.set(i, -1); // no page
        }
    }

    /** Notes how the blocks of a range are read; both are block numbers, the second one exclusive. */
    void advise(int from, int to, Advice how) {
        Arrays.fill(advice, from, to, (byte) how.ordinal());
    }

    private boolean is(Advice how, long page) {
        return advice[space.geometry().block(page)] == how.ordinal();
    }

    /** A page was not there; its own load has been posted. */
    void onFault(long page) {
        if (is(Advice.RANDOM, page)) {
            return;
        }
        int stream = stream();
        long known = streams.get(stream);
        boolean follows = known >>> WINDOW_BITS == page && known >= 0;
        if (is(Advice.SEQUENTIAL, page)) {
            load(stream, page + 1, longest);
        } else if (follows) {
            load(stream, page + 1, Math.min(longest, 2 << (int) (known & ((1 << WINDOW_BITS) - 1))));
        } else {
            streams.set(stream, (page + 1) << WINDOW_BITS);
        }
    }

    /** A page that was read ahead is used for the first time. */
    void onFirstUse(long page) {
        space.counters().readAheadUsed.increment();
        int stream = stream();
        long known = streams.get(stream);
        long next = known >>> WINDOW_BITS;
        int window = 1 << (int) (known & ((1 << WINDOW_BITS) - 1));
        if (known >= 0 && page < next && page >= next - Math.max(1, window / 2)) {
            load(stream, next, Math.min(longest, 2 * window));
        }
    }

    private static int stream() {
        return (int) (Thread.currentThread().getId() & (STREAMS - 1));
    }

    private void load(int stream, long from, int count) {
        Geometry geometry = space.geometry();
        long to = Math.min(from + count, geometry.pages);
        streams.set(stream, to << WINDOW_BITS | Integer.numberOfTrailingZeros(count));
        load(from, to);
    }

    /** Loads pages that nobody waits for, as far as that goes at once. */
    void load(long from, long to) {
        Geometry geometry = space.geometry();
        boolean goesOn = true;
        for (long page = from; page < to && goesOn; ) {
            int number = geometry.block(page);
            long next = Math.min(to, geometry.page(number + 1, 0));
            Block block = space.find(number);
            int first = geometry.inBlock(page);
            goesOn = block == null || pager.loadAhead(block, first, first + (int) (next - page));
            page = next;
        }
    }
}
