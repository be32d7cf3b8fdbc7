package io.verbena.tier;

import io.verbena.AdmissionPolicy;
import io.verbena.Merging;
import io.verbena.RegionOptions;
import io.verbena.RemoteOptions;
import io.verbena.Tenants;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link PagedMemory}: fluent setters over defaults. Mutable; not thread-safe.
 *
 * <pre>{@code
 *   PagedOptions options = new PagedOptions("pages", 64L << 30)
 *           .resident(4L << 30)
 *           .peer("tcp://10.0.0.7:9000").peer("tcp://10.0.0.8:9000").peer("tcp://10.0.0.9:9000")
 *           .replicas(2);
 * }</pre>
 *
 * <p>A peer is a node that shares a region, or a {@linkplain #donor donor}, such as {@code verbena donate}, which has a
 * {@link Donation}.
 */
public final class PagedOptions {
    /** Bytes of a page unless {@link #pageLength} says otherwise: 4 KiB. */
    public static final int DEFAULT_PAGE_LENGTH = 4 << 10;

    /** Bytes of a block unless {@link #blockLength} says otherwise: 128 KiB, as in the RDMAbox paper (section V). */
    public static final int DEFAULT_BLOCK_LENGTH = 128 << 10;

    /** Bytes in local frames unless {@link #resident} says otherwise: 64 MiB. */
    public static final long DEFAULT_RESIDENT = 64L << 20;

    /** How long an access waits for peers unless {@link #timeout} says otherwise: 15 s. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);

    private static final int MIN_PAGE_LENGTH = 512;
    private static final int MAX_PAGE_LENGTH = 1 << 20;
    private static final int MIN_BLOCK_LENGTH = 4 << 10;
    private static final int MAX_BLOCK_LENGTH = 64 << 20;
    private static final int MAX_PAGES_PER_BLOCK = 64;
    private static final int MIN_FRAMES = 16;
    private static final int MAX_BLOCKS = 1 << 30;
    private static final int MAX_FRAMES = 1 << 30;
    private static final int MAX_PEERS = 64;

    /** As long as what the peers share allows. */
    static final long ALL = 0;

    final @Nullable String memory;
    final long size;
    final List<Place> peers = new ArrayList<>();
    String tenant = Tenants.DEFAULT;
    long resident = DEFAULT_RESIDENT;
    int pageLength = DEFAULT_PAGE_LENGTH;
    int blockLength = DEFAULT_BLOCK_LENGTH;
    int replicas = 1;
    Duration timeout = DEFAULT_TIMEOUT;
    Runnable onProgress = () -> {};

    @Nullable
    Path spill;

    /** A peer, which shares a region, or lends all of its donation. */
    record Place(String address, boolean lends) {}

    private int queuePairs = RemoteOptions.DEFAULT_QUEUE_PAIRS;
    private Merging merging = Merging.HYBRID;
    private AdmissionPolicy admission = AdmissionPolicy.fixed(RegionOptions.DEFAULT_WINDOW);

    /**
     * Creates the defaults, without peers.
     *
     * @param memory name of the region that each {@link #peer} shares, see {@link io.verbena.Node#share}. The paged
     *     memory has these regions to itself, and a peer contributes as many blocks as its region is long
     * @param size bytes of the memory, a multiple of the page's length, at most 2<sup>30</sup> blocks
     */
    public PagedOptions(String memory, long size) {
        this.memory = Objects.requireNonNull(memory, "memory");
        this.size = atLeast("size", size, 1);
    }

    /**
     * Creates the defaults, for donors alone.
     *
     * @param size bytes of the memory, a multiple of the page's length, at most 2<sup>30</sup> blocks
     */
    public PagedOptions(long size) {
        this.memory = null;
        this.size = atLeast("size", size, 1);
    }

    /** Creates the defaults, for donors alone and a memory that is as long as what they lend. */
    public PagedOptions() {
        this.memory = null;
        this.size = ALL;
    }

    /**
     * Creates the defaults, without peers, for a memory that is as long as what the peers share: all of its blocks fit
     * on as many of them as {@link #replicas} says.
     *
     * @param memory name of the region that each peer shares, which has at least a block
     */
    public PagedOptions(String memory) {
        this.memory = Objects.requireNonNull(memory, "memory");
        this.size = ALL;
    }

    /**
     * Adds a peer that shares a region.
     *
     * @param address of its node, see {@link io.verbena.Address}, without a name; at most 64
     * @throws IllegalStateException if these options name no region
     * @throws IllegalArgumentException if it is there already
     */
    public PagedOptions peer(String address) {
        if (memory == null) {
            throw new IllegalStateException(
                    "peer " + address + ": these options name no region that it shares; use donor, or name one");
        }
        return add(address, false);
    }

    /**
     * Adds a peer that lends memory, see {@link Donation}. The paged memory has all of what the donor lends, for as
     * long as it is open.
     *
     * @param address of its node, see {@link io.verbena.Address}, without a name; at most 64 donors and other peers
     * @throws IllegalArgumentException if it is there already
     */
    public PagedOptions donor(String address) {
        return add(address, true);
    }

    private PagedOptions add(String address, boolean lends) {
        range("number of peers", peers.size() + 1L, 1, MAX_PEERS);
        Place place = new Place(Objects.requireNonNull(address, "peer"), lends);
        if (peers.contains(place)) { // its memory would be two peers', which overwrite each other's blocks
            throw new IllegalArgumentException((lends ? "donor " : "peer ") + address + " is named twice");
        }
        peers.add(place);
        return this;
    }

    /** The tenant at whose expense this is; the default tenant by default. */
    public PagedOptions tenant(String name) {
        tenant = Objects.requireNonNull(name, "tenant");
        return this;
    }

    /**
     * Bytes in local frames, in direct memory of this process, which the JVM bounds by {@code -XX:MaxDirectMemorySize}.
     * No more is used than the memory is long.
     *
     * @param bytes at least 16 pages, at most 2<sup>30</sup> pages; {@value #DEFAULT_RESIDENT} by default
     */
    public PagedOptions resident(long bytes) {
        resident = atLeast("resident", bytes, 1);
        return this;
    }

    /**
     * Bytes of a page: what a fault loads.
     *
     * @param bytes a power of two, 512 to 1 MiB; {@value #DEFAULT_PAGE_LENGTH} by default
     */
    public PagedOptions pageLength(int bytes) {
        pageLength = powerOfTwo("pageLength", bytes, MIN_PAGE_LENGTH, MAX_PAGE_LENGTH);
        return this;
    }

    /**
     * Bytes of a block: what lies together at a peer, and the most that is read ahead.
     *
     * @param bytes a power of two, 4 KiB to 64 MiB, and 1 to 64 pages; {@value #DEFAULT_BLOCK_LENGTH} by default
     */
    public PagedOptions blockLength(int bytes) {
        blockLength = powerOfTwo("blockLength", bytes, MIN_BLOCK_LENGTH, MAX_BLOCK_LENGTH);
        return this;
    }

    /**
     * On how many peers each block is. With 2 nothing is lost when a peer is, once what was written is with both
     * ({@link PagedMemory#flush}) or still in a frame. Where fewer peers have room, a block is on fewer, which
     * {@link PagedStatistics#single} counts.
     *
     * @param count 1 or 2, and not more than there are peers; 1 by default
     */
    public PagedOptions replicas(int count) {
        replicas = (int) range("replicas", count, 1, 2);
        return this;
    }

    /**
     * How long an access to a page waits for frames and peers before it fails. A peer that is silent is waited for
     * until it counts as lost, after {@link io.verbena.NodeContext#peerTimeout} or the last retry: a shorter limit
     * makes accesses fail meanwhile that the other replica could serve afterwards.
     *
     * @param limit at least 1 ms; 15 s by default
     */
    public PagedOptions timeout(Duration limit) {
        if (limit.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("timeout " + limit + " < minimum PT0.001S");
        }
        timeout = limit;
        return this;
    }

    /**
     * Called whenever a page was loaded or written, by the node's thread, and must not wait: for callers of
     * {@link PagedMemory#tryRead}. By default nobody is told.
     */
    public PagedOptions onProgress(Runnable listener) {
        onProgress = Objects.requireNonNull(listener, "onProgress");
        return this;
    }

    /**
     * A file for the blocks for which no peer has room, or is alive. It is overwritten, and removed at the end. Its
     * reads and writes are done by the threads that need them. By default there is none.
     */
    public PagedOptions spill(Path file) {
        spill = Objects.requireNonNull(file, "spill");
        return this;
    }

    /** Queue pairs to each peer, see {@link RemoteOptions#queuePairs}. */
    public PagedOptions queuePairs(int count) {
        new RemoteOptions("").queuePairs(count);
        queuePairs = count;
        return this;
    }

    /**
     * How operations of several threads leave, see {@link RegionOptions#merge}.
     *
     * @param how anything but {@link Merging#OFF}; {@link Merging#HYBRID} by default
     */
    public PagedOptions merge(Merging how) {
        if (how == Merging.OFF) {
            throw new IllegalArgumentException("merge OFF is for one thread; minimum SINGLE");
        }
        merging = Objects.requireNonNull(how, "merge");
        return this;
    }

    /** Bytes that may be under way to a peer, see {@link RegionOptions#window}. */
    public PagedOptions window(long bytes) {
        return admission(AdmissionPolicy.fixed(bytes));
    }

    /** How that window is found, see {@link RegionOptions#admission}. */
    public PagedOptions admission(AdmissionPolicy policy) {
        admission = Objects.requireNonNull(policy, "admission");
        return this;
    }

    /** How long an access waits, see {@link #timeout(Duration)}. */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Checks what depends on each other.
     *
     * @throws IllegalArgumentException if options do not fit together
     */
    void conclude() {
        range("pages per block", blockLength / pageLength, 1, MAX_PAGES_PER_BLOCK);
        if (size != ALL) {
            checkSize(size);
        }
        range("resident", resident, (long) MIN_FRAMES * pageLength, (long) MAX_FRAMES * pageLength);
        range("number of peers", peers.size(), replicas, MAX_PEERS);
    }

    private void checkSize(long bytes) {
        if (bytes % pageLength != 0) {
            throw new IllegalArgumentException("size " + bytes + " is not a multiple of pageLength " + pageLength);
        }
        range("size", bytes, pageLength, (long) MAX_BLOCKS * blockLength);
    }

    /**
     * Bytes of all blocks that fit on as many peers each as there are to be replicas.
     *
     * @param shared blocks that each peer has room for
     */
    long capacity(List<Long> shared) {
        long sum = shared.stream().mapToLong(Long::longValue).sum();
        long longest = shared.stream().mapToLong(Long::longValue).max().orElse(0);
        return (replicas == 1 ? sum : Math.min(sum / 2, sum - longest)) * blockLength;
    }

    /**
     * How long the memory is.
     *
     * @param capacity what the peers have room for
     * @throws IllegalStateException if that should be all, and is nothing
     */
    long size(long capacity) {
        if (size != ALL) {
            return size;
        }
        if (capacity == 0) {
            throw new IllegalStateException(
                    (memory == null ? "what the donors lend" : "what the peers share as '" + memory + "'")
                            + " has no room for " + replicas + " replicas of a block of " + blockLength + " bytes");
        }
        checkSize(capacity);
        return capacity;
    }

    /** How many frames a memory of that size has. */
    int frames(long size) {
        return (int) Math.min(resident / pageLength, Math.max(MIN_FRAMES, size / pageLength));
    }

    /** The session with the peers, which are not added yet. */
    RemoteOptions session() {
        return new RemoteOptions(memory == null ? "" : memory)
                .queuePairs(queuePairs)
                .blockLength(blockLength)
                .region(new RegionOptions().merge(merging).admission(admission));
    }

    private static long atLeast(String what, long value, long minimum) {
        if (value < minimum) {
            throw new IllegalArgumentException(what + " " + value + " < minimum " + minimum);
        }
        return value;
    }

    private static long range(String what, long value, long minimum, long maximum) {
        if (value < minimum || value > maximum) {
            throw new IllegalArgumentException(what + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }

    private static int powerOfTwo(String what, int value, int minimum, int maximum) {
        range(what, value, minimum, maximum);
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException(
                    what + " " + value + " is not a power of two; next is " + Integer.highestOneBit(value) * 2L);
        }
        return value;
    }
}
