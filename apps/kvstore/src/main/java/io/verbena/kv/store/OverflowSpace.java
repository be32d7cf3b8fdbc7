package io.verbena.kv.store;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.LongConsumer;

/**
 * Divides a range of {@link OverflowMemory} into slots. A slot of up to a page lies within one page, whose slots are
 * all of one length, so that a string costs one page to read; a longer one has whole pages in a row. The slot that was
 * freed last is given first: its page was just read, and is likely to be in a frame still.
 *
 * <pre>
 *   page   ┌────┬────┬────┬────┐        free slots: a bit each
 *          │ 0  │ 1  │ 2  │ 3  │        pages with free slots: a list for each number of slots, the last used first
 *          └────┴────┴────┴────┘
 * </pre>
 *
 * <p>Takes 17 bytes of heap for each page that was ever used, 4.25 MiB for 1 GiB. Single-threaded, as the shard that
 * owns it.
 */
final class OverflowSpace {
    /** Bytes of a page. */
    static final int PAGE = 4096;

    /** No room. */
    static final long NONE = -1;

    /** Slots of a page, by class; the last classes are of one slot and of several pages. */
    private static final int[] SLOTS = {64, 48, 40, 32, 28, 24, 20, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1};

    private static final int ALIGNMENT = 8;
    private static final int NIL = -1;

    private final long base;
    private final int pages;
    private final LongConsumer discard;
    private final BitSet used = new BitSet();
    private final BitSet retired = new BitSet(); // used pages of which no slot is given any more
    private final int[] heads = new int[SLOTS.length]; // the first page with a free slot
    private byte[] classes = new byte[0];
    private long[] free = new long[0]; // a bit for each free slot
    private int[] next = new int[0];
    private int[] previous = new int[0];
    private int usedPages;

    /**
     * Divides a range.
     *
     * @param base offset of its first byte, a multiple of {@link #PAGE}
     * @param length in bytes
     * @param discard takes the offset of a retired page when all of it is free
     */
    OverflowSpace(long base, long length, LongConsumer discard) {
        this.base = base;
        this.discard = discard;
        this.pages = (int) Math.min(Integer.MAX_VALUE - ALIGNMENT, length / PAGE);
        Arrays.fill(heads, NIL);
    }

    /** Bytes of all pages. */
    long capacity() {
        return (long) pages * PAGE;
    }

    private static int slotLength(int sizeClass) {
        return PAGE / SLOTS[sizeClass] & -ALIGNMENT;
    }

    private static int classOf(int length) {
        int found = 0;
        while (slotLength(found) < length) {
            found++;
        }
        return found;
    }

    /** Takes a slot. @return its offset, or {@link #NONE} */
    long take(int length) {
        if (length > PAGE) {
            int page = takePages(pages(length));
            return page == NIL ? NONE : base + (long) page * PAGE;
        }
        int sizeClass = classOf(length);
        int page = heads[sizeClass];
        if (page == NIL) {
            page = takePages(1);
            if (page == NIL) {
                return NONE;
            }
            classes[page] = (byte) sizeClass;
            free[page] = all(sizeClass);
            link(page);
        }
        int slot = Long.numberOfTrailingZeros(free[page]);
        free[page] &= free[page] - 1;
        if (free[page] == 0) {
            unlink(page);
        }
        return base + (long) page * PAGE + (long) slot * slotLength(sizeClass);
    }

    private static int pages(int length) {
        return (length + PAGE - 1) / PAGE;
    }

    private int page(long offset) {
        return (int) ((offset - base) / PAGE);
    }

    private boolean isListed(int page) {
        return free[page] != 0 && !retired.get(page);
    }

    /** Gives a slot back that cannot be used. Its pages are discarded when all their slots are free, and used again. */
    void retire(long offset, int length) {
        int page = page(offset);
        if (length <= PAGE && isListed(page)) {
            unlink(page);
        }
        retired.set(page, page + pages(length));
        give(offset, length);
    }

    /** Gives a slot back. */
    void give(long offset, int length) {
        int page = page(offset);
        if (length > PAGE) {
            givePages(page, pages(length));
            return;
        }
        int sizeClass = classes[page];
        if (isListed(page)) {
            unlink(page);
        }
        free[page] |= 1L << ((offset - base) % PAGE / slotLength(sizeClass));
        if (free[page] == all(sizeClass)) {
            givePages(page, 1);
        } else if (!retired.get(page)) {
            link(page);
        }
    }

    /** All slots are free. */
    void clear() {
        used.clear();
        retired.clear();
        usedPages = 0;
        Arrays.fill(heads, NIL);
    }

    private static long all(int sizeClass) {
        return -1L >>> (Long.SIZE - SLOTS[sizeClass]);
    }

    // ---- pages ------------------------------------------------------------------------------------------------------

    private int takePages(int count) {
        if (usedPages > pages - count) {
            return NIL;
        }
        int from = used.nextClearBit(0);
        while (from <= pages - count) {
            int end = used.nextSetBit(from);
            if (end < 0 || end - from >= count) {
                used.set(from, from + count);
                usedPages += count;
                grow(from + count);
                return from;
            }
            from = used.nextClearBit(end);
        }
        return NIL;
    }

    private void givePages(int page, int count) {
        for (int i = page; i < page + count; i++) {
            if (retired.get(i)) {
                retired.clear(i);
                discard.accept(base + (long) i * PAGE);
            }
        }
        used.clear(page, page + count);
        usedPages -= count;
    }

    private void grow(int least) {
        if (least > classes.length) {
            int length = (int) Math.min(pages, Math.max(least, 1024L + 2L * classes.length));
            classes = Arrays.copyOf(classes, length);
            free = Arrays.copyOf(free, length);
            next = Arrays.copyOf(next, length);
            previous = Arrays.copyOf(previous, length);
        }
    }

    // ---- lists ------------------------------------------------------------------------------------------------------

    private void link(int page) {
        int head = heads[classes[page]];
        next[page] = head;
        previous[page] = NIL;
        if (head != NIL) {
            previous[head] = page;
        }
        heads[classes[page]] = page;
    }

    private void unlink(int page) {
        if (previous[page] == NIL) {
            heads[classes[page]] = next[page];
        } else {
            next[previous[page]] = next[page];
        }
        if (next[page] != NIL) {
            previous[next[page]] = previous[page];
        }
    }
}
