package io.verbena;

/** What a peer may do with something of a node's that has a name. */
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
