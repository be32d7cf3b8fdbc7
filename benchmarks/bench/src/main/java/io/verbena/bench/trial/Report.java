package io.verbena.bench.trial;

import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import io.verbena.verification.RunException;
import java.util.List;

/**
 * What an end's process tells when it is through.
 *
 * @param kind how it went
 * @param slices that were measured
 * @param reason why none of them counts
 */
record Report(TrialOutcome.Kind kind, List<Slice<Figures>> slices, String reason) {
    static Report of(List<Slice<Figures>> slices) {
        Slice<Figures> last = slices.get(slices.size() - 1);
        return slices.stream().allMatch(slice -> slice.tag() == Tag.VOID)
                ? new Report(TrialOutcome.Kind.VOID, slices, last.whyVoid())
                : new Report(TrialOutcome.Kind.MEASURED, slices, "");
    }

    static Report ofVoid(VoidRunException cause) {
        return new Report(TrialOutcome.Kind.VOID, List.of(), String.valueOf(cause.getMessage()));
    }

    static Report ofUnavailable(RunException cause) {
        return new Report(TrialOutcome.Kind.NOT_AVAILABLE, List.of(), String.valueOf(cause.getMessage()));
    }
}
