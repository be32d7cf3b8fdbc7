package io.verbena.tier;

/**
 * How memory that is longer than a region may be is divided: regions of the same length, of which the last may be
 * shorter. Immutable.
 *
 * @param count 0 for none
 * @param length bytes of each but the last
 * @param lastLength bytes of the last
 */
record Regions(int count, long length, long lastLength) {
    /** Bytes of the longest region: a whole number of the longest blocks, below 2 GiB. */
    static final long MAX_LENGTH = 1920L << 20;

    /** Most regions. Each takes as many queue pairs as the memory's user has to a peer. */
    static final int MAX_COUNT = 128;

    static final Regions NONE = new Regions(0, 0, 0);

    /** Divides an amount into regions of a length, and a rest. */
    static Regions of(long bytes, long length) {
        int count = (int) ((bytes + length - 1) / length);
        return new Regions(count, length, bytes - (count - 1) * length);
    }

    long length(int number) {
        return number < count - 1 ? length : lastLength;
    }
}
