package io.verbena.bench.check.messages;

import java.util.Locale;

/** Where messages go: the inboxes of a hub, and what stands for one. */
enum HubInbox {
    /** An inbox with a callback. */
    SINK,
    /** An inbox that a thread polls. */
    POLLED,
    /** An inbox with several consumers. */
    CONSUMERS,
    /** An inbox with little memory and a slow consumer. */
    SMALL,
    /** An inbox whose messages are held and released in another order. */
    HOLD,
    /** An inbox whose callback sends each message back. */
    ECHO,
    /** An inbox whose callback drives nodes, waits, connects and closes. */
    NESTED,
    /** An inbox that is closed and opened again. */
    BRIEF,
    /** Requests. */
    REQUEST,
    /** Responses. */
    RESPONSE;

    private static final HubInbox[] ALL = values();

    /** Its number in a message; 0 is none. */
    int code() {
        return ordinal() + 1;
    }

    /** Its name for a report. */
    static String named(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1].toString() : "nowhere (" + code + ")";
    }

    /** Whether one consumer takes all messages, so that each stream's come in order. */
    boolean isOrdered() {
        return this != CONSUMERS;
    }

    /** The name that peers connect to. */
    String inbox() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return "inbox '" + inbox() + "'";
    }
}
