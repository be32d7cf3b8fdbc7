package io.verbena.merge;

import io.verbena.nic.verbs.WcStatus;
import io.verbena.path.SendPath;

/** The region of a peer that operations go to, and the way there. Thread-safe but for the path, which says itself. */
public interface MergePeer {
    /** The way there. */
    SendPath path();

    /** NIC of the peer. */
    long nic();

    /** Key of the region; known once it is open. */
    int regionKey();

    /** Whether operations are taken. */
    boolean isOpen();

    /** Whether it is over for good: nothing goes there any more. */
    boolean isOver();

    /** A request has ended in an error. Whoever polls. */
    void failed(WcStatus status);
}
