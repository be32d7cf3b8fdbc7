package io.verbena.bench.trial;

import org.jspecify.annotations.Nullable;

/**
 * How one measurement ended.
 *
 * @param kind which way
 * @param figures if it was measured
 * @param reason why there are no figures, one line; empty if there are
 * @param load the machine's load average of the last minute before it, or -1 if the system does not say
 * @param seconds it took, with the start of its processes
 */
public record Outcome(Kind kind, @Nullable Figures figures, String reason, double load, double seconds) {
    /** The ways. */
    public enum Kind {
        /** There are figures. */
        MEASURED,
        /** It ran, and its figures would mislead: a scheduled rate was missed. */
        VOID,
        /** It died, hung or got what it must not get. */
        FAILED,
        /** The path does not exist here, or cannot do this. */
        NOT_AVAILABLE,
        /** There was no time left for it. */
        SKIPPED
    }

    /** Of a path that does not exist here, or cannot do this. */
    public static Outcome notAvailable(String reason) {
        return new Outcome(Kind.NOT_AVAILABLE, null, reason, -1, 0);
    }

    /** Of one that there was no time for. */
    public static Outcome skipped() {
        return new Outcome(Kind.SKIPPED, null, "no time left", -1, 0);
    }
}
