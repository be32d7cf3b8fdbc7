package io.verbena.bench.check.messages;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Where flaws are reported: the first counts, and ends everything. Thread-safe. */
final class Findings {
    private final AtomicReference<@Nullable Flaw> first = new AtomicReference<>();

    /** Notes a flaw, if it is the first. */
    void report(Flaw flaw) {
        first.compareAndSet(null, flaw);
    }

    /** Notes an exception that should not have been. */
    void report(String where, Throwable thrown) {
        StringBuilder text = new StringBuilder(thrown.toString());
        StackTraceElement[] stack = thrown.getStackTrace();
        for (int i = 0; i < Math.min(stack.length, 12); i++) {
            text.append("\n    at ").append(stack[i]);
        }
        report(new Flaw(FlawKind.UNEXPECTED, where, "no channel", 0, -1, "no exception", text.toString()));
    }

    boolean isClean() {
        return first.get() == null;
    }

    @Nullable
    Flaw first() {
        return first.get();
    }
}
