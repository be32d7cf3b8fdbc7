package io.verbena.tier;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Chooses the frame that is used again: a clock with two hands, as in 4.3BSD. The front hand forgets that a frame was
 * used, and has its block written if that is dirty; the back hand follows a quarter of a turn later, and takes the
 * frame if it is clean and was not used since. So writes have ended when their frames are wanted, and an eviction costs
 * no I/O. The front hand sets out when a quarter of the frames is left.
 *
 * <p>Thread-safe, without a lock of its own: threads that look at once look at different frames.
 */
final class Clock {
    private static final int MAX_LOOKS = 1024;
    private static final int FRONT_STEPS = 2;

    private final Frames frames;
    private final LongAdder evictions;
    private final Consumer<Block> writer;
    private final int lead; // frames from the back hand to the front hand
    private final int looks;
    private final AtomicLong front = new AtomicLong();
    private final AtomicLong back = new AtomicLong();

    /**
     * Creates it.
     *
     * @param evictions counts
     * @param writer begins to write the dirty pages of a block, and does not wait
     */
    Clock(Frames frames, LongAdder evictions, Consumer<Block> writer) {
        this.frames = frames;
        this.evictions = evictions;
        this.writer = writer;
        this.lead = Math.max(1, frames.count() / 4);
        this.looks = (int) Math.min(MAX_LOOKS, 2L * frames.count());
    }

    /** Takes a frame, which must be free or clean. Does not wait. @return {@link Frames#NONE} if none was found */
    int acquire() {
        int frame = frames.take();
        try {
            if (frames.freeCount() < lead) {
                moveFront();
            }
        } catch (RuntimeException | Error e) {
            if (frame != Frames.NONE) {
                frames.give(frame);
            }
            throw e;
        }
        for (int i = 0; i < looks && frame == Frames.NONE; i++) {
            int at = (int) (back.getAndIncrement() % frames.count());
            moveFront();
            Block owner = frames.isReferenced(at) ? null : frames.owner(at);
            if (owner != null && owner.evict(at)) {
                evictions.increment();
                frame = at;
            }
        }
        return frame == Frames.NONE ? frames.take() : frame;
    }

    private void moveFront() {
        for (int i = 0; i < FRONT_STEPS; i++) {
            long at = front.get();
            if (at >= back.get() + lead) {
                return;
            }
            if (front.compareAndSet(at, at + 1)) {
                int frame = (int) (at % frames.count());
                frames.clearReference(frame);
                Block owner = frames.owner(frame);
                if (owner != null && owner.hasDirty()) {
                    writer.accept(owner);
                }
            }
        }
    }
}
