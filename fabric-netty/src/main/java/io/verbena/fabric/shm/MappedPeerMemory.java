package io.verbena.fabric.shm;

import io.verbena.nic.port.PeerMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another process's NIC memory, mapped here: its control block at once, its segments as they are asked for.
 *
 * <p>Concurrency: as {@link PeerMemory} says; {@link #forgetRetired} by any one other thread. A segment that its owner has
 * retired is forgotten there, and unmapped when the last buffer over it is garbage, so nothing is ever pulled away from
 * under a copy.
 */
final class MappedPeerMemory implements PeerMemory {
    private static final Logger LOG = LoggerFactory.getLogger(MappedPeerMemory.class);

    /** Pages of shorter segments are mapped at once, rather than with a fault each on the data path. */
    private static final int LOAD_BELOW = 4 * 1024 * 1024 + 1;

    private final Path directory;
    private final AtomicBuffer control;
    private final SegmentCache segments = new SegmentCache(this::map);

    MappedPeerMemory(Path directory) throws IOException {
        this.directory = directory;
        this.control = MappedFile.open(directory.resolve(SharedMemoryProvider.CONTROL), Integer.MAX_VALUE);
    }

    @Override
    public AtomicBuffer control() {
        return control;
    }

    @Override
    public @Nullable AtomicBuffer segment(int segmentId) {
        return segments.find(segmentId);
    }

    private @Nullable AtomicBuffer map(int id) {
        try {
            return MappedFile.open(file(id), LOAD_BELOW);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            LOG.warn("cannot map segment {} of {}: {}", id, directory, e.getMessage());
            return null;
        }
    }

    private Path file(int id) {
        return directory.resolve(SharedMemoryProvider.SEGMENT_PREFIX + id);
    }

    /** Forgets segments whose files are gone. */
    void forgetRetired() {
        segments.forgetIf(id -> !Files.exists(file(id)));
    }

    Path directory() {
        return directory;
    }
}
