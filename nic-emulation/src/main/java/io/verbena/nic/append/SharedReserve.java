package io.verbena.nic.append;

import static io.verbena.nic.append.OfferedChunks.KEPT;
import static io.verbena.nic.memory.ControlDescriptor.OFFERS_PER_LENGTH;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Clean chunks that the append queues of a NIC share. What a queue must have ready is what can arrive while a chunk is
 * allocated (RIMA 3.2.1), but the NIC has one line rate: all of its queues together receive no more than that, so one
 * reserve is enough for all of them, and a queue that is idle maps nothing.
 *
 * <pre>
 *   allocator ── maps ──► clean ── take ──► chunk of a queue ── drained, nobody touches it ──► put ──► dirty or clean
 *                          ▲ │                    ▲                                                      │
 *                          │ └─► offered ── taken by a direct initiator, adopted                         │
 *                          └────────────────────────── allocator zeroes ◄────────────────────────────────┘
 * </pre>
 *
 * <p>The first clean chunks of a length are {@linkplain OfferedChunks offered} to direct initiators; the owner's
 * engines take from the others first. Offers are filled with each turn of the allocator.
 *
 * <p>Chunks are kept by length. Each length in use has so many that the bytes of the reserve fit in, and one of eight
 * is for queues that map no chunk: a queue that fills up takes no other queue's first chunk. Fewer queues than would
 * use that much keep as much as they would have had each for itself.
 *
 * <p>What lies here is the NIC's: it counts against no queue's limit and no group's quota. A chunk counts there from
 * {@link #take} to {@link #put}.
 *
 * <p>Concurrency: {@link #take}, {@link #put}, {@link #adopt} and the figures are for any thread, without a lock;
 * {@link #maintain} is the allocator's. Offers are filled under a lock that only it and {@link #prepare} take.
 */
final class SharedReserve {
    /** Largest reserve that can be configured, in bytes. */
    static final long MAX_BYTES = 1L << 30;

    /** What a queue maps at least while it has a reserve of its own, in chunks: so much of it is shared at most. */
    private static final int CHUNKS_PER_QUEUE = 1 + AppendQueueAttributes.DEFAULT_RESERVE;

    /** Of so many chunks one is for queues that map none. */
    private static final int KEPT_OF = 8;

    /** How long nothing is allocated after memory was short. */
    private static final long SHORT_NANOS = 1_000_000_000;

    private static final int MIN_BITS = Integer.numberOfTrailingZeros(AppendQueueAttributes.MIN_CHUNK_LENGTH);
    private static final int SIZES =
            Integer.numberOfTrailingZeros(AppendQueueAttributes.MAX_CHUNK_LENGTH) - MIN_BITS + 1;

    /** Chunks of one length. */
    private static final class Size {
        final int chunkLength;
        final int most;
        final MpmcVarHandleArrayQueue<Chunk> clean;
        final MpmcVarHandleArrayQueue<Chunk> dirty;
        /** Those that are offered, by their place: until whoever had the offer's word has taken it from here. */
        final AtomicReferenceArray<@Nullable Chunk> offered;

        final int firstOffer;
        /** Clean ones that are not offered and nobody has claimed; never more than lie there. */
        final AtomicInteger available = new AtomicInteger();
        /** All that lie here, clean or not; never less than that. */
        final AtomicInteger chunks = new AtomicInteger();
        /** Queues that share them. */
        final AtomicInteger queues = new AtomicInteger();
        /** Of these, queues that map no chunk. */
        final AtomicInteger resting = new AtomicInteger();

        @Nullable
        Chunk zeroing; // the allocator's

        Size(int chunkLength, long bytes) {
            this.chunkLength = chunkLength;
            this.most = QueueSizing.chunks(bytes, chunkLength, chunkLength / 4) + 1;
            this.clean = new MpmcVarHandleArrayQueue<>(most + 2); // two may add the last one at a time
            this.dirty = new MpmcVarHandleArrayQueue<>(most + 2);
            this.offered = new AtomicReferenceArray<>(OFFERS_PER_LENGTH);
            this.firstOffer = OfferedChunks.first(chunkLength);
        }

        int target() {
            return (int) Math.min(most, (long) queues.get() * CHUNKS_PER_QUEUE);
        }

        int kept() {
            return Math.min(resting.get(), (target() + KEPT_OF - 1) / KEPT_OF);
        }
    }

    private final MemoryProvider memory;
    private final OfferedChunks offers;
    private final long bytes;
    private final AtomicInteger generations = new AtomicInteger();
    private final AtomicReferenceArray<@Nullable Size> sizes = new AtomicReferenceArray<>(SIZES);
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong drained = new AtomicLong();
    private volatile boolean memoryShort;
    private long notBefore; // the allocator's: when it may allocate again
    private boolean waits;

    /**
     * Creates an empty reserve.
     *
     * @param control of the NIC
     * @param memory of the NIC
     * @param bytes that can arrive while a chunk is allocated; 0 if each queue is to have a reserve of its own
     */
    SharedReserve(ControlBlock control, MemoryProvider memory, long bytes) {
        if (bytes < 0 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("shared reserve " + bytes + " outside 0 to " + MAX_BYTES);
        }
        this.memory = memory;
        this.offers = new OfferedChunks(control);
        this.bytes = bytes;
    }

    /** Whether queues that ask for no reserve of their own share this one. */
    boolean isOn() {
        return bytes > 0;
    }

    /** The chunks of it that direct initiators may take. */
    OfferedChunks offers() {
        return offers;
    }

    private @Nullable Size size(int chunkLength) {
        return sizes.get(Integer.numberOfTrailingZeros(chunkLength) - MIN_BITS);
    }

    private Size made(int chunkLength) {
        int index = Integer.numberOfTrailingZeros(chunkLength) - MIN_BITS;
        Size size = sizes.get(index);
        if (size == null) {
            sizes.compareAndSet(index, null, new Size(chunkLength, bytes));
            size = sizes.get(index);
        }
        return Objects.requireNonNull(size);
    }

    /**
     * Sees to it that there is a chunk for a queue that is about to be made.
     *
     * @throws MemoryExhaustedException if there is no memory for it
     */
    void prepare(int chunkLength) {
        Size size = made(chunkLength);
        if (size.chunks.get() == 0) {
            add(size, new Chunk(memory.allocate(chunkLength)));
            offer(size);
        }
    }

    /** One more queue shares the reserve. */
    void enter(int chunkLength) {
        made(chunkLength).queues.incrementAndGet();
    }

    /** A queue shares the reserve no longer. */
    void leave(int chunkLength) {
        made(chunkLength).queues.decrementAndGet();
    }

    /** A queue that shares the reserve maps no chunk from now on. */
    void rests(int chunkLength) {
        made(chunkLength).resting.incrementAndGet();
    }

    /** It maps one again, or is gone. */
    void woke(int chunkLength) {
        made(chunkLength).resting.decrementAndGet();
    }

    private static void add(Size size, Chunk chunk) {
        size.chunks.incrementAndGet();
        addClean(size, chunk);
    }

    private static void addClean(Size size, Chunk chunk) {
        size.clean.offer(chunk);
        size.available.incrementAndGet();
    }

    /**
     * Takes a clean chunk.
     *
     * @param chunkLength of the queue
     * @param first whether the queue maps no chunk: it may have the last ones
     * @return null if there is none for it
     */
    @Nullable
    Chunk take(int chunkLength, boolean first) {
        Size size = size(chunkLength);
        if (size == null) {
            return null;
        }
        int kept = first ? 0 : size.kept();
        Chunk chunk = claim(size, kept == 0 ? 0 : kept - count(size, 0, Math.min(kept, KEPT)));
        if (chunk == null) {
            chunk = leaving(size, withdraw(size, first));
        }
        (chunk == null ? drained : taken).incrementAndGet();
        return chunk;
    }

    /** Takes a chunk that is offered. */
    private @Nullable Chunk withdraw(Size size, boolean first) {
        for (int i = OFFERS_PER_LENGTH - 1; i >= (first ? 0 : KEPT); i--) {
            if (offers.withdraw(size.firstOffer + i)) {
                return size.offered.getAndSet(i, null);
            }
        }
        return null;
    }

    private static @Nullable Chunk leaving(Size size, @Nullable Chunk chunk) {
        if (chunk != null) {
            size.chunks.decrementAndGet(); // afterwards: whoever adds one finds room
        }
        return chunk;
    }

    /** The chunk of an offer that is taken is the queue's; null if its taker has taken what was not there. */
    @Nullable
    Chunk adopt(int chunkLength, int offer) {
        Size size = made(chunkLength);
        Chunk chunk = leaving(size, size.offered.getAndSet(offer - size.firstOffer, null));
        taken.addAndGet(chunk == null ? 0 : 1);
        return chunk;
    }

    /**
     * Gives up what is said to be taken for a queue that will not adopt it: somebody who has the control block mapped
     * has written that. By the allocator.
     */
    void reclaim(TailPointerTable queues) {
        for (int i = 0; i < SIZES; i++) {
            Size size = sizes.get(i);
            for (int k = 0; size != null && k < OFFERS_PER_LENGTH; k++) {
                int offer = size.firstOffer + k;
                int id = offers.queue(offer);
                if (id != OfferedChunks.NONE && !queues.mayAdopt(id, offer)) {
                    Chunk chunk = leaving(size, size.offered.getAndSet(k, null));
                    offers.empty(offer);
                    if (chunk != null) {
                        memory.release(chunk.segment); // its taker may write into it
                    }
                }
            }
        }
    }

    /** How many of a range of offers have a chunk. */
    private int count(Size size, int from, int to) {
        int count = 0;
        for (int i = from; i < to; i++) {
            count += offers.isOffered(size.firstOffer + i) ? 1 : 0;
        }
        return count;
    }

    /** Offers clean chunks, those that are kept for queues that map none first. */
    private int offer(Size size) {
        synchronized (size) {
            int offered = 0;
            int kept = Math.min(size.kept(), KEPT);
            for (int i = 0; i < OFFERS_PER_LENGTH; i++) {
                boolean isWanted = i < kept || i >= KEPT;
                boolean isEmpty = offers.isEmpty(size.firstOffer + i) && size.offered.get(i) == null;
                if (isWanted && isEmpty) {
                    Chunk chunk = poll(size, 0);
                    if (chunk == null && i < KEPT) {
                        chunk = withdraw(size, false);
                    }
                    if (chunk == null) {
                        return offered;
                    }
                    size.offered.set(i, chunk);
                    offers.fill(size.firstOffer + i, chunk.segment.id(), generations.getAndIncrement());
                    offered++;
                } else if (!isWanted && offers.withdraw(size.firstOffer + i)) {
                    addClean(size, Objects.requireNonNull(size.offered.getAndSet(i, null)));
                }
            }
            return offered;
        }
    }

    /** Claims a clean chunk if there are more than so many that are not offered. */
    private static @Nullable Chunk claim(Size size, int least) {
        return leaving(size, poll(size, least));
    }

    private static @Nullable Chunk poll(Size size, int least) {
        int is = size.available.get();
        while (is > least) {
            if (size.available.compareAndSet(is, is - 1)) {
                return size.clean.poll();
            }
            is = size.available.get();
        }
        return null;
    }

    /**
     * Gives a chunk back that nobody touches any more.
     *
     * @return false if there are enough: the caller keeps it
     */
    boolean put(int chunkLength, Chunk chunk) {
        Size size = size(chunkLength);
        if (size == null) {
            return false;
        }
        int is = size.chunks.get();
        while (is < size.target()) {
            if (size.chunks.compareAndSet(is, is + 1)) {
                if (chunk.isClean()) {
                    addClean(size, chunk);
                } else {
                    size.dirty.offer(chunk);
                }
                return true;
            }
            is = size.chunks.get();
        }
        return false;
    }

    /** The memory has refused somebody a mapping: what lies here beyond the kept chunks goes. Any thread. */
    void memoryShort() {
        memoryShort = true;
    }

    /**
     * One turn of the allocator: zeroes what was given back, maps what is missing or gives back what is too much, one
     * chunk of each length.
     *
     * @param now in nanoseconds
     * @param zeroBudget most bytes to zero
     * @return work done
     */
    int maintain(long now, int zeroBudget) {
        if (memoryShort) {
            memoryShort = false;
            waits = true;
            notBefore = now + SHORT_NANOS;
        }
        waits = waits && now - notBefore < 0;
        int work = 0;
        int budget = zeroBudget;
        for (int i = 0; i < SIZES; i++) {
            Size size = sizes.get(i);
            if (size != null) {
                budget -= zero(size, budget);
                work += adjust(size);
                work += offer(size) > 0 ? 1 : 0;
            }
        }
        return work + (budget < zeroBudget ? 1 : 0);
    }

    private static int zero(Size size, int budget) {
        int left = budget;
        while (left > 0) {
            Chunk chunk = size.zeroing != null ? size.zeroing : size.dirty.poll();
            if (chunk == null) {
                break;
            }
            left -= chunk.zero(left);
            size.zeroing = chunk.isClean() ? null : chunk;
            if (chunk.isClean()) {
                addClean(size, chunk);
            }
        }
        return budget - left;
    }

    private int adjust(Size size) {
        int chunks = size.chunks.get();
        int wanted = waits ? Math.min(chunks, size.kept()) : size.target();
        if (chunks < wanted) {
            try {
                add(size, new Chunk(memory.allocate(size.chunkLength)));
            } catch (MemoryExhaustedException e) {
                memoryShort = true; // whoever needs a chunk now says so
                return 0;
            }
            return 1;
        }
        Chunk chunk = chunks > wanted ? claim(size, 0) : null;
        if (chunk == null && chunks > wanted) {
            chunk = leaving(size, withdraw(size, true));
        }
        if (chunk == null) {
            return 0;
        }
        memory.unmap(chunk.segment); // nobody touches what lies here
        return 1;
    }

    /** What there is to know of it. Any thread. */
    SharedReserveStatistics query() {
        long mapped = 0;
        long clean = 0;
        long target = 0;
        for (int i = 0; i < SIZES; i++) {
            Size size = sizes.get(i);
            if (size != null) {
                mapped += (long) size.chunks.get() * size.chunkLength;
                clean += (long) (size.available.get() + count(size, 0, OFFERS_PER_LENGTH)) * size.chunkLength;
                target += (long) size.target() * size.chunkLength;
            }
        }
        return new SharedReserveStatistics(mapped, clean, target, taken.get(), drained.get());
    }
}
