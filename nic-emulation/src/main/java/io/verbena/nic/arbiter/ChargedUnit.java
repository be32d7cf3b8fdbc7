package io.verbena.nic.arbiter;

/** What shares are shares of. */
public enum ChargedUnit {
    /** Bytes as the link carries them, headers and what a packet costs there included. */
    BYTES,
    /** Nanoseconds of the engine. */
    NIC_TIME,
    /** Messages, and a retransmission for one more. */
    OPERATIONS
}
