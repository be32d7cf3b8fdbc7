package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * An append queue of a peer's that is mapped here, as who appends to it sees it: something that fills up for all of
 * them.
 *
 * <p>Used under the engine's baton.
 */
public final class MappedQueue {
    /** A consumer that takes nothing for so long is not waited for: the queue's own bound is what holds. */
    private static final long STOPPED_NANOS = 100_000_000;

    private final Appender appender;
    private final int id;
    private final OutputQueue output = new OutputQueue();
    private final PathWindow window = new PathWindow(new Contention());
    private long head; // when it was last seen to move
    private long movedAt = Long.MIN_VALUE;
    private boolean hasRefused;
    boolean counted; // among what the peer's engine takes; the path's

    MappedQueue(Appender appender, int id) {
        this.appender = appender;
        this.id = id;
    }

    /** The queue that a request of a ring's slot appends to, if that is mapped here. */
    static @Nullable MappedQueue of(Path to, SendRing ring, int slot) {
        boolean appends = ring.buffer().getByte(slot + SendWqeDescriptor.OPCODE) == QpRequester.APPEND;
        return appends ? to.queue((int) ring.buffer().getLong(slot + SendWqeDescriptor.REMOTE_OFFSET)) : null;
    }

    /** What fills up for all that append here when it refuses a message, or when its own window is full. */
    public OutputQueue output() {
        return output;
    }

    /** What bounds the bytes in it while several groups append here, and somebody takes them who takes nothing else. */
    PathWindow window() {
        return window;
    }

    /** It had no room for a message. */
    public void refused() {
        hasRefused = true;
    }

    /**
     * Whether it has had no room once, it or another queue of its number before: then who appends stands at its output,
     * which holds nobody up while there is room.
     */
    boolean hasRefused() {
        return hasRefused;
    }

    /** Whether the peer's engine takes its messages: then they share that one's time with all else that it takes. */
    boolean isTakenByEngine() {
        return appender.isTakenByEngine(id);
    }

    /** Bytes that its consumer has not taken; 0 if it takes none at present. */
    public int unread(long now) {
        long position = appender.head(id);
        if (position != head || movedAt == Long.MIN_VALUE) {
            head = position;
            movedAt = now;
        }
        int bytes = appender.unread(id);
        if (bytes == 0) {
            movedAt = now;
        }
        return now - movedAt > STOPPED_NANOS ? 0 : bytes;
    }
}
