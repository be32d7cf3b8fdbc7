package io.verbena.fabric.shm;

import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.port.PeerMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another process's NIC memory, mapped here: its control block at once, its segments as they are asked for.
 *
 * <pre>
 *   sweep (loop's owner)                 baton (engine)                          sweep
 *   the file of a segment is gone ─────▶ views of it are dropped, it is not ───▶ unmapped
 *                                        found any more
 * </pre>
 *
 * <p>The owner unlinks a segment when it retires it. Its memory is pulled away here only after the engine, between two
 * turns, has dropped all that leads there, so nothing is pulled away from under a copy; and it is pulled away off the
 * baton, since that takes its time. Where no engine says that it has dropped them, segments stay.
 *
 * <p>Concurrency: as {@link PeerMemory} says; {@link #lookForRetired} and {@link #unmapOne} by the loop's owner.
 */
final class MappedPeerMemory implements PeerMemory {
    private static final Logger LOG = LoggerFactory.getLogger(MappedPeerMemory.class);

    /** Pages of shorter segments are mapped at once, rather than with a fault each on the data path. */
    private static final int LOAD_BELOW = 4 * 1024 * 1024 + 1;

    private final Path directory;
    private final Object identity; // of the directory, which another process may make anew
    private final AtomicBuffer control;
    private final SegmentCache segments = new SegmentCache(this::map, id -> false);
    private final ConcurrentLinkedQueue<AtomicBuffer> unused = new ConcurrentLinkedQueue<>();
    private final LogRateLimiter reports = new LogRateLimiter();
    private volatile @Nullable Runnable onRetired;
    private volatile int[] retired = {};

    MappedPeerMemory(Path directory) throws IOException {
        this.directory = directory;
        this.identity = SharedDirectory.identityOf(directory);
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

    @Override
    public BooleanSupplier gone() {
        Path path = directory;
        Object then = identity;
        return () -> SharedDirectory.isGone(path, then);
    }

    private @Nullable AtomicBuffer map(int id) {
        try {
            return MappedFile.open(file(id), LOAD_BELOW);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            long leftOut = reports.ask(System.nanoTime());
            if (leftOut >= 0) {
                LOG.warn(
                        "cannot map segment {} of {}: {}; {} such lines left out",
                        id,
                        directory,
                        e.getMessage(),
                        leftOut);
            }
            return null;
        }
    }

    private Path file(int id) {
        return directory.resolve(SharedMemoryProvider.SEGMENT_PREFIX + id);
    }

    @Override
    public void onRetired(Runnable told) {
        onRetired = told;
    }

    /** Looks which segments' files are gone, and tells the engine if there are any. */
    void lookForRetired() {
        Runnable told = onRetired;
        if (told == null || retired.length > 0) {
            return; // nobody to tell, or told and not heard yet
        }
        int[] ids = segments.ids();
        int count = 0;
        for (int id : ids) {
            if (!Files.exists(file(id))) {
                ids[count++] = id;
            }
        }
        if (count > 0) {
            retired = Arrays.copyOf(ids, count);
            told.run();
        }
    }

    @Override
    public void letGo(Predicate<AtomicBuffer> mayGo) {
        int[] ids = retired;
        retired = new int[0];
        for (int id : ids) {
            AtomicBuffer segment = segments.known(id);
            if (segment != null && mayGo.test(segment)) {
                segments.forget(id);
                unused.add(segment);
            }
        }
    }

    /** Nobody here leads to this memory any more: all of it is to be unmapped. */
    void letGoOfAll() {
        onRetired = null;
        for (int id : segments.ids()) {
            AtomicBuffer segment = segments.known(id);
            if (segment != null) {
                segments.forget(id);
                unused.add(segment);
            }
        }
        unused.add(control);
    }

    /** Unmaps one of the segments that nobody here knows any more. Returns whether there may be more. */
    boolean unmapOne() {
        AtomicBuffer segment = unused.poll();
        if (segment != null) {
            MappedFile.unmap(segment);
        }
        return segment != null;
    }

    Path directory() {
        return directory;
    }
}
