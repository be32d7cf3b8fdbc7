package io.verbena.tier;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Access that never waits: what is missing is begun to be loaded, and the caller tries again. For threads that serve
 * others meanwhile. Thread-safe.
 */
final class ImmediateAccess {
    private final Space space;
    private final Geometry geometry;
    private final Counters counters;
    private final Pager pager;

    ImmediateAccess(Space space, Pager pager) {
        this.space = space;
        this.geometry = space.geometry();
        this.counters = space.counters();
        this.pager = pager;
    }

    /** Reads a range, if all its pages are here; begins to load those that are not. @return whether it is done */
    boolean read(long offset, MutableDirectBuffer target, int index, int length) {
        boolean done = true;
        long at = offset;
        int to = index;
        for (int left = length; left > 0; ) {
            int from = geometry.inPage(at);
            int bytes = Math.min(left, geometry.pageLength - from);
            done &= readPage(geometry.page(at), from, target, to, bytes);
            at += bytes;
            to += bytes;
            left -= bytes;
        }
        return done;
    }

    private boolean readPage(long page, int from, MutableDirectBuffer target, int index, int length) {
        Block block = space.find(geometry.block(page));
        if (block == null) {
            counters.hits.increment();
            target.setMemory(index, length, (byte) 0);
            return true;
        }
        return isDone(block.read(geometry.inBlock(page), from, target, index, length), block, page);
    }

    /** Writes a range as far as that goes at once. @return whether all is written */
    boolean write(long offset, DirectBuffer source, int index, int length) {
        boolean done = true;
        long at = offset;
        int from = index;
        for (int left = length; left > 0; ) {
            int to = geometry.inPage(at);
            int bytes = Math.min(left, geometry.pageLength - to);
            done &= writePage(geometry.page(at), to, source, from, bytes);
            at += bytes;
            from += bytes;
            left -= bytes;
        }
        return done;
    }

    private boolean writePage(long page, int to, DirectBuffer source, int index, int length) {
        Block block = space.get(geometry.block(page));
        int inBlock = geometry.inBlock(page);
        Attempt attempt = block.write(inBlock, to, source, index, length);
        if (attempt == Attempt.NEEDS_FRAME) {
            int frame = pager.tryFrame();
            if (frame == Frames.NONE) {
                return false;
            }
            attempt = block.writeNew(inBlock, frame, to, source, index, length);
            if (attempt != Attempt.DONE) {
                pager.give(frame);
            }
        }
        return isDone(attempt, block, page);
    }

    private boolean isDone(Attempt attempt, Block block, long page) {
        switch (attempt) {
            case DONE, DONE_AHEAD -> {
                counters.hits.increment();
                return true;
            }
            case ABSENT -> {
                if (pager.tryLoad(block, geometry.inBlock(page))) {
                    counters.faults.increment();
                }
            }
            case LOST, NO_ROOM -> throwIfFinal(attempt, block, page);
            case BUSY, NEEDS_FRAME -> {}
        }
        return false;
    }

    /** Throws if a page of a block is lost. */
    void throwIfLost(Block block) {
        long lost = block.lost();
        if (lost != 0) {
            throwIfFinal(Attempt.LOST, block, geometry.page(block.number(), Long.numberOfTrailingZeros(lost)));
        }
    }

    /** Throws if trying again does not help. */
    void throwIfFinal(Attempt attempt, Block block, long page) {
        if (attempt == Attempt.LOST) {
            @Nullable Store store = block.lostWith(geometry.inBlock(page));
            if (store != null) {
                throw new PageLostException(geometry.offset(page), geometry.pageLength, store.toString());
            }
        } else if (attempt == Attempt.NO_ROOM) {
            throw new NoRoomException("no room for block " + block.number() + " (offset "
                    + geometry.offset(geometry.page(block.number(), 0)) + "): "
                    + space.stores().rooms());
        }
    }
}
