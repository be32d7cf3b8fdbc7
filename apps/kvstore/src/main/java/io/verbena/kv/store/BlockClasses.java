package io.verbena.kv.store;

/**
 * Sizes in which small blocks are cut: steps of 16 bytes up to 128, then four steps a doubling up to
 * {@link #MAX_SMALL}, so that a block wastes at most a fifth of itself.
 */
final class BlockClasses {
    /** Greatest small block in bytes. */
    static final int MAX_SMALL = 8 * 1024;
    /** Number of classes. */
    static final int COUNT;

    private static final int GRANULE_SHIFT = 4;
    private static final int[] SIZES;
    private static final byte[] CLASS_OF_GRANULES = new byte[(MAX_SMALL >> GRANULE_SHIFT) + 1];

    static {
        int[] sizes = new int[64];
        int count = 0;
        for (int size = 16; size <= 128; size += 16) {
            sizes[count++] = size;
        }
        for (int base = 128; base < MAX_SMALL; base *= 2) {
            for (int quarter = 1; quarter <= 4; quarter++) {
                sizes[count++] = base + quarter * (base / 4);
            }
        }
        COUNT = count;
        SIZES = java.util.Arrays.copyOf(sizes, count);
        int sizeClass = 0;
        for (int granules = 0; granules < CLASS_OF_GRANULES.length; granules++) {
            if (granules << GRANULE_SHIFT > SIZES[sizeClass]) {
                sizeClass++;
            }
            CLASS_OF_GRANULES[granules] = (byte) sizeClass;
        }
    }

    private BlockClasses() {}

    static int classOf(int bytes) {
        return CLASS_OF_GRANULES[(bytes + (1 << GRANULE_SHIFT) - 1) >> GRANULE_SHIFT];
    }

    static int size(int sizeClass) {
        return SIZES[sizeClass];
    }
}
