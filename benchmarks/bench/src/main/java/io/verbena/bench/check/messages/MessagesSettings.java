package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import java.nio.file.Path;
import java.util.Set;

/**
 * What a run is made of.
 *
 * @param seconds how long it goes on, beside the time to finish what was begun
 * @param seed what it draws from; with one thread and without processes, nearly the same run again
 * @param fabrics at least one
 * @param modes of the clients' nodes, at least one
 * @param threads clients at a time, 1 to 16: each a thread and a node
 * @param loads what the clients do
 * @param maxLength bytes of the longest message, 64 KiB to 64 MiB
 * @param stallSeconds how long nothing may go on where something is due
 * @param shared directory of shared memory
 */
public record MessagesSettings(
        double seconds,
        long seed,
        Set<FabricName> fabrics,
        Set<NodeMode> modes,
        int threads,
        Set<LoadName> loads,
        int maxLength,
        double stallSeconds,
        Path shared) {
    /** Where shared memory is, if nothing else is said. */
    static final Path SHARED = Path.of("/dev/shm");

    /** Bytes of the longest message of a run, if nothing else is said. */
    public static final int MAX_LENGTH = 64 << 20;

    private static final int MIN_MAX_LENGTH = 64 << 10;
    private static final int MAX_THREADS = 16;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException names both values
     */
    public MessagesSettings {
        if (!(seconds > 0) || !(stallSeconds > 0)) {
            throw new IllegalArgumentException(
                    "seconds " + seconds + " and " + stallSeconds + ", both must be above 0");
        }
        if (threads < 1 || threads > MAX_THREADS) {
            throw new IllegalArgumentException("threads " + threads + " outside 1.." + MAX_THREADS);
        }
        if (maxLength < MIN_MAX_LENGTH || maxLength > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "longest message " + maxLength + " outside " + MIN_MAX_LENGTH + ".." + MAX_LENGTH);
        }
        fabrics = Set.copyOf(fabrics);
        modes = Set.copyOf(modes);
        loads = Set.copyOf(loads);
        if (fabrics.isEmpty() || modes.isEmpty() || loads.isEmpty()) {
            throw new IllegalArgumentException("fabrics, modes and loads must each be at least one");
        }
    }

    /** The same with shared memory in another directory. */
    MessagesSettings within(Path directory) {
        return new MessagesSettings(seconds, seed, fabrics, modes, threads, loads, maxLength, stallSeconds, directory);
    }

    long stallNanos() {
        return (long) (stallSeconds * 1e9);
    }
}
