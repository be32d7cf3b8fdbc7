package io.verbena.bench.path;

/** What a queue pair is asked to do. */
enum Verb {
    APPEND,
    SEND,
    WRITE,
    READ,
    FETCH_ADD;

    /** Whether the other end takes what was sent as a message. */
    boolean isMessage() {
        return this == APPEND || this == SEND;
    }
}
