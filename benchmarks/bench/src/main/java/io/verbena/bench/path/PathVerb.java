package io.verbena.bench.path;

/** What a queue pair is asked to do. */
enum PathVerb {
    APPEND,
    SEND,
    SEND_SRQ,
    WRITE,
    READ,
    FETCH_ADD;

    /** Whether a message takes a receive that was posted. */
    boolean isSend() {
        return this == SEND || this == SEND_SRQ;
    }

    /** Whether the other end takes what was sent as a message. */
    boolean isMessage() {
        return this == APPEND || isSend();
    }
}
