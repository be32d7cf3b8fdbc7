package io.verbena.bench.path;

/** Something that sends messages to the far end. For the thread that it was opened for. */
public abstract class Producer {
    private static final int LOOK = (1 << 16) - 1;

    private final Idle room;

    /** Creates one that waits for room as told. */
    Producer(Waiting waiting) {
        room = new Idle(waiting);
    }

    /**
     * Sends a message, or puts it into a batch that {@link #flush} sends.
     *
     * @param number 0, 1, 2 and so on; the receiver checks it
     * @return false if there is no room now
     */
    public abstract boolean offer(long number);

    /** Sends what was offered, where {@link #offer} has not done so already. */
    public void flush() {}

    /** Goes on until what was sent has left, which is to be within 10 s: nobody drives this producer afterwards. */
    void drain() {}

    /** Sends a message as soon as there is room, which is to be within 10 s. */
    public final void offerNow(long number) {
        if (!offer(number)) {
            awaitRoom(number);
        }
    }

    private void awaitRoom(long number) {
        room.reset();
        WaitLimit deadline = null;
        for (int i = 1; !offer(number); i++) {
            flush();
            room.idle();
            if ((i & LOOK) == 0) {
                deadline = deadline == null ? WaitLimit.ofSeconds(10, "room for message " + number) : deadline;
                deadline.check();
            }
        }
    }
}
