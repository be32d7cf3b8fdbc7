package io.verbena.kv.store;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Divides a range of {@link OverflowMemory} into slots. A slot of up to a page lies within one page, whose slots are
 * all of one length, so that a value costs one page to read; a longer one has whole pages in a row.
 *
 * <p>Values fill one page after another, as a log does: a page is written once for all of them, next to others that
 * are, and a free one need not be read before. Only when no page is free, the slot that was freed last is given: its
 * page was just read, and is likely to be in a frame still.
 *
 * <pre>
 *   page   ┌────┬────┬────┬────┐        free slots: a bit each
 *          │ 0  │ 1  │ 2  │ 3  │        for each number of slots: the page that is filled,
 *          └────┴────┴────┴────┘        and a list of others with free slots, the last used first
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
    private static final int MAX_DISCARDED = 1 << 18; // pages at a time: 1 GiB

    private final long base;
    private final Discard discard;
    private final BitSet used = new BitSet();
    private final BitSet retired = new BitSet(); // used pages of which no slot is given any more
    private final int[] filled = new int[SLOTS.length]; // the page that slots are taken from
    private final int[] heads = new int[SLOTS.length]; // the first of the other pages with a free slot
    private byte[] classes = new byte[0];
    private long[] free = new long[0]; // a bit for each free slot
    private int[] next = new int[0];
    private int[] previous = new int[0];
    private int pages;
    private int usedPages;
    private int touched; // pages that were ever used are below
    private int following; // the page after the one that was taken last
    private boolean hasRoom = true; // for pages that are free

    /** Takes pages that nothing is in any more. */
    interface Discard {
        /** Forgets what is in them. */
        void discard(long offset, int length);
    }

    /**
     * Divides a range.
     *
     * @param base offset of its first byte, a multiple of {@link #PAGE}
     * @param length in bytes
     * @param discard takes pages of which all is free
     */
    OverflowSpace(long base, long length, Discard discard) {
        this.base = base;
        this.discard = discard;
        this.pages = (int) Math.min(Integer.MAX_VALUE - ALIGNMENT, length / PAGE);
        Arrays.fill(heads, NIL);
        Arrays.fill(filled, NIL);
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
        int page = filled[sizeClass];
        if (page == NIL || free[page] == 0) {
            page = nextToFill(sizeClass);
            if (page == NIL) {
                return NONE;
            }
            filled[sizeClass] = page;
        }
        int slot = Long.numberOfTrailingZeros(free[page]);
        free[page] &= free[page] - 1;
        return base + (long) page * PAGE + (long) slot * slotLength(sizeClass);
    }

    private int nextToFill(int sizeClass) {
        int head = heads[sizeClass];
        int page = hasRoom || head == NIL ? takePages(1) : NIL;
        if (page != NIL) {
            classes[page] = (byte) sizeClass;
            free[page] = all(sizeClass);
        } else if (head != NIL) {
            unlink(head);
            page = head;
        }
        return page;
    }

    private static int pages(int length) {
        return (length + PAGE - 1) / PAGE;
    }

    private int page(long offset) {
        return (int) ((offset - base) / PAGE);
    }

    private boolean isListed(int page) {
        return free[page] != 0 && !retired.get(page) && filled[classes[page]] != page;
    }

    /** Gives a slot back that cannot be used. Its pages are used again when all their slots are free. */
    void retire(long offset, int length) {
        int page = page(offset);
        if (length <= PAGE) {
            if (isListed(page)) {
                unlink(page);
            }
            if (filled[classes[page]] == page) {
                filled[classes[page]] = NIL;
            }
        }
        retired.set(page, page + pages(length));
        give(offset, length);
    }

    /** Gives a slot back for which there is no room: until a page is free, slots of used pages come first. */
    void refuse(long offset, int length) {
        int page = page(offset);
        int count = pages(length);
        retire(offset, length);
        if (page + count == touched && !used.get(page)) {
            touched = page;
        }
        hasRoom = false;
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
        boolean isFilled = filled[sizeClass] == page;
        if (free[page] == all(sizeClass)) {
            givePages(page, 1);
            if (isFilled) {
                filled[sizeClass] = NIL;
                following = page; // for the next
            }
        } else if (!isFilled && !retired.get(page)) {
            link(page);
        }
    }

    /** All slots are free. */
    void clear() {
        for (int page = 0; page < touched; page += MAX_DISCARDED) {
            discard(page, Math.min(MAX_DISCARDED, touched - page));
        }
        used.clear();
        retired.clear();
        usedPages = 0;
        touched = 0;
        following = 0;
        Arrays.fill(heads, NIL);
        Arrays.fill(filled, NIL);
    }

    private static long all(int sizeClass) {
        return -1L >>> (Long.SIZE - SLOTS[sizeClass]);
    }

    // ---- pages ------------------------------------------------------------------------------------------------------

    /** Takes the next free pages in a row; such as were never used only if there are no others. */
    private int takePages(int count) {
        if (usedPages > pages - count) {
            return NIL;
        }
        int from = find(following, touched, count);
        if (from == NIL) {
            from = find(0, touched, count);
        }
        if (from == NIL) {
            from = used.length();
        }
        if (from > pages - count) {
            return NIL;
        }
        used.set(from, from + count);
        usedPages += count;
        following = from + count;
        touched = Math.max(touched, following);
        grow(touched);
        return from;
    }

    private int find(int first, int end, int count) {
        int from = used.nextClearBit(first);
        while (from <= end - count) {
            int taken = used.nextSetBit(from);
            if (taken < 0 || taken - from >= count) {
                return from;
            }
            from = used.nextClearBit(taken);
        }
        return NIL;
    }

    private void givePages(int page, int count) {
        retired.clear(page, page + count);
        used.clear(page, page + count);
        usedPages -= count;
        hasRoom = true;
        discard(page, count);
    }

    private void discard(int page, int count) {
        discard.discard(base + (long) page * PAGE, count * PAGE);
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
