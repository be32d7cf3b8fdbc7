package io.verbena.papers.srq;

/**
 * What a NIC can do to a receiver at worst, by message size (RIMA 4): messages of up to 8 bytes come at a rate of their
 * own; from there the efficiency, the share of the line that is payload, grows linearly with the size, to 1 at the
 * largest.
 *
 * @param bytesPerSecond the line rate
 * @param allocationSeconds how long it takes to allocate memory and map it
 * @param smallRate messages of up to 8 bytes a second
 * @param largest the largest message in bytes, above 8
 */
public record LinkModel(double bytesPerSecond, double allocationSeconds, double smallRate, long largest) {
    /** The size in bytes up to which the rate is that of the smallest messages. */
    public static final int SMALL = 8;

    private static final double FDR_BYTES_PER_SECOND = 7e9;
    private static final double FDR_SMALL_RATE = 137e6;
    private static final double ALLOCATION_SECONDS = 1e-3;

    /** Checks that each is positive, and that the smallest messages do not exceed the line. */
    public LinkModel {
        positive("bytes per second", bytesPerSecond);
        positive("allocation seconds", allocationSeconds);
        positive("small rate", smallRate);
        if (largest <= SMALL) {
            throw new IllegalArgumentException("largest message " + largest + " <= " + SMALL);
        }
        if (smallRate * SMALL > bytesPerSecond) {
            throw new IllegalArgumentException(
                    "small messages' " + smallRate * SMALL + " bytes per second > the line's " + bytesPerSecond);
        }
    }

    private static void positive(String name, double value) {
        if (!(value > 0)) {
            throw new IllegalArgumentException(name + " " + value + " not above 0");
        }
    }

    /**
     * The paper's: InfiniBand FDR at 56 Gb/s, 137 million messages a second of up to 8 bytes, 1 ms to allocate.
     *
     * @param largest the largest message in bytes
     */
    public static LinkModel fdr(long largest) {
        return new LinkModel(FDR_BYTES_PER_SECOND, ALLOCATION_SECONDS, FDR_SMALL_RATE, largest);
    }

    /** The same with another allocation latency. */
    public LinkModel withAllocation(double seconds) {
        return new LinkModel(bytesPerSecond, seconds, smallRate, largest);
    }

    /** The share of the line rate that messages of a size fill. */
    public double efficiency(long size) {
        double least = SMALL * smallRate / bytesPerSecond;
        if (size <= SMALL) {
            return least;
        }
        return size >= largest ? 1 : least + (1 - least) * (size - SMALL) / (largest - SMALL);
    }

    /** Messages of a size that can come in a second. */
    public double rate(long size) {
        return size <= SMALL ? smallRate : efficiency(size) * bytesPerSecond / size;
    }
}
