package io.verbena.redis;

import io.verbena.kv.protocol.ReplyCursor;

/** Waits for a reply that is no command's: the answer to a piece of something larger. For one worker's thread. */
interface PieceTaker {
    /**
     * The reply has come.
     *
     * @param cursor at its root; valid during the call only
     */
    void onPiece(ReplyCursor cursor);

    /** The reply will not come: the shard has gone. */
    void onLost();
}
