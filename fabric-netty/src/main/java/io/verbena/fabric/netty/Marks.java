package io.verbena.fabric.netty;

/**
 * How much of what was sent the peer has received. Where somebody wants to know, marks go with the stream, which the
 * peer answers in order when it has delivered what lay before them: what a socket has taken may still lie in the
 * kernels of both sides, and what comes behind it waits. This is what is known of the marks of both ways;
 * {@link LinkSender} sends marks and answers, {@link FrameReader} takes them.
 *
 * <p>Positions count bytes committed to the link. Pure state, of the baton holder.
 */
final class Marks {
    /** Bytes between two marks, at least. */
    static final int SPACING = 8 * 1024;

    /** Most that are on their way; a power of two. */
    static final int MAX = 64;

    /** Bytes that marks go with, each time that somebody wants to know. */
    static final int WANTED = 256 * 1024;

    private final long[] positions = new long[MAX];
    private int first;
    private int count;
    private long last;
    private long received;
    private long wantedUpTo;
    private int owed;

    // ---- of this side
    // ------------------------------------------------------------------------------------------------

    /** Somebody wants to know: what is committed next takes marks with it. */
    void want(long position) {
        wantedUpTo = position + WANTED;
    }

    /** Whether a mark is to follow what ends at a position. */
    boolean isDue(long position) {
        return position - last >= SPACING && position <= wantedUpTo && count < MAX;
    }

    /** Whether none is on its way, so that no answer will come. */
    boolean isEmpty() {
        return count == 0;
    }

    /** A mark was sent at a position, while fewer than {@link #MAX} were on their way. */
    void sent(long position) {
        positions[(first + count) & (MAX - 1)] = position;
        count++;
        last = position;
    }

    /**
     * The peer has answered the oldest marks.
     *
     * @return false if so many are not on their way
     */
    boolean answered(int marks) {
        if (marks < 1 || marks > count) {
            return false;
        }
        first += marks;
        count -= marks;
        received = positions[(first - 1) & (MAX - 1)];
        return true;
    }

    /** Bytes that the peer has received, as far as it has said. */
    long received() {
        return received;
    }

    // ---- of the peer
    // -------------------------------------------------------------------------------------------------

    /**
     * A mark has come, and what lay before it is delivered.
     *
     * @return false if more are not answered than a peer may have on their way
     */
    boolean came() {
        return ++owed <= MAX;
    }

    /** Marks that are to be answered. */
    int owed() {
        return owed;
    }

    /** They are. */
    void settle() {
        owed = 0;
    }
}
