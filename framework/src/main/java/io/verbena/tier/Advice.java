package io.verbena.tier;

/** What {@link PagedMemory#advise} is told about a range. The names are those of {@code posix_madvise}. */
public enum Advice {
    /** Nothing is known: sequential faults are recognised, and read ahead in a window that grows. The default. */
    NORMAL,

    /** It is read in order: the first fault reads ahead as far as a block is long. */
    SEQUENTIAL,

    /** It is read in no order: nothing is read ahead. */
    RANDOM,

    /** It is needed soon: it is read in the background, at most half of the frames' worth. Nobody waits for it. */
    WILL_NEED,

    /** It is not needed for now: its frames are free as soon as the replicas have what was written. */
    DONT_NEED
}
