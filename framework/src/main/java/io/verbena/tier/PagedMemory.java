package io.verbena.tier;

import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.RemoteSession;
import io.verbena.Tenant;
import io.verbena.nic.port.MemoryExhaustedException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Memory that is longer than what this process has: some of its pages are in local frames, off-heap, the others in the
 * memory of peers (the remote paging of the RDMAbox paper, section VI).
 *
 * <pre>{@code
 *   // at each peer: node.share("pages", 1 << 30)
 *   PagedMemory memory = PagedMemory.open(node, new PagedOptions("pages", 3L << 30)
 *           .resident(512 << 20)
 *           .peer("tcp://10.0.0.7:9000").peer("tcp://10.0.0.8:9000").peer("tcp://10.0.0.9:9000"), timeout);
 *   memory.write(2L << 30, source, 0, 100_000);
 *   memory.read(2L << 30, target, 0, 100_000);
 * }</pre>
 *
 * <p>Bytes that were never written are 0 and take no room. A block of pages gets its place at peers with its first
 * write: at the one that has most room left, or the two, or in a file ({@link PagedOptions#spill}) if none has any.
 * What is here is valid as long as this object: closing it, or the end of its process, is the end of the memory.
 *
 * <p><b>Threads.</b> Any number of threads read and write. Accesses to the same page are atomic to each other as far as
 * they lie within that page; there is no order between the pages of a longer access. A page that is resident costs a
 * look-up and a copy, under the lock of its block, and allocates nothing. A fault waits for a peer without a lock, so
 * that other pages of the block remain usable; within a callback of the node it is refused.
 *
 * <p><b>Failures.</b> An access that is not done within {@link PagedOptions#timeout} ends in a
 * {@link PagedMemoryException}. A peer that is lost is not used any more. What is in a frame stays valid. With two
 * replicas the other one serves, and what it has is copied to a third peer that has room; with one, pages that only the
 * lost peer had are lost: reading them, or writing a part of one, ends in a {@link PageLostException} until they are
 * written whole. {@link #lost} lists them. Nothing is ever read as 0, or as it was earlier, because of a failure.
 */
public final class PagedMemory implements AutoCloseable {
    private static final BooleanSupplier NEVER = () -> false;

    private final List<PeerStore> peers;
    private final Space space;
    private final Geometry geometry;
    private final Counters counters;
    private final Remote remote;
    private final RemoteSession session;
    private final Pager pager;
    private final ReadAhead readAhead;
    private final ImmediateAccess immediate;
    private final Keeper keeper;
    private final Duration timeout;
    private final long capacity;
    private final AtomicBoolean closed = new AtomicBoolean();

    private PagedMemory(Remote remote, Space space, long capacity, Duration timeout, Runnable onProgress) {
        this.remote = remote;
        this.peers = remote.peers();
        this.space = space;
        this.geometry = space.geometry();
        this.counters = space.counters();
        this.session = remote.session();
        this.capacity = capacity;
        this.timeout = timeout;
        this.pager = new Pager(space, session, onProgress);
        this.readAhead = new ReadAhead(space, pager);
        this.immediate = new ImmediateAccess(space, pager);
        this.keeper = new Keeper(space, pager, timeout);
    }

    /**
     * Connects to all peers, or to none, and takes the frames' memory.
     *
     * @param node whose threads move the pages; not one in the mode INVOKER, which has none
     * @param limit how long each connection may take, of which there are as many as queue pairs
     * @throws io.verbena.ConnectionException if one of the peers cannot be reached, refuses, or shares no such memory
     * @throws IllegalArgumentException if options do not fit together, an address is malformed, or the node's mode is
     *     INVOKER
     * @throws IllegalStateException if a peer does not permit both to read and to write, a donor's memory is in use and
     *     does not become free within the limit, or the memory is to be as long as what the peers share, and they have
     *     no room for a block
     * @throws java.io.UncheckedIOException if the file cannot be opened
     */
    public static PagedMemory open(Node node, PagedOptions options, Duration limit) {
        if (node.mode() == NodeMode.INVOKER) {
            throw new IllegalArgumentException(node + " is in the mode INVOKER: paged memory needs the node's thread");
        }
        options.conclude();
        Tenant tenant = node.tenant(options.tenant);
        Remote remote = Remote.open(tenant, options, limit);
        FileStore file = null;
        boolean opened = false;
        try {
            List<PeerStore> peers = remote.peers();
            long capacity =
                    options.capacity(peers.stream().map(PeerStore::blocks).toList());
            long size = options.size(capacity);
            Geometry geometry = new Geometry(size, options.pageLength, options.blockLength);
            Frames frames = new Frames(options.frames(size), options.pageLength);
            file = options.spill == null ? null : new FileStore(options.spill, peers.size());
            Stores stores = new Stores(geometry, peers, file, options.replicas);
            Space space = new Space(geometry, frames, stores);
            PagedMemory memory = new PagedMemory(remote, space, capacity, options.timeout, options.onProgress);
            remote.session().pollOnNode();
            memory.keeper.start();
            opened = true;
            return memory;
        } finally {
            if (!opened) {
                remote.close();
                if (file != null) {
                    file.close();
                }
            }
        }
    }

    /** Bytes. */
    public long size() {
        return geometry.size;
    }

    /**
     * Bytes of blocks that the peers had room for when this was opened, each on {@link PagedOptions#replicas} of them.
     * What a memory is longer than that finds no room, or goes to the file.
     */
    public long capacity() {
        return capacity;
    }

    // ---- access -----------------------------------------------------------------------------------------------------

    /**
     * Reads; waits for pages that are not resident.
     *
     * @param offset of the first byte
     * @param target takes the bytes
     * @param index of the first in the target
     * @param length in bytes, at least 0
     * @throws IndexOutOfBoundsException if the range leaves the memory or the target
     * @throws PageLostException if a page was lost with a peer
     * @throws PagedMemoryException if a page does not come in time
     * @throws IllegalStateException if the memory is closed, or has to be waited for within a callback of the node
     */
    public void read(long offset, MutableDirectBuffer target, int index, int length) {
        read(offset, target, index, length, NEVER);
    }

    /**
     * Reads as long as somebody wants it.
     *
     * @param abandoned whether a wait has to end; looked at every 10 ms and when the thread is unparked, without a lock
     * @throws PagedMemoryException as above, or if it was abandoned while it waited
     */
    public void read(long offset, MutableDirectBuffer target, int index, int length, BooleanSupplier abandoned) {
        check(offset, length);
        target.boundsCheck(index, length);
        long at = offset;
        int to = index;
        for (int left = length; left > 0; ) {
            int from = geometry.inPage(at);
            int bytes = Math.min(left, geometry.pageLength - from);
            readPage(geometry.page(at), from, target, to, bytes, abandoned);
            at += bytes;
            to += bytes;
            left -= bytes;
        }
    }

    private void readPage(
            long page, int from, MutableDirectBuffer target, int index, int length, BooleanSupplier abandoned) {
        Block block = space.find(geometry.block(page));
        if (block == null) {
            counters.hits.increment();
            target.setMemory(index, length, (byte) 0);
            return;
        }
        int inBlock = geometry.inBlock(page);
        Attempt attempt = block.read(inBlock, from, target, index, length);
        if (isHit(attempt, page)) {
            return;
        }
        counters.faults.increment();
        Deadline deadline = Deadline.in(timeout, abandoned);
        while (!isDone(attempt, page)) {
            resolve(attempt, block, page, deadline);
            attempt = block.read(inBlock, from, target, index, length);
        }
    }

    /**
     * Writes; waits for a frame, and for pages that are not resident of which it writes a part. Peers have the bytes
     * some time later, see {@link #flush}.
     *
     * @param offset of the first byte
     * @param source holds the bytes
     * @param index of the first in the source
     * @param length in bytes, at least 0
     * @throws IndexOutOfBoundsException if the range leaves the memory or the source
     * @throws PageLostException if a part of a page would be written that was lost with a peer
     * @throws NoRoomException if there is no room for a new block
     * @throws PagedMemoryException if a page or a frame does not come in time
     * @throws IllegalStateException if the memory is closed, or has to be waited for within a callback of the node
     */
    public void write(long offset, DirectBuffer source, int index, int length) {
        write(offset, source, index, length, NEVER);
    }

    /**
     * Writes as long as somebody wants it.
     *
     * @param abandoned whether a wait has to end; looked at every 10 ms and when the thread is unparked, without a lock
     * @throws PagedMemoryException as above, or if it was abandoned while it waited
     */
    public void write(long offset, DirectBuffer source, int index, int length, BooleanSupplier abandoned) {
        check(offset, length);
        source.boundsCheck(index, length);
        long at = offset;
        int from = index;
        for (int left = length; left > 0; ) {
            int to = geometry.inPage(at);
            int bytes = Math.min(left, geometry.pageLength - to);
            writePage(geometry.page(at), to, source, from, bytes, abandoned);
            at += bytes;
            from += bytes;
            left -= bytes;
        }
    }

    private void writePage(long page, int to, DirectBuffer source, int index, int length, BooleanSupplier abandoned) {
        Block block = space.get(geometry.block(page));
        int inBlock = geometry.inBlock(page);
        Attempt attempt = block.write(inBlock, to, source, index, length);
        if (isHit(attempt, page)) {
            return;
        }
        counters.faults.increment();
        Deadline deadline = Deadline.in(timeout, abandoned);
        while (!isDone(attempt, page)) {
            if (attempt == Attempt.NEEDS_FRAME) {
                attempt = writeNew(block, inBlock, to, source, index, length, deadline);
            } else {
                resolve(attempt, block, page, deadline);
                attempt = block.write(inBlock, to, source, index, length);
            }
        }
    }

    /**
     * As {@link #read}, but waits for nothing: for threads that serve others meanwhile, callbacks of nodes included. If
     * pages are missing they begin to be loaded as far as there are frames, and the caller tries again, when
     * {@link PagedOptions#onProgress} says that something has changed, or some time later. Where peers are silent that
     * may be for {@link io.verbena.NodeContext#peerTimeout}; how long to try is the caller's to say.
     *
     * @return whether it is done; if not, the target has some of the bytes
     * @throws PageLostException if a page was lost with a peer
     */
    public boolean tryRead(long offset, MutableDirectBuffer target, int index, int length) {
        check(offset, length);
        target.boundsCheck(index, length);
        try {
            return immediate.read(offset, target, index, length);
        } catch (MemoryExhaustedException e) {
            return false; // to ask a peer: there is some again when others have answered
        }
    }

    /**
     * As {@link #write}, but waits for nothing, see {@link #tryRead}.
     *
     * @return whether all is written; if not, some of the bytes may be
     * @throws PageLostException if a part of a page would be written that was lost with a peer
     * @throws NoRoomException if there is no room for a new block
     */
    public boolean tryWrite(long offset, DirectBuffer source, int index, int length) {
        check(offset, length);
        source.boundsCheck(index, length);
        try {
            return immediate.write(offset, source, index, length);
        } catch (MemoryExhaustedException e) {
            return false;
        }
    }

    private Attempt writeNew(
            Block block, int inBlock, int to, DirectBuffer source, int index, int length, Deadline deadline) {
        int frame = pager.frame(block, inBlock, deadline);
        Attempt attempt = block.writeNew(inBlock, frame, to, source, index, length);
        if (attempt != Attempt.DONE) {
            pager.give(frame);
        }
        return attempt;
    }

    private boolean isHit(Attempt attempt, long page) {
        if (!isDone(attempt, page)) {
            return false;
        }
        counters.hits.increment();
        return true;
    }

    private boolean isDone(Attempt attempt, long page) {
        if (attempt == Attempt.DONE_AHEAD) {
            readAhead.onFirstUse(page);
        }
        return attempt == Attempt.DONE || attempt == Attempt.DONE_AHEAD;
    }

    /** Does what an attempt found missing, and waits for it. */
    private void resolve(Attempt attempt, Block block, long page, Deadline deadline) {
        pager.checkOpen();
        int inBlock = geometry.inBlock(page);
        pager.checkInTime(block, inBlock, deadline);
        immediate.throwIfFinal(attempt, block, page);
        if (attempt == Attempt.ABSENT) {
            pager.load(block, inBlock, deadline);
            readAhead.onFault(page);
        }
        pager.awaitLoad(block, inBlock, deadline);
    }

    private void check(long offset, long length) {
        checkRange(offset, length);
        if (closed.get()) {
            pager.checkOpen();
        }
    }

    private void checkRange(long offset, long length) {
        if (offset < 0 || length < 0 || offset > geometry.size - length) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + " + length " + length + " leaves the memory of " + geometry.size + " bytes");
        }
    }

    // ---- advice -----------------------------------------------------------------------------------------------------

    /**
     * Says how a range will be used. Waits for nothing, and is followed as far as there is room now.
     *
     * @param offset of the first byte
     * @param length in bytes, at least 0. NORMAL, SEQUENTIAL and RANDOM are kept for each block that the range
     *     touches, until the next such advice; WILL_NEED concerns each page that it touches, DONT_NEED each page that
     *     lies in it
     * @throws IndexOutOfBoundsException if the range leaves the memory
     */
    public void advise(long offset, long length, Advice advice) {
        check(offset, length);
        Objects.requireNonNull(advice, "advice");
        if (length == 0) {
            return;
        }
        long first = geometry.page(offset);
        long last = geometry.page(offset + length - 1);
        switch (advice) {
            case WILL_NEED -> readAhead.load(first, Math.min(last + 1, first + Math.max(1, frames() / 2)));
            case DONT_NEED -> drop(geometry.page(offset + geometry.pageLength - 1), geometry.page(offset + length));
            default -> readAhead.advise(geometry.block(first), geometry.block(last) + 1, advice);
        }
    }

    private int frames() {
        return space.frames().count();
    }

    /** What is done to pages of a block. */
    private interface OnPages {
        void on(Block block, int from, int to);
    }

    private void drop(long from, long to) {
        forEachPart(from, to, (block, first, last) -> {
            block.drop(first, last);
            pager.writeBehind(block);
        });
    }

    private void forEachPart(long from, long to, OnPages action) {
        for (long page = from; page < to; ) {
            int number = geometry.block(page);
            long next = Math.min(to, geometry.page(number + 1, 0));
            Block block = space.find(number);
            if (block != null) {
                int first = geometry.inBlock(page);
                action.on(block, first, first + (int) (next - page));
            }
            page = next;
        }
    }

    /**
     * Forgets what is in whole pages: they are as if they had never been written, lost ones too, and their frames are
     * free. Waits for nothing, and does nothing to a memory that is closed.
     *
     * @param offset of the first byte, a multiple of the page's length
     * @param length in bytes, another multiple
     * @throws IndexOutOfBoundsException if the range leaves the memory
     * @throws IllegalArgumentException if it is not of whole pages
     */
    public void discard(long offset, long length) {
        checkRange(offset, length);
        if (geometry.inPage(offset | length) != 0) {
            throw new IllegalArgumentException("offset " + offset + " and length " + length
                    + " are not both multiples of the page's length " + geometry.pageLength);
        }
        forEachPart(geometry.page(offset), geometry.page(offset + length), Block::discard);
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /**
     * Waits until what was written before is with its replicas. Pages that other threads go on to write may have to be
     * waited for until they pause.
     *
     * @param limit how long it may take
     * @throws PageLostException if a page was lost with a peer
     * @throws PagedMemoryException if it takes longer; what was written stays in its frames
     */
    public void flush(Duration limit) {
        flush(0, geometry.size, limit, NEVER);
    }

    /**
     * Waits until what was written before to the blocks of a range is with its replicas.
     *
     * @param offset of the first byte
     * @param length in bytes, at least 0
     * @param limit how long it may take
     * @param abandoned whether to give up waiting, as for a read
     * @throws IndexOutOfBoundsException if the range leaves the memory
     * @throws PageLostException if a page of these blocks was lost with a peer
     * @throws PagedMemoryException if it takes longer, or is abandoned; what was written stays in its frames
     */
    public void flush(long offset, long length, Duration limit, BooleanSupplier abandoned) {
        check(offset, length);
        pager.checkOpen();
        if (length == 0) {
            return;
        }
        Deadline deadline = Deadline.in(limit, abandoned);
        int first = geometry.block(geometry.page(offset));
        int last = geometry.block(geometry.page(offset + length - 1));
        for (int i = first; i <= last; i++) {
            Block block = space.find(i);
            if (block != null && block.hasDirty()) {
                pager.write(block); // of many blocks before one is waited for
            }
        }
        for (int i = first; i <= last; i++) {
            Block block = space.find(i);
            if (block != null) {
                pager.save(block, deadline);
            }
        }
        forEachPart(
                geometry.page(first, 0), geometry.page(last + 1, 0), (block, from, to) -> immediate.throwIfLost(block));
    }

    /** What it has done and holds. Looks at each block. */
    public PagedStatistics statistics() {
        return Inspection.statistics(space, peers);
    }

    /** What is lost, in the order of offsets; adjacent pages that were lost with the same peer are one range. */
    public List<LostRange> lost() {
        return Inspection.lost(space);
    }

    /**
     * Ends the memory and what is in it. Threads that wait get an {@link IllegalStateException}. Nothing is written
     * back; the peers' regions are as they are. Idempotent.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            pager.close();
            keeper.close();
            remote.close();
            FileStore file = space.stores().file();
            if (file != null) {
                file.close();
            }
        }
    }

    @Override
    public String toString() {
        return "paged memory of " + geometry.size + " bytes, " + session;
    }
}
