package io.verbena.bench.check.messages;

import org.jspecify.annotations.Nullable;

/**
 * Through which all callbacks of a node go: one inside another, on the same thread, is a flaw, since the outer one is
 * not done with what it was handed. Thread-safe.
 */
final class Entrance {
    private final String node;
    private final Findings findings;
    private final ThreadLocal<Inside> inside = ThreadLocal.withInitial(Inside::new);

    private static final class Inside {
        @Nullable
        String outer;

        @Nullable
        String inner;
    }

    Entrance(String node, Findings findings) {
        this.node = node;
        this.findings = findings;
    }

    /** Runs a callback. */
    void enter(String what, Runnable callback) {
        Inside here = inside.get();
        if (here.outer != null) {
            here.inner = what;
            callback.run();
            return;
        }
        here.outer = what;
        try {
            callback.run();
        } finally {
            here.outer = null;
        }
        String inner = here.inner;
        if (inner != null) {
            here.inner = null;
            // After the outer one: if it finds something broken, that says more.
            report("nothing to run inside " + what, inner);
        }
    }

    /** What was entered inside the callback that runs now, for a report of what that has broken. */
    String entered() {
        Inside here = inside.get();
        return here.inner == null ? "" : "; inside " + here.outer + " ran " + here.inner;
    }

    /** Reports what a callback got that it must not get. */
    void report(String expected, String got) {
        findings.report(new Flaw(FlawKind.REENTERED, "node '" + node + "'", "its callbacks", 0, -1, expected, got));
    }
}
