package io.verbena.tier;

/** What became of an attempt to read or write a page. */
enum Attempt {
    /** It is done. */
    DONE,
    /** It is done, and was the first use of a page that was read ahead. */
    DONE_AHEAD,
    /** The page has to be loaded first. */
    ABSENT,
    /** The page is being loaded, or another thread was faster: try again. */
    BUSY,
    /** The page needs a frame and nothing else. */
    NEEDS_FRAME,
    /** The page is lost. */
    LOST,
    /** No peer has room for the block, and there is no file. */
    NO_ROOM
}
