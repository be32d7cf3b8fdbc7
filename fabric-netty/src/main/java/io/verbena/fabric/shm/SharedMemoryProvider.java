package io.verbena.fabric.shm;

import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A NIC's memory in files that other processes of the same user can map: {@code control}, and {@code segment-<id>} for
 * each segment, in a directory that is this process's for as long as it lives. See the package's drawing.
 *
 * <p>A provider {@linkplain #onDemand on demand} begins with its control block in a file alone. Segments are this
 * process's own until {@link #share}, and those stay so: a peer that cannot map one sends packets in place of writing
 * there.
 *
 * <p>Opening removes what dead processes left. A released segment's file is unlinked at once, a segment is unmapped
 * here too where the caller says so; its memory goes when the last process that maps it lets go.
 *
 * <p>Thread-safe; not for the data path.
 */
public final class SharedMemoryProvider implements MemoryProvider {
    /** Where shared memory files lie on Linux. */
    public static final Path DEFAULT_ROOT = Path.of("/dev/shm");

    static final String CONTROL = "control";
    static final String SEGMENT_PREFIX = "segment-";

    /** Ids of segments that are not shared begin here. */
    private static final int HIDDEN = 1 << 30;

    private final SharedDirectory directory;
    private final @Nullable MemoryProvider hidden; // where segments lie before they are shared
    private final long maxBytes;
    private final AtomicLong used = new AtomicLong();
    private final AtomicInteger nextId = new AtomicInteger(1);
    private final Map<Integer, Segment> segments = new ConcurrentHashMap<>();
    private volatile @Nullable AtomicBuffer control;
    private volatile boolean shares;
    private volatile boolean closed;

    /**
     * Opens the memory of a NIC under /dev/shm, as large as that is.
     *
     * @param nicId the NIC's identity, unique on this host
     * @throws IllegalStateException if there is no such directory, or a living process holds this identity
     */
    public SharedMemoryProvider(long nicId) {
        this(DEFAULT_ROOT, nicId, Long.MAX_VALUE);
    }

    /**
     * Opens the memory of a NIC.
     *
     * @param root directory on a memory file system; on a disk it works too, but slowly
     * @param nicId the NIC's identity, unique on this host
     * @param maxBytes most bytes to allocate, control block included
     * @throws IllegalStateException if there is no such directory, or a living process holds this identity
     */
    public SharedMemoryProvider(Path root, long nicId, long maxBytes) {
        this(root, nicId, maxBytes, null);
    }

    private SharedMemoryProvider(Path root, long nicId, long maxBytes, @Nullable MemoryProvider hidden) {
        this.directory = SharedDirectory.open(root, nicId);
        this.maxBytes = maxBytes;
        this.hidden = hidden;
        this.shares = hidden == null;
    }

    /**
     * Opens the memory of a NIC of which only the control block is shared until {@link #share}.
     *
     * @param root directory on a memory file system, {@link #DEFAULT_ROOT} for instance
     * @param nicId the NIC's identity, unique on this host
     * @param own memory of this process, for segments until then; closed with this provider
     * @throws IllegalStateException if there is no such directory, or a living process holds this identity
     */
    public static SharedMemoryProvider onDemand(Path root, long nicId, MemoryProvider own) {
        return new SharedMemoryProvider(root, nicId, Long.MAX_VALUE, own);
    }

    /** Segments that are made from now on can be mapped by peers. Idempotent. */
    public void share() {
        shares = true;
    }

    /**
     * Removes the directories of processes that are gone; opening a provider does the same.
     *
     * @param root directory of the providers
     * @return directories removed
     */
    public static int removeDead(Path root) {
        return SharedDirectory.removeDead(root);
    }

    /** Removes the directories of processes that are gone, under this provider's root. */
    int removeDeadNeighbours() {
        return directory.removeDeadNeighbours();
    }

    /** Notes a socket that is removed with this provider's files, by the janitor if this process is killed. */
    void noteSocket(Path socket) {
        directory.noteSocket(socket);
    }

    /** Whether a directory is that of another provider of the same user and root. */
    boolean isNeighbour(Path other) {
        return directory.isNeighbour(other);
    }

    /** The directory that holds this NIC's files. */
    public Path directory() {
        return directory.path();
    }

    /** Bytes allocated in shared memory and not released. */
    public long allocatedBytes() {
        return used.get();
    }

    @Override
    public synchronized AtomicBuffer allocateControl(int length) {
        if (control != null) {
            throw new IllegalStateException("there is a control block already");
        }
        AtomicBuffer made = allocate(CONTROL, length, "control block");
        control = made;
        return made;
    }

    @Override
    public AtomicBuffer control() {
        AtomicBuffer known = control;
        if (known == null) {
            throw new IllegalStateException("no control block was allocated yet");
        }
        return known;
    }

    @Override
    public Segment allocate(int length) {
        if (hidden != null && !shares) {
            Segment own = hidden.allocate(length);
            return new Segment(HIDDEN + own.id(), own.buffer());
        }
        int id = nextId.getAndIncrement();
        Segment segment = new Segment(id, allocate(SEGMENT_PREFIX + id, length, "segment"));
        segments.put(id, segment);
        if (closed) {
            release(segment);
            throw new IllegalStateException("memory provider is closed");
        }
        return segment;
    }

    private AtomicBuffer allocate(String name, int length, String purpose) {
        if (length < 1) {
            throw new IllegalArgumentException(purpose + " of " + length + " bytes < minimum 1");
        }
        if (closed) {
            throw new IllegalStateException("memory provider is closed");
        }
        long after = used.addAndGet(length);
        try {
            if (after > maxBytes) {
                throw new MemoryExhaustedException(purpose + " of " + length + " bytes: " + (after - length) + " of "
                        + maxBytes + " bytes are in use; raise the provider's maxBytes, or ask for less (a smaller"
                        + " chunkLength or region)");
            }
            return MappedFile.create(directory.path().resolve(name), length, purpose);
        } catch (RuntimeException e) {
            used.addAndGet(-length);
            throw e;
        }
    }

    @Override
    public void release(Segment segment) {
        if (hidden != null && segment.id() >= HIDDEN) {
            hidden.release(ofHidden(segment));
        } else {
            unlink(segment);
        }
    }

    private static Segment ofHidden(Segment segment) {
        return new Segment(segment.id() - HIDDEN, segment.buffer());
    }

    @Override
    public void unmap(Segment segment) {
        if (hidden != null && segment.id() >= HIDDEN) {
            hidden.unmap(ofHidden(segment));
        } else if (unlink(segment)) {
            MappedFile.unmap(segment.buffer());
        }
    }

    private boolean unlink(Segment segment) {
        if (!segments.remove(segment.id(), segment)) {
            return false;
        }
        used.addAndGet(-segment.buffer().capacity());
        MappedFile.delete(directory.path().resolve(SEGMENT_PREFIX + segment.id()));
        return true;
    }

    @Override
    public @Nullable AtomicBuffer segment(int id) {
        if (hidden != null && id >= HIDDEN) {
            return hidden.segment(id - HIDDEN);
        }
        Segment segment = segments.get(id);
        return segment == null ? null : segment.buffer();
    }

    @Override
    public void close() {
        closed = true;
        segments.clear();
        if (hidden != null) {
            hidden.close();
        }
        directory.close();
    }
}
