package io.verbena.bench.report;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Progress;
import io.verbena.bench.trial.TrialOutcome;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar at the bottom of a terminal, and above it a line for each measurement that has no figures. */
public final class BarProgress implements Progress {
    private static final int UPDATE_MILLIS = 500;

    private final PrintStream out;
    private final ProgressBar bar;
    private volatile long secondsLeft;

    /**
     * Shows a bar.
     *
     * @param out the terminal
     * @param columns of it
     * @param total measurements
     */
    public BarProgress(PrintStream out, int columns, int total) {
        this.out = out;
        bar = new ProgressBarBuilder()
                .setTaskName("bench")
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .setConsumer(new ConsoleProgressBarConsumer(out, columns))
                .setEtaFunction(state -> Optional.of(Duration.ofSeconds(secondsLeft)))
                .build();
    }

    @Override
    public void begin(ComparisonRow row, Contestant contestant, int round, int done, int total, double left) {
        secondsLeft = Math.round(left);
        bar.setExtraMessage(row.id() + " " + contestant.label());
    }

    @Override
    public void end(ComparisonRow row, Contestant contestant, int round, TrialOutcome outcome) {
        if (outcome.kind() != TrialOutcome.Kind.MEASURED && outcome.kind() != TrialOutcome.Kind.NOT_AVAILABLE) {
            bar.pause();
            out.print("\r\u001b[K");
            out.println("round " + round + " " + row.id() + " " + contestant.label() + ": "
                    + LineProgress.text(row, outcome));
            bar.resume();
        }
        bar.step();
    }

    @Override
    public void close() {
        secondsLeft = 0;
        bar.setExtraMessage("");
        bar.close();
    }
}
