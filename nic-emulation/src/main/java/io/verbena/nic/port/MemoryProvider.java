package io.verbena.nic.port;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where a NIC's memory comes from: one control block, and data segments in memory (or files) of their own.
 *
 * <p>Thread-safe; not for the data path.
 */
public interface MemoryProvider extends AutoCloseable {
    /**
     * Makes the control block.
     *
     * @param length bytes, a multiple of 64
     * @return zeroed memory, aligned to 64
     * @throws IllegalStateException if there is one already
     * @throws MemoryExhaustedException if the memory cannot be allocated
     */
    AtomicBuffer allocateControl(int length);

    /**
     * The control block.
     *
     * @throws IllegalStateException if there is none yet
     */
    AtomicBuffer control();

    /**
     * Makes a segment.
     *
     * @param length bytes, at least 1
     * @return zeroed memory whose pages are there already
     * @throws MemoryExhaustedException if the memory cannot be allocated
     */
    Segment allocate(int length);

    /**
     * Gives a segment back. Peers that have it mapped keep their mapping until they let go of it.
     *
     * @param segment one of {@link #allocate}; a second release does nothing
     */
    void release(Segment segment);

    /**
     * Gives a segment back, and its memory to the operating system before this returns, where the provider can; else as
     * {@link #release}. Takes about 0.1 ms a MiB, so it belongs to no data path.
     *
     * <p>The caller promises that no thread of this process reads or writes the segment from now on, by whatever
     * buffer: what comes too late meets an {@link IndexOutOfBoundsException} while bounds checks are on, and may end
     * the JVM while they are off. Other processes keep their own mappings until they let go of them.
     *
     * @param segment one of {@link #allocate}; a second call does nothing, nor does one after {@link #release}
     */
    default void unmap(Segment segment) {
        release(segment);
    }

    /**
     * Finds a segment for a peer in the same process.
     *
     * @param id of the segment
     * @return its memory, or null if there is none of that id
     */
    @Nullable
    AtomicBuffer segment(int id);

    /** Releases everything. Idempotent. Memory that a peer still has mapped stays readable to it. */
    @Override
    void close();
}
