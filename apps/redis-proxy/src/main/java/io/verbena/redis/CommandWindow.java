package io.verbena.redis;

/** How much a client may have in flight: commands, by what their replies may take together, and large values unread. */
final class CommandWindow {
    private static final int FIRST = 32;
    private static final int MIN = 2;
    private static final int LARGE_REPLY = 64 << 10;
    /** Large values that a client may leave unread while there are few of all clients. */
    private static final int MAX_UNREAD_VALUES = 1024;
    /** How many are few: a quarter of what a shard keeps for a worker. */
    private static final int FEW_UNREAD_VALUES = 16_384;

    private final Worker worker;
    private int commands = FIRST;

    CommandWindow(Worker worker) {
        this.worker = worker;
    }

    /**
     * Whether one more command may be executed. Shards keep a bounded number of values for all clients of a worker:
     * a client that reads none of its own gets no more of them.
     */
    boolean hasRoom(int inFlight, int unreadValues) {
        return inFlight < commands
                && (unreadValues == 0
                        || (unreadValues < MAX_UNREAD_VALUES
                                && worker.dispatcher().sender().openStreams() < FEW_UNREAD_VALUES));
    }

    /** A reply of that length is complete, and so many are not. */
    void finished(int length, int inFlight) {
        if (length > LARGE_REPLY) {
            commands = Math.max(MIN, Math.min(commands, worker.settings().inFlightBytes() / length));
        } else if (inFlight == 0 && commands < worker.settings().inFlightCommands()) {
            commands = Math.min(2 * commands, worker.settings().inFlightCommands());
        }
    }
}
