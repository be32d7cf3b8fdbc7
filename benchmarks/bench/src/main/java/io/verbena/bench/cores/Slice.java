package io.verbena.bench.cores;

import java.util.Locale;

/**
 * A part of a measurement, about a second, with what was found around it.
 *
 * @param tag what its figures may be compared with
 * @param before round trip of a line before it, nanoseconds; 0 if it was not pinned
 * @param after the same after it
 * @param compiling time of the compilers' threads by that of the slice
 * @param result what was measured
 */
public record Slice<R>(Tag tag, double before, double after, double compiling, R result) {
    /** Most that compilers may run: code that they still change is not what is to be measured. */
    static final double MAX_COMPILING = 0.05;

    /** One with the tag that it deserves. */
    static <R> Slice<R> of(double before, double after, double compiling, R result) {
        Tag tag = compiling > MAX_COMPILING ? Tag.VOID : Tag.of(before, after);
        return new Slice<>(tag, before, after, compiling, result);
    }

    /** The round trip of a line meanwhile, nanoseconds. */
    public double line() {
        return (before + after) / 2;
    }

    /** What made it void. */
    public String whyVoid() {
        return compiling > MAX_COMPILING
                ? String.format(Locale.ROOT, "compilers ran for %.0f %% of the time", 100 * compiling)
                : String.format(Locale.ROOT, "a line took %.0f ns before it and %.0f ns after it", before, after);
    }
}
