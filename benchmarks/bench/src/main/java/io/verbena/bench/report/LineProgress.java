package io.verbena.bench.report;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Progress;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.TrialOutcome;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringJoiner;

/** A line a measurement, for output that goes to no terminal: how far it is, how much longer, what came out. */
public final class LineProgress implements Progress {
    private final PrintStream out;
    private String head = "";

    /** Prints there. */
    public LineProgress(PrintStream out) {
        this.out = out;
    }

    @Override
    public void begin(ComparisonRow row, Contestant contestant, int round, int done, int total, double secondsLeft) {
        head = String.format(Locale.ROOT, "[%d/%d, %s left]", done + 1, total, left(secondsLeft));
    }

    @Override
    public void end(ComparisonRow row, Contestant contestant, int round, TrialOutcome outcome) {
        out.println(head + " round " + round + " " + row.id() + " " + contestant.label() + ": " + text(row, outcome));
        out.flush();
    }

    /** What came out, short. */
    static String text(ComparisonRow row, TrialOutcome outcome) {
        if (outcome.kind() != TrialOutcome.Kind.MEASURED) {
            return outcome.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ", " + outcome.reason();
        }
        return Tagged.text(Tag.VALID, tag -> {
            StringJoiner text = new StringJoiner(", ");
            for (Figure figure : row.figures()) {
                OptionalDouble value = outcome.value(figure, tag);
                if (value.isPresent()) {
                    text.add((figure.isLatency() ? figure.title() + " " : "") + figure.text(value.getAsDouble()));
                }
            }
            return text.length() == 0 ? Optional.empty() : Optional.of(text.toString());
        });
    }

    /** {@code 3 min 20 s}. */
    static String left(double seconds) {
        long whole = Math.round(seconds);
        return whole < 60 ? whole + " s" : whole / 60 + " min " + whole % 60 + " s";
    }

    @Override
    public void close() {}
}
