package io.verbena.bench.check.redis;

/**
 * How a batch is sent and its replies are read.
 *
 * @param fragments first bytes that go out in pieces of one to seven bytes
 * @param pauseNanos time for which nothing is read from the moment at which the batch is begun
 * @param end what happens then
 * @param endAfter bytes sent, or replies read, after which a connection dies
 */
record Manner(long fragments, long pauseNanos, End end, long endAfter) {
    /** As fast as possible, and the connection stays. */
    static final Manner PLAIN = new Manner(0, 0, End.STAY, 0);

    /** What becomes of the connection. */
    enum End {
        /** It is used again. */
        STAY,
        /** The client sends no more; every reply must still come, and then the end of the stream. */
        HALF_CLOSE,
        /** The client resets it after this many bytes sent. */
        DIE_SENDING,
        /** The client resets it after so many replies. */
        DIE_READING
    }

    static Manner pausing(long nanos) {
        return new Manner(0, nanos, End.STAY, 0);
    }

    /** Reset after this many bytes. */
    static Manner dying(long bytes) {
        return new Manner(0, 0, End.DIE_SENDING, bytes);
    }

    boolean dies() {
        return end == End.DIE_SENDING || end == End.DIE_READING;
    }
}
