package io.verbena.bench.path;

import io.verbena.bench.BenchException;

/**
 * One end of a path of messages of a fixed length. The first 8 bytes of a message are its number: 0, 1, 2 and so on, which
 * the end that takes it checks.
 *
 * <p>For the thread that opened it.
 */
public abstract class End implements AutoCloseable {
    private static final int LOOK = (1 << 16) - 1;

    /** Least bytes of a message: its number. */
    public static final int MIN_LENGTH = Long.BYTES;

    /** Bytes of a message. */
    protected final int length;

    private final Idle room = new Idle();
    private long expected;
    private boolean echo;

    /** Creates an end for messages of so many bytes. */
    protected End(int length) {
        this.length = length;
    }

    /**
     * Sends a message, or puts it into a batch that {@link #flush} sends.
     *
     * @return false if there is no room now
     */
    public abstract boolean offer(long number);

    /** Sends what was offered. */
    public abstract void flush();

    /**
     * Takes messages that have come; gives what drives the path a turn.
     *
     * @param limit most messages, a hint
     * @return messages taken
     */
    public abstract int poll(int limit);

    /** Whether this end's messages come from {@link #offer} of the other, so that a far thread must answer them. */
    public boolean isAnswered() {
        return true;
    }

    /** From now on each message that comes is answered with its own number. */
    public final void echo() {
        echo = true;
    }

    /** Messages taken so far. */
    public final long taken() {
        return expected;
    }

    /** To be called with each message's number. */
    protected final void accept(long number) {
        if (number != expected) {
            throw new BenchException("message " + expected + " was expected, " + number + " came");
        }
        expected++;
        if (echo) {
            offerNow(number);
            flush();
        }
    }

    /** Sends a message as soon as there is room, which is to be within 10 s. */
    public final void offerNow(long number) {
        if (!offer(number)) {
            awaitRoom(number);
        }
    }

    private void awaitRoom(long number) {
        room.reset();
        Deadline deadline = null;
        for (int i = 1; !offer(number); i++) {
            flush();
            room.idle();
            if ((i & LOOK) == 0) {
                deadline = deadline == null ? Deadline.ofSeconds(10, "room for message " + number) : deadline;
                deadline.check();
            }
        }
    }

    @Override
    public abstract void close();
}
