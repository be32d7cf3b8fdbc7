package io.verbena.bench.check.messages;

/**
 * The region that clients share.
 *
 * <pre>
 *   0         512              4096
 *   | sums    | swapped words  | slot of writer 0 | slot of writer 1 | ...
 * </pre>
 */
final class SharedRegionLayout {
    static final String NAME = "table";
    /** Words that are only added to, by all. */
    static final int SUMS = 8;
    /** Words that are only changed by compare-and-swap, by all. */
    static final int SWAPPED = 4;

    static final int SLOT_LENGTH = 128 << 10;
    static final int WRITERS = 16;
    private static final int SWAPPED_OFFSET = 512;
    private static final int SLOTS_OFFSET = 4096;
    static final int LENGTH = SLOTS_OFFSET + WRITERS * SLOT_LENGTH;

    private SharedRegionLayout() {}

    static int sum(int index) {
        return index << 3;
    }

    static int swapped(int index) {
        return SWAPPED_OFFSET + (index << 3);
    }

    static int slot(int writer) {
        return SLOTS_OFFSET + writer * SLOT_LENGTH;
    }
}
