package io.verbena.tier;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The page table of a block: the state and frame of each page ({@link PageState}), and the replicas of the block.
 *
 * <p>Thread-safe: its monitor guards everything, and is held while bytes are copied from or to a frame, so that
 * accesses within a page are atomic to each other. It is never held while something is posted, read from a file, or
 * waited for. Taken under it are only the locks of {@link Frames} and {@link Stores}, which are held for a few
 * instructions.
 */
final class Block {
    /** What is to be written: a bit for each page, which go to each of the replicas. */
    record Batch(long pages, List<Replica> replicas) {}

    private final int number;
    private final Space space;
    private final Frames frames;
    private final Counters counters;
    private final PageState[] states;
    private final int[] frameOf;
    private final byte[] pending; // writes under way
    private final Waiters waiters = new Waiters();
    private List<Replica> replicas = List.of();
    private long lost; // a bit for each page
    private int @Nullable [] lostWith; // the store that had it last
    private long dropping; // pages that need no frame once they are clean
    private long discarded; // pages under way whose bytes nobody wants
    private int dirty; // pages that are DIRTY

    Block(int number, Space space) {
        this.number = number;
        this.space = space;
        this.frames = space.frames();
        this.counters = space.counters();
        int pages = space.geometry().pagesPerBlock;
        this.states = new PageState[pages];
        Arrays.fill(states, PageState.ABSENT);
        this.frameOf = new int[pages];
        this.pending = new byte[pages];
    }

    int number() {
        return number;
    }

    Waiters waiters() {
        return waiters;
    }

    private static long bit(int page) {
        return 1L << page;
    }

    // ---- access -----------------------------------------------------------------------------------------------------

    /** Reads within a page, if that needs no I/O: DONE, DONE_AHEAD, ABSENT, BUSY or LOST. */
    synchronized Attempt read(int page, int from, MutableDirectBuffer target, int index, int length) {
        PageState state = states[page];
        if (state.isResident) {
            int frame = frameOf[page];
            frames.read(frame, from, target, index, length);
            return frames.touch(frame) ? Attempt.DONE_AHEAD : Attempt.DONE;
        }
        if (state == PageState.ABSENT && !isLost(page) && !isStored(page)) {
            target.setMemory(index, length, (byte) 0);
            return Attempt.DONE;
        }
        return missing(page);
    }

    /** Writes within a page, if that needs no I/O: DONE, DONE_AHEAD, ABSENT, BUSY, LOST or NEEDS_FRAME. */
    synchronized Attempt write(int page, int from, DirectBuffer source, int index, int length) {
        PageState state = states[page];
        if (state.isResident) {
            int frame = frameOf[page];
            outdate(page); // one that is dirty may be with one replica, and not with the other
            if (state == PageState.CLEAN) {
                set(page, PageState.DIRTY);
            } else if (state == PageState.WRITING) {
                set(page, PageState.REWRITTEN);
            }
            dropping &= ~bit(page);
            discarded &= ~bit(page);
            frames.write(frame, from, source, index, length);
            return frames.touch(frame) ? Attempt.DONE_AHEAD : Attempt.DONE;
        }
        return needsNoLoad(page, length) ? Attempt.NEEDS_FRAME : missing(page);
    }

    /**
     * Writes within a page that has no frame and needs nothing that a replica has: DONE, or NO_ROOM, or BUSY if it has
     * one by now; unless it is DONE, the frame stays the caller's.
     */
    synchronized Attempt writeNew(int page, int frame, int from, DirectBuffer source, int index, int length) {
        if (!needsNoLoad(page, length)) {
            return Attempt.BUSY;
        }
        if (replicas.isEmpty() && !place()) {
            return Attempt.NO_ROOM;
        }
        if (length < space.geometry().pageLength) {
            frames.zero(frame);
        }
        frames.write(frame, from, source, index, length);
        outdate(page);
        forgetLoss(page);
        own(page, frame, PageState.DIRTY);
        return Attempt.DONE;
    }

    private boolean needsNoLoad(int page, int length) {
        return states[page] == PageState.ABSENT
                && (length == space.geometry().pageLength || (!isLost(page) && !isStored(page)));
    }

    private Attempt missing(int page) {
        if (states[page] == PageState.LOADING) {
            return Attempt.BUSY;
        }
        return isLost(page) ? Attempt.LOST : Attempt.ABSENT;
    }

    // ---- loading ----------------------------------------------------------------------------------------------------

    /** Whether a replica has the page, and no frame. */
    synchronized boolean isLoadable(int page) {
        return states[page] == PageState.ABSENT && isStored(page);
    }

    /** Whether a page has no frame and is not lost. */
    synchronized boolean isAbsent(int page) {
        dropDead();
        return states[page] == PageState.ABSENT;
    }

