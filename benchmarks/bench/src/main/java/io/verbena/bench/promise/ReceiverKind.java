package io.verbena.bench.promise;

/** Who takes the messages of both tenants. */
enum ReceiverKind {
    /** One inbox for both, with a callback. */
    SHARED("one inbox"),
    /** An inbox each, with a callback. */
    OWN("an inbox each"),
    /** One inbox for both, polled by a thread that sleeps 1 ms in every 10. */
    SLEEPY("sleeps 1 ms in 10"),
    /** A responder for both, which answers with 8 bytes. */
    RESPONDER("responder");

    final String title;

    ReceiverKind(String title) {
        this.title = title;
    }

    /** Where a tenant's messages go. */
    String inbox(int tenant) {
        return this == OWN ? "inbox-" + tenant : "inbox";
    }
}
