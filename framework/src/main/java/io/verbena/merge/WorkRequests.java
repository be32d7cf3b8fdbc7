package io.verbena.merge;

/**
 * The work requests of a region that are under way, by number, and which operations each is for.
 *
 * <p>Concurrency: whoever drains adds; whoever polls takes completions, which come in order, and publishes how many
 * there were, after which their places may be used again. A place goes from one to the other with the request itself.
 */
final class WorkRequests {
    private final int mask;
    private final int[] firsts; // ticket of the first operation
    private final int[] bytes;
    private int posted; // of who drains
    private volatile int ended; // written by who polls

    /** Creates it; as many may be under way as the depth says, a power of two. */
    WorkRequests(int depth) {
        this.mask = depth - 1;
        this.firsts = new int[depth];
        this.bytes = new int[depth];
    }

    /** Whether another one may be posted. Who drains. */
    boolean hasRoom() {
        return posted - ended <= mask;
    }

    /** Number of the next one. Who drains. */
    int next() {
        return posted;
    }

    /** What the next one is for; before it is posted. Who drains. */
    void fill(int firstTicket, int length) {
        firsts[posted & mask] = firstTicket;
        bytes[posted & mask] = length;
    }

    /** The next one was posted. Who drains. */
    void posted() {
        posted++;
    }

    /** Ticket of the first operation of one. */
    int first(int number) {
        return firsts[number & mask];
    }

    /** Bytes of one. */
    int bytes(int number) {
        return bytes[number & mask];
    }

    /** Those below have ended. Who polls. */
    void ended(int number) {
        ended = number;
    }

    /** Those below this number have ended. */
    int ended() {
        return ended;
    }
}