    /**
     * Begins to load a page into a frame, which is the block's from now on.
     *
     * @param ahead whether nobody has asked for it yet
     * @return where to read it; null if there is nothing to load, and the frame stays the caller's
     */
    synchronized @Nullable Replica beginLoad(int page, int frame, boolean ahead) {
        dropDead();
        if (states[page] != PageState.ABSENT) {
            return null;
        }
        for (int i = 0; i < replicas.size(); i++) {
            Replica each = replicas.get((number + i) % replicas.size()); // readers of many blocks use all peers
            if (each.has(page)) {
                own(page, frame, PageState.LOADING);
                if (ahead) {
                    frames.markAhead(frame);
                }
                return each;
            }
        }
        return null;
    }

    /** A load that was begun has ended, from the store of that number. */
    synchronized void endLoad(int page, int store, boolean done) {
        if ((discarded & bit(page)) != 0) {
            disown(page);
        } else if (done) {
            settle(page);
        } else {
            disown(page);
            dropDead();
            if (!isLost(page) && !isStored(page)) {
                lose(page, store);
            }
        }
        waiters.wake();
    }

    synchronized boolean isLoading(int page) {
        return states[page] == PageState.LOADING;
    }

    // ---- writing back -----------------------------------------------------------------------------------------------

    /** Whether there may be something to write; races. */
    boolean hasDirty() {
        return dirty > 0;
    }

    /** Begins to write all pages that are dirty. @return null if there are none, or there is no room for them */
    synchronized @Nullable Batch beginWrite() {
        dropDead();
        if (dirty == 0 || (replicas.isEmpty() && !place())) {
            return null;
        }
        long pages = 0;
        for (int page = 0; page < states.length; page++) {
            if (states[page] == PageState.DIRTY) {
                set(page, PageState.WRITING);
                pending[page] = (byte) replicas.size();
                pages |= bit(page);
            }
        }
        return new Batch(pages, replicas);
    }

    /** The frame of a page that is being loaded or written. */
    synchronized int frame(int page) {
        return frameOf[page];
    }

    /** A write that was begun has ended, to the store of that number. */
    synchronized void endWrite(int page, int store, boolean done) {
        if (done && states[page] == PageState.WRITING) {
            for (Replica each : replicas) {
                if (each.store.number() == store) {
                    each.add(page);
                }
            }
        }
        if (--pending[page] == 0) {
            if ((discarded & bit(page)) != 0) {
                disown(page);
            } else if (states[page] == PageState.REWRITTEN) {
                set(page, PageState.DIRTY);
            } else {
                settle(page);
                counters.writeBacks.add(states[page] == PageState.DIRTY ? 0 : 1);
            }
            waiters.wake();
        }
    }

    /** A bit for each page that a replica lacks. */
    synchronized long unsaved() {
        dropDead();
        long pages = 0;
        for (int page = 0; page < states.length; page++) {
            pages |= states[page].isDirty ? bit(page) : 0;
        }
        return pages;
    }

    // ---- frames -----------------------------------------------------------------------------------------------------

    /** Takes the frame from a page that is clean. @return whether it is the caller's now */
    synchronized boolean evict(int frame) {
        int page = frames.page(frame);
        if (states[page] != PageState.CLEAN || frameOf[page] != frame) {
            return false;
        }
        dropDead();
        if (states[page] != PageState.CLEAN) {
            return false; // a peer that had it is lost
        }
        release(page);
        return true;
    }

    /** Gives frames back: those of clean pages now, those of others as soon as they are clean. */
    synchronized void drop(int from, int to) {
        dropDead();
        for (int page = from; page < to; page++) {
            if (states[page] == PageState.CLEAN) {
                disown(page);
            } else if (states[page] != PageState.ABSENT) {
                dropping |= bit(page);
            }
        }
    }

    /**
     * Makes pages as if they had never been written. One that is under way keeps its frame until that has ended, and
     * reads as 0 meanwhile, or is waited for.
     */
    synchronized void discard(int from, int to) {
        for (int page = from; page < to; page++) {
            outdate(page);
            forgetLoss(page);
            PageState state = states[page];
            if (state == PageState.CLEAN || state == PageState.DIRTY) {
                disown(page);
            } else if (state != PageState.ABSENT) {
                discarded |= bit(page);
            }
            if (state == PageState.WRITING || state == PageState.REWRITTEN) {
                frames.zero(frameOf[page]);
                set(page, PageState.REWRITTEN);
            }
        }
    }

    // ---- replicas ---------------------------------------------------------------------------------------------------

    /** Drops the replicas at peers that are lost. */
    synchronized void check() {
        dropDead();
    }

    /** Finds another peer for a block that lacks one. @return whether its pages have to be loaded to be copied there */
    synchronized boolean replicate() {
        dropDead();
        if (replicas.isEmpty()
                || isSpilled()
                || replicas.size() >= space.stores().replicas()) {
            return false;
        }
        int before = replicas.size();
        place();
        for (int page = 0; page < states.length; page++) {
            if (states[page] == PageState.CLEAN) {
                settle(page);
            }
        }
        return replicas.size() > before;
    }

