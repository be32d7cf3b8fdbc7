package io.verbena;

/** Why a {@link Channel} or a {@link RemoteRegion} is closed. */
public enum CloseReason {
    /** This side closed it. */
    CLOSED_HERE("closed on this side"),
    /** The peer closed it, or its node was closed. */
    CLOSED_BY_PEER("closed by the peer"),
    /** The peer's process ended, or its link broke and did not come back in time. */
    PEER_LOST("the peer is gone"),
    /** The peer did not acknowledge within the retries. */
    TIMED_OUT("the peer did not acknowledge in time"),
    /** The peer refused: the inbox or region at its end no longer exists. */
    REFUSED("the peer's inbox or region is gone"),
    /**
     * The peer gave up a long message: no part of it had arrived for the {@link InboxOptions#unfinishedTimeout} of its
     * inbox.
     */
    ABORTED("the peer gave up a message that had stopped half-way for too long"),
    /**
     * The peer's memory was exhausted for ten seconds, and its inbox held nothing that could be consumed; its log names
     * the remedy.
     */
    OUT_OF_MEMORY("the peer has no memory for messages"),
    /** One side sent something that the other does not accept; both logs say what. */
    PROTOCOL_ERROR("the transport met an error");

    private final String text;

    CloseReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
