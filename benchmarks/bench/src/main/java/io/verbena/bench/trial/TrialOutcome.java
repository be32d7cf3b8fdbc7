package io.verbena.bench.trial;

import io.verbena.bench.Interval;
import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How one measurement ended.
 *
 * @param kind which way
 * @param slices of it, in order; those that are void count for nothing
 * @param reason why there are no figures, one line; empty if there are
 * @param load the machine's load average of the last minute before it, or -1 if the system does not say
 * @param seconds it took, with the start of its processes
 * @param cores that both ends were pinned to
 */
public record TrialOutcome(
        Kind kind, List<Slice<Figures>> slices, String reason, double load, double seconds, CorePair cores) {
    /** The ways. */
    public enum Kind {
        /** There are figures. */
        MEASURED,
        /** It ran, and its figures would mislead: a scheduled rate was missed, or every slice is void. */
        VOID,
        /** It died, hung or got what it must not get. */
        FAILED,
        /** The path does not exist here, or cannot do this. */
        NOT_AVAILABLE,
        /** There was no time left for it. */
        SKIPPED
    }

    /** Defensive. */
    public TrialOutcome {
        slices = List.copyOf(slices);
    }

    /** Of a path that does not exist here, or cannot do this. */
    public static TrialOutcome notAvailable(String reason) {
        return new TrialOutcome(Kind.NOT_AVAILABLE, List.of(), reason, -1, 0, CorePair.NONE);
    }

    /** Of one that there was no time for. */
    public static TrialOutcome skipped() {
        return new TrialOutcome(Kind.SKIPPED, List.of(), "no time left", -1, 0, CorePair.NONE);
    }

    /** What its slices that count are tagged with. */
    public Set<Tag> tags() {
        return slices.stream().map(Slice::tag).filter(Tag.VALID::contains).collect(Collectors.toSet());
    }

    /** A figure: the median of the slices with the tag, if any has it. */
    public OptionalDouble value(Figure figure, Tag tag) {
        double[] values = slices.stream()
                .filter(slice -> slice.tag() == tag)
                .flatMapToDouble(slice -> slice.result().value(figure).stream())
                .toArray();
        return values.length == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(Interval.of(values).median());
    }
}
