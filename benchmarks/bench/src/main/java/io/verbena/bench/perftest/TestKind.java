package io.verbena.bench.perftest;

import io.verbena.verification.RunException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The tests, named after linux-rdma's programs without their {@code ib_}. */
enum TestKind {
    SEND_LAT(Verb.SEND, true),
    SEND_BW(Verb.SEND, false),
    WRITE_LAT(Verb.WRITE, true),
    WRITE_BW(Verb.WRITE, false),
    READ_LAT(Verb.READ, true),
    READ_BW(Verb.READ, false),
    APPEND_LAT(Verb.APPEND, true),
    APPEND_BW(Verb.APPEND, false);

    /** What carries the data. */
    enum Verb {
        SEND,
        WRITE,
        READ,
        APPEND
    }

    private final Verb verb;
    private final boolean latency;

    TestKind(Verb verb, boolean latency) {
        this.verb = verb;
        this.latency = latency;
    }

    Verb verb() {
        return verb;
    }

    boolean isLatency() {
        return latency;
    }

    /** Whether messages go back and forth, so that half a round trip is one message. */
    boolean isPingPong() {
        return latency && verb != Verb.READ;
    }

    /** The name on the command line. */
    String commandName() {
        return lower(name());
    }

    /** For the head of the output, such as {@code Send Latency Test}. */
    String title() {
        String word = verb.name();
        return word.charAt(0) + lower(word.substring(1)) + (latency ? " Latency Test" : " BW Test");
    }

    static TestKind of(String name) {
        for (TestKind kind : values()) {
            if (kind.commandName().equals(name)) {
                return kind;
            }
        }
        throw new RunException("unknown test '" + name + "', expected one of " + names());
    }

    static String names() {
        return Arrays.stream(values()).map(TestKind::commandName).collect(Collectors.joining(" "));
    }

    private static String lower(String name) {
        return name.toLowerCase(java.util.Locale.ROOT);
    }
}