    /** Whether a replica has the page, another lacks it, and it is not in a frame, or not yet. */
    synchronized boolean isToBeCopied(int page) {
        return lacksCopy(page);
    }

    private boolean lacksCopy(int page) {
        boolean hasNoFrame = states[page] == PageState.ABSENT || states[page] == PageState.LOADING;
        return hasNoFrame && isStored(page) && !isComplete(page);
    }

    /** Whether a page of it that no frame has is at fewer peers than wanted. */
    synchronized boolean isSingle() {
        dropDead();
        if (replicas.isEmpty() || isSpilled()) {
            return false;
        }
        boolean isSingle = replicas.size() < space.stores().replicas();
        for (int page = 0; page < states.length && !isSingle; page++) {
            isSingle = lacksCopy(page);
        }
        return isSingle;
    }

    private boolean isSpilled() {
        return replicas.get(0).store == space.stores().file();
    }

    private boolean place() {
        replicas = space.stores().complete(replicas);
        return !replicas.isEmpty();
    }

    private void dropDead() {
        for (Replica each : replicas) {
            if (!each.store.isAlive()) {
                dropReplica(each);
            }
        }
    }

    private void dropReplica(Replica dead) {
        List<Replica> left = new ArrayList<>(replicas);
        left.remove(dead);
        replicas = List.copyOf(left);
        for (int page = 0; page < states.length; page++) {
            if (dead.has(page) && !isStored(page)) {
                if (states[page] == PageState.ABSENT) {
                    lose(page, dead.store.number());
                } else if (states[page] == PageState.CLEAN) {
                    set(page, PageState.DIRTY);
                }
            }
        }
    }

    private void lose(int page, int store) {
        int[] with = lostWith;
        if (with == null) {
            with = new int[states.length];
            lostWith = with;
        }
        with[page] = store;
        lost |= bit(page);
        counters.lost.increment();
    }

    /** A page is not lost any more. */
    private void forgetLoss(int page) {
        if (isLost(page)) {
            lost &= ~bit(page);
            counters.lost.decrement();
        }
    }

    /** A bit for each page that is lost. */
    synchronized long lost() {
        dropDead();
        return lost;
    }

    private boolean isLost(int page) {
        return (lost & bit(page)) != 0;
    }

    /** The store that a lost page was in; null if the page is not lost. */
    synchronized @Nullable Store lostWith(int page) {
        int[] with = lostWith;
        return with == null || !isLost(page) ? null : space.stores().get(with[page]);
    }

    private boolean isStored(int page) {
        for (int i = 0; i < replicas.size(); i++) {
            if (replicas.get(i).has(page)) {
                return true;
            }
        }
        return false;
    }

    private boolean isComplete(int page) {
        for (int i = 0; i < replicas.size(); i++) {
            if (!replicas.get(i).has(page)) {
                return false;
            }
        }
        return !replicas.isEmpty();
    }

    private void outdate(int page) {
        for (int i = 0; i < replicas.size(); i++) {
            replicas.get(i).remove(page);
        }
    }

    /** The stores that have the block, for texts. */
    synchronized String places() {
        StringBuilder text = new StringBuilder();
        for (Replica each : replicas) {
            text.append(text.isEmpty() ? "" : " and ").append(each.store);
        }
        return text.isEmpty() ? "no peer" : text.toString();
    }

    // ---- states -----------------------------------------------------------------------------------------------------

    /** Finds out whether a page that is not under way is at every replica. */
    private void settle(int page) {
        boolean clean = isComplete(page);
        set(page, clean ? PageState.CLEAN : PageState.DIRTY);
        if (clean && (dropping & bit(page)) != 0) {
            disown(page);
        } else if (clean) {
            frames.changed();
        }
    }

    private void own(int page, int frame, PageState state) {
        frameOf[page] = frame;
        frames.own(frame, this, page);
        dropping &= ~bit(page);
        discarded &= ~bit(page);
        set(page, state);
    }

    private void disown(int page) {
        release(page);
        frames.give(frameOf[page]);
    }

    private void release(int page) {
        frames.disown(frameOf[page]);
        dropping &= ~bit(page);
        discarded &= ~bit(page);
        set(page, PageState.ABSENT);
    }

    private void set(int page, PageState now) {
        PageState before = states[page];
        states[page] = now;
        if ((before == PageState.DIRTY) != (now == PageState.DIRTY)) {
            dirty += now == PageState.DIRTY ? 1 : -1;
        }
        if (before.isDirty != now.isDirty) {
            counters.dirty.add(now.isDirty ? 1 : -1);
        }
        if (before.isResident != now.isResident) {
            counters.resident.add(now.isResident ? 1 : -1);
        }
    }
}
