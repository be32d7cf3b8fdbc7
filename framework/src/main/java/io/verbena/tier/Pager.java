package io.verbena.tier;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RemoteSession;
import io.verbena.SendResult;
import io.verbena.nic.port.MemoryExhaustedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Moves pages between frames and stores, and waits for that. Operations are posted without a lock and end in handlers,
 * on whichever thread polls; a page's state says to others that it is under way.
 *
 * <p>Thread-safe. Whoever waits holds no lock, and no frame but that which it waits for to be filled.
 */
final class Pager {
    private static final int STORE_SHIFT = 48; // correlation: the store's number, and the page's
    private static final long PAGE_MASK = (1L << STORE_SHIFT) - 1;
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(100);

    private final Space space;
    private final Geometry geometry;
    private final Frames frames;
    private final RemoteSession session;
    private final Clock clock;
    private final Runnable onProgress;
    private final OperationHandler onLoaded = this::onLoaded;
    private final OperationHandler onWritten = this::onWritten;
    private volatile boolean closed;

    /**
     * Creates it.
     *
     * @param onProgress called when a page was loaded or written, by the node's thread
     */
    Pager(Space space, RemoteSession session, Runnable onProgress) {
        this.onProgress = onProgress;
        this.space = space;
        this.geometry = space.geometry();
        this.frames = space.frames();
        this.session = session;
        this.clock = new Clock(frames, space.counters().evictions, this::writeBehind);
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    /**
     * Posts the reads or writes of a block's pages, which were begun, one after another, so that adjacent ones merge.
     * After the first that is refused the others are not tried: they have failed, too.
     */
    private final class Posting implements Runnable {
        private final Block block;
        private final long pages;
        private final Replica replica;
        private final boolean reads;
        SendResult result = SendResult.SENT;

        @Nullable
        MemoryExhaustedException failure;

        Posting(Block block, long pages, Replica replica, boolean reads) {
            this.block = block;
            this.pages = pages;
            this.replica = replica;
            this.reads = reads;
        }

        /** Posts all. @return SENT, or why not all were taken */
        SendResult post() {
            replica.together(this);
            if (result == SendResult.CLOSED) {
                replica.store.failed();
            }
            return result;
        }

        @Override
        public void run() {
            for (long left = pages; left != 0; left &= left - 1) {
                int page = Long.numberOfTrailingZeros(left);
                try {
                    result = result == SendResult.SENT ? post(page) : result;
                } catch (MemoryExhaustedException e) { // it was not taken
                    failure = e;
                    result = SendResult.BACK_PRESSURED;
                }
                if (result != SendResult.SENT) {
                    end(page, false);
                }
            }
        }

        private SendResult post(int page) {
            Store store = replica.store;
            int frame = block.frame(page);
            UnsafeBuffer buffer = frames.buffer(frame);
            int index = frames.index(frame);
            long id = geometry.page(block.number(), page) | (long) store.number() << STORE_SHIFT;
            return reads
                    ? store.read(replica.offset(page), buffer, index, geometry.pageLength, id, onLoaded)
                    : store.write(replica.offset(page), buffer, index, geometry.pageLength, id, onWritten);
        }

        private void end(int page, boolean done) {
            if (reads) {
                block.endLoad(page, replica.store.number(), done);
            } else {
                block.endWrite(page, replica.store.number(), done);
            }
        }
    }

    // ---- loading ----------------------------------------------------------------------------------------------------

    /**
     * Begins to load a page that somebody waits for, unless another thread does or it is lost; waits for a frame for as
     * long as neither is so.
     */
    void load(Block block, int page, Deadline deadline) {
        int frame;
        do {
            if (!block.isAbsent(page)) {
                return;
            }
            frame = nextFrame(block, page, deadline);
        } while (frame == Frames.NONE);
        Replica source = block.beginLoad(page, frame, false);
        if (source == null) {
            frames.give(frame);
            return;
        }
        Posting posting = new Posting(block, 1L << page, source, true);
        if (posting.post() == SendResult.BACK_PRESSURED) {
            throwIfPresent(posting.failure);
            await(() -> closed, deadline.left(PAUSE)); // lets some of what is under way end
        }
    }

    /** Begins to load a page, if there is a frame and nobody else does. Does not wait. @return whether it is posted */
    boolean tryLoad(Block block, int page) {
        int frame = clock.acquire();
        if (frame == Frames.NONE) {
            return false;
        }
        Replica source = block.beginLoad(page, frame, false);
        if (source == null) {
            frames.give(frame);
            return false;
        }
        Posting posting = new Posting(block, 1L << page, source, true);
        boolean posted = posting.post() == SendResult.SENT;
        throwIfPresent(posting.failure);
        return posted;
    }

    /**
     * Begins to load those pages of a range that nobody has asked for and that have no frame.
     *
     * @return whether others may follow; otherwise there is no frame, or too much under way
     */
    boolean loadAhead(Block block, int from, int to) {
        boolean goesOn = true;
        Replica source = null;
        long pages = 0;
        for (int page = from; page < to && goesOn; page++) {
            if (block.isLoadable(page)) {
                int frame = clock.acquire();
                goesOn = frame != Frames.NONE;
                Replica next = goesOn ? block.beginLoad(page, frame, true) : null;
                if (goesOn && next == null) {
                    frames.give(frame);
                } else if (next != null) {
                    if (source != null && next != source) {
                        goesOn = postAhead(block, pages, source);
                        pages = 0;
                    }
                    source = next;
                    pages |= 1L << page;
                }
            }
        }
        return (source == null || postAhead(block, pages, source)) && goesOn;
    }

    private boolean postAhead(Block block, long pages, Replica source) {
        boolean all = new Posting(block, pages, source, true).post() == SendResult.SENT;
        space.counters().readAhead.add(all ? Long.bitCount(pages) : 0);
        return all;
    }

    private void onLoaded(long id, Outcome outcome, long value) {
        Store store = store(id);
        if (outcome != Outcome.DONE) {
            store.failed();
        }
        block(id).endLoad(page(id), store.number(), outcome == Outcome.DONE);
        onProgress.run();
    }

    /** Waits until a page is not being loaded, whatever became of it. */
    void awaitLoad(Block block, int page, Deadline deadline) {
        while (!await(block.waiters(), () -> !block.isLoading(page), deadline)) {
            if (deadline.isOver()) {
                throw late(block, page, "read", deadline);
            }
        }
    }

    // ---- writing ----------------------------------------------------------------------------------------------------

    /**
     * Begins to write the dirty pages of a block to its replicas. What is refused for now stays dirty.
     *
     * @throws MemoryExhaustedException if there was no memory to post all of them
     */
    void write(Block block) {
        throwIfPresent(post(block));
    }

    /** The same where nobody waits for it: what there is no memory to post stays dirty too, and is tried again. */
    void writeBehind(Block block) {
        post(block);
    }

    private @Nullable MemoryExhaustedException post(Block block) {
        Block.Batch batch = block.beginWrite();
        if (batch == null) {
            return null;
        }
        MemoryExhaustedException failure = null;
        for (Replica replica : batch.replicas()) {
            Posting posting = new Posting(block, batch.pages(), replica, false);
            posting.post();
            failure = posting.failure == null ? failure : posting.failure;
        }
        return failure;
    }

    private static void throwIfPresent(@Nullable MemoryExhaustedException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    private void onWritten(long id, Outcome outcome, long value) {
        Store store = store(id);
        if (outcome != Outcome.DONE) {
            store.failed();
        }
        block(id).endWrite(page(id), store.number(), outcome == Outcome.DONE);
        onProgress.run();
    }

    /** Writes what is dirty in a block, and waits until that is with its replicas. */
    void save(Block block, Deadline deadline) {
        for (long left = block.unsaved(); left != 0; left &= block.unsaved()) {
            write(block);
            long before = left;
            await(block.waiters(), () -> (block.unsaved() & before) != before, deadline);
            if (deadline.isOver() && (block.unsaved() & left) != 0) {
                throw late(block, Long.numberOfTrailingZeros(left), "written", deadline);
            }
        }
    }

    // ---- frames -----------------------------------------------------------------------------------------------------

    /** A frame, which is the caller's; waits for it. */
    int frame(Block block, int page, Deadline deadline) {
        int frame;
        do {
            frame = nextFrame(block, page, deadline);
        } while (frame == Frames.NONE);
        return frame;
    }

    /** A frame, or {@link Frames#NONE} after a while in which one may have come to be free. */
    private int nextFrame(Block block, int page, Deadline deadline) {
        long seen = frames.changes();
        int frame = clock.acquire();
        if (frame == Frames.NONE) {
            await(frames.waiters(), () -> frames.changes() != seen, deadline);
            if (deadline.isOver()) {
                throw new PagedMemoryException(
                        name(block, page) + " got none of the " + frames.count() + " frames " + deadline + ": "
                                + space.counters().dirty.sum() + " are dirty; "
                                + space.stores().rooms());
            }
        }
        return frame;
    }

    /** A frame, which is the caller's; does not wait. @return {@link Frames#NONE} if there is none */
    int tryFrame() {
        return clock.acquire();
    }

    /** Gives a frame back that was not used. */
    void give(int frame) {
        frames.give(frame);
    }

    // ---- waiting ----------------------------------------------------------------------------------------------------

    /** Waits a while. @return whether the condition holds */
    private boolean await(Waiters waiters, BooleanSupplier condition, Deadline deadline) {
        waiters.add();
        try {
            return await(condition, deadline.left(LOOK));
        } finally {
            waiters.remove();
        }
    }

    private boolean await(BooleanSupplier condition, Duration longest) {
        boolean holds = session.await(condition, longest);
        checkOpen();
        return holds;
    }

    /** Throws if the time is over. */
    void checkInTime(Block block, int page, Deadline deadline) {
        if (deadline.isOver()) {
            throw late(block, page, "read", deadline);
        }
    }

    private PagedMemoryException late(Block block, int page, String what, Deadline deadline) {
        return new PagedMemoryException(
                name(block, page) + " was not " + what + " " + deadline + "; it is at " + block.places());
    }

    private String name(Block block, int page) {
        long number = geometry.page(block.number(), page);
        return "page " + number + " (offset " + geometry.offset(number) + ")";
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the paged memory is closed");
        }
    }

    /** Nobody waits any more. */
    void close() {
        closed = true;
        frames.changed();
    }

    // ---- correlation ------------------------------------------------------------------------------------------------

    private Store store(long id) {
        return space.stores().get((int) (id >>> STORE_SHIFT));
    }

    private Block block(long id) {
        return space.get(geometry.block(id & PAGE_MASK));
    }

    private int page(long id) {
        return geometry.inBlock(id & PAGE_MASK);
    }
}
