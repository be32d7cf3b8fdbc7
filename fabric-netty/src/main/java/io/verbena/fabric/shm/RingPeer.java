package io.verbena.fabric.shm;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link RingLink} needs besides its rings: a way to wake the other side, and to tell it that this side ended.
 */
interface RingPeer {
    /** Wakes an engine of the peer. Any thread that holds the link's baton. */
    void wake(int engine);

    /**
     * The link has ended on this side. Called once, by any thread.
     *
     * @param fault what the peer did wrong, or null if the link was closed in peace
     */
    void linkEnded(@Nullable String fault);

    /** Nobody on this side touches the rings or the peer's memory any more. Called once, after the link has ended. */
    void released();
}
