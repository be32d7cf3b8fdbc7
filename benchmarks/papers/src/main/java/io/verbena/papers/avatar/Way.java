package io.verbena.papers.avatar;

/** How connections get at queue pairs. */
enum Way {
    /** Native. */
    OWN("a queue pair each", 0),
    /** The same by events: a thread that waits sleeps. */
    EVENT("a queue pair each, by events", 0),
    /** FaRM. */
    SPIN("one queue pair, spin lock", 1),
    /** The same with a lock whose waiters sleep, such as {@code ReentrantLock}. */
    MUTEX("one queue pair, ReentrantLock", 1),
    /** LITE: {@code NUM_PARALLEL_CONNECTION} is 4. */
    FOUR("four queue pairs, spin locks", 4),
    /** The product's channels: deficit round robin in bytes, a list of those that have something. */
    MUX("mux", 0),
    /** Avatar as it is printed: segments in turn, eventfd and epoll. */
    ROUND_ROBIN("Avatar, RR", 0),
    /** The same with weighted fair queueing of blocks. */
    FAIR("Avatar, WFQ", 0);

    private final String title;
    private final int locked;

    Way(String title, int locked) {
        this.title = title;
        this.locked = locked;
    }

    /** For people. */
    String title() {
        return title;
    }

    /** Queue pairs that are behind locks. */
    int locked() {
        return locked;
    }

    /** Whether messages go in segments, by a Worker. */
    boolean isShared() {
        return ordinal() >= MUX.ordinal();
    }
}
