package io.verbena.bench.cores;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Warms up until the compilers rest, then measures in slices with a probe around each, and repeats those that are void.
 */
public final class SlicedRun {
    /** Void slices of a run that are repeated. */
    public static final int MAX_REPEATS = 4;

    /** A warm-up takes at most so many times the least. */
    public static final int MAX_WARM_UP = 4;

    private static final long STEP_NANOS = 500_000_000;

    private final DoubleSupplier probe;
    private final LongSupplier compilers;
    private final LongSupplier clock;

    /**
     * Creates one.
     *
     * @param probe round trip of a line, nanoseconds; 0 if nothing is pinned
     * @param compilers nanoseconds that the compilers' threads have run so far
     */
    public SlicedRun(DoubleSupplier probe, LongSupplier compilers) {
        this(probe, compilers, System::nanoTime);
    }

    SlicedRun(DoubleSupplier probe, LongSupplier compilers, LongSupplier clock) {
        this.probe = probe;
        this.compilers = compilers;
        this.clock = clock;
    }

    /**
     * Warms up, the probe too.
     *
     * @param leastNanos how long at least; 0 for not at all
     * @param step runs what will be measured for so many nanoseconds
     */
    public void warmUp(long leastNanos, LongConsumer step) {
        long begin = clock.getAsLong();
        long elapsed = 0;
        Slice<Long> last = new Slice<>(Tag.UNPINNED, 0, 0, 0, 0L);
        while (elapsed < leastNanos || (last.compiling() > Slice.MAX_COMPILING && elapsed < MAX_WARM_UP * leastNanos)) {
            last = slice(last.after(), () -> {
                step.accept(Math.min(STEP_NANOS, leastNanos));
                return 0L;
            });
            elapsed = clock.getAsLong() - begin;
        }
    }

    private <R> Slice<R> slice(double before, Supplier<R> measurement) {
        long compiled = compilers.getAsLong();
        long start = clock.getAsLong();
        R result = measurement.get();
        long took = Math.max(1, clock.getAsLong() - start);
        double compiling = (double) (compilers.getAsLong() - compiled) / took;
        return Slice.of(before, probe.getAsDouble(), compiling, result);
    }

    /**
     * Measures.
     *
     * @param count slices that are to count
     * @param measurement of one
     * @return all, those that are void too, in order
     */
    public <R> List<Slice<R>> measure(int count, Supplier<R> measurement) {
        List<Slice<R>> slices = new ArrayList<>();
        int left = count;
        double before = probe.getAsDouble();
        while (left > 0 && slices.size() < count + MAX_REPEATS) {
            Slice<R> made = slice(before, measurement);
            slices.add(made);
            left -= made.tag() == Tag.VOID ? 0 : 1;
            // A probe that met the move itself says nothing of the next slice.
            before = Tag.of(made.after()) == Tag.VOID ? probe.getAsDouble() : made.after();
        }
        return slices;
    }

    /**
     * What a run reports of what it measured.
     *
     * @param slices all of a run, in order
     * @param count slices that were to count
     * @return those that are not void; the last {@code count} if all are, so that no repeat is counted twice
     */
    public static <R> List<Slice<R>> reported(List<Slice<R>> slices, int count) {
        List<Slice<R>> counted =
                slices.stream().filter(slice -> slice.tag() != Tag.VOID).toList();
        return counted.isEmpty() ? slices.subList(Math.max(0, slices.size() - count), slices.size()) : counted;
    }
}
