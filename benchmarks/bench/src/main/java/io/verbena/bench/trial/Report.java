package io.verbena.bench.trial;

import io.verbena.verification.RunException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an end's process prints when it is through: one line of JSON behind a mark.
 *
 * @param kind how it went
 * @param figures if it was measured
 * @param reason why there are none
 */
record Report(Outcome.Kind kind, @Nullable Figures figures, String reason) {
    private static final String MARK = "report ";

    static Report of(Figures figures) {
        return new Report(Outcome.Kind.MEASURED, figures, "");
    }

    static Report ofVoid(VoidRunException cause) {
        return new Report(Outcome.Kind.VOID, null, String.valueOf(cause.getMessage()));
    }

    static Report ofUnavailable(RunException cause) {
        return new Report(Outcome.Kind.NOT_AVAILABLE, null, String.valueOf(cause.getMessage()));
    }

    void print() {
        System.out.println(MARK + Json.line(this));
        System.out.flush();
    }

    /** The report, if the line is one. */
    static Optional<Report> ofLine(String line) {
        return line.startsWith(MARK)
                ? Optional.of(Json.parse(line.substring(MARK.length()), Report.class))
                : Optional.empty();
    }
}
