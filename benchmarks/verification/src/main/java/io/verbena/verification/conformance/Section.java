package io.verbena.verification.conformance;

/** A part of the table. */
enum Section {
    STATES("Queue pair states"),
    OPERATIONS("Operations by transport"),
    POSTING("Posting"),
    FLAGS("Flags"),
    ORDERING("Ordering"),
    LIMITS("Limits"),
    STATUS("Completion status"),
    RETRIES("Retries and timers"),
    LINKS("Broken links and dead peers"),
    SRQ("Shared receive queues"),
    APPEND("Append queues"),
    STREAMS("Streams of a queue pair"),
    CQ("Completion queues"),
    MEMORY("Memory regions and windows"),
    ATOMICS("Atomics"),
    GROUPS("Performance groups"),
    EVENTS("Asynchronous events"),
    MISTAKES("Known mistakes of others");

    final String title;

    Section(String title) {
        this.title = title;
    }
}
