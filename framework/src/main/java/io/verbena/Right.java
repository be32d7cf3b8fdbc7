package io.verbena;

/** What a peer may do with an inbox, responder or region of a node. */
public enum Right {
    /** Send messages to an inbox. */
    SEND,
    /** Call a responder. */
    CALL,
    /** Read a region. */
    READ,
    /** Write a region. */
    WRITE,
    /** Change a region atomically. */
    ATOMIC
}
