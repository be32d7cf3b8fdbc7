package io.verbena;

/** How an operation on a {@link RemoteRegion} or a call of a {@link Requester} ended. */
public enum Outcome {
    /** Done, once, at the peer; its result is here. */
    DONE,
    /** The responder refused or failed; the answer is a text that says why. Calls only. */
    FAILED,
    /** No answer came within the call's deadline; whether the peer did it is not known. Calls only. */
    EXPIRED,
    /**
     * The channel or region closed first, and {@code closeReason()} says why; whether the peer did it is not known.
     */
    CLOSED
}
