package io.verbena.redis;

import io.verbena.redis.resp.RespWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The replies that a connection still owes, in the order of its commands. Each command opens a slot; slots are filled
 * in any order; the oldest goes straight to the output, a younger one waits in a writer of its own.
 *
 * <pre>
 *        head                      tail
 *          v                         v
 *   sent | open | ready | open | ready |
 * </pre>
 *
 * <p>For one worker's thread; the ring grows with the commands in flight, which the connection bounds.
 */
final class ReplyQueue {
    private static final int FIRST_CAPACITY = 16;
    private static final byte READY = 1;
    private static final byte SUPPRESSED = 2;
    private static final byte RESP3 = 4;

    private final RespWriter out;
    private final WriterPool pool;
    private byte[] flags = new byte[FIRST_CAPACITY];
    private @Nullable RespWriter[] waiting = new RespWriter[FIRST_CAPACITY];
    private long head;
    private long tail;
    private int mark;
    private long bytes;

    ReplyQueue(RespWriter out, WriterPool pool) {
        this.out = out;
        this.pool = pool;
    }

    /** Commands whose reply is not in the output yet. */
    int size() {
        return (int) (tail - head);
    }

    /**
     * Opens a slot for the next command.
     *
     * @param protocol version of RESP that the client speaks by now
     * @param suppressed true if the client does not want the reply
     * @return number of the slot
     */
    long open(int protocol, boolean suppressed) {
        if (tail - head == flags.length) {
            grow();
        }
        flags[index(tail)] = (byte) ((protocol >= 3 ? RESP3 : 0) | (suppressed ? SUPPRESSED : 0));
        return tail++;
    }

    /** Where the reply of an open slot goes; {@link #finish} follows before another slot is written. */
    RespWriter writer(long slot) {
        int protocol = protocol(slot);
        if (slot == head) {
            mark = out.length();
            return out.protocol(protocol);
        }
        RespWriter writer = pool.acquire(protocol);
        waiting[index(slot)] = writer;
        return writer;
    }

    /** Version of RESP in which a slot is to be answered. */
    int protocol(long slot) {
        return (flags[index(slot)] & RESP3) != 0 ? 3 : 2;
    }

    /** Chooses anew whether the client wants the reply of an open slot. */
    void suppress(long slot, boolean suppressed) {
        int index = index(slot);
        flags[index] = (byte) (suppressed ? flags[index] | SUPPRESSED : flags[index] & ~SUPPRESSED);
    }

    /** Starts the reply of a slot anew, after {@link #writer}. */
    RespWriter rewrite(long slot) {
        RespWriter writer = waiting[index(slot)];
        if (writer == null) {
            out.truncate(mark);
            return out;
        }
        writer.truncate(0);
        return writer;
    }

    /**
     * The reply of a slot is complete. Moves what can go to the output.
     *
     * @return bytes of this reply
     */
    int finish(long slot) {
        int index = index(slot);
        if (slot < head || slot >= tail || (flags[index] & READY) != 0) {
            throw new IllegalStateException("slot " + slot + " of " + head + ".." + tail + " is answered twice");
        }
        if (slot != head) {
            flags[index] |= READY;
            RespWriter writer = waiting[index];
            int ready = writer == null ? 0 : writer.length();
            bytes += ready;
            return ready;
        }
        int length = out.length() - mark;
        if ((flags[index] & SUPPRESSED) != 0) {
            out.truncate(mark);
        }
        head++;
        while (head < tail && (flags[index(head)] & READY) != 0) {
            moveHead(index(head));
            head++;
        }
        return length;
    }

    private void moveHead(int index) {
        RespWriter writer = waiting[index];
        if (writer != null) {
            if ((flags[index] & SUPPRESSED) == 0) {
                out.raw(writer);
            }
            bytes -= writer.length();
            waiting[index] = null;
            pool.release(writer);
        }
    }

    /** Bytes of replies that wait for older ones. */
    long bytes() {
        return bytes;
    }

    /** Forgets all slots; their replies will not be written. */
    void clear() {
        for (int i = 0; i < waiting.length; i++) {
            RespWriter writer = waiting[i];
            if (writer != null) {
                pool.release(writer);
                waiting[i] = null;
            }
        }
        head = tail;
        bytes = 0;
    }

    private int index(long slot) {
        return (int) slot & (flags.length - 1);
    }

    private void grow() {
        int capacity = flags.length;
        byte[] moreFlags = Arrays.copyOf(flags, capacity * 2);
        @Nullable RespWriter[] moreWaiting = Arrays.copyOf(waiting, capacity * 2);
        for (long slot = head; slot < tail; slot++) {
            int from = (int) slot & (capacity - 1);
            int to = (int) slot & (2 * capacity - 1);
            moreFlags[to] = flags[from];
            moreWaiting[to] = waiting[from];
            if (to != from) {
                moreWaiting[from] = null;
            }
        }
        flags = moreFlags;
        waiting = moreWaiting;
    }
}
