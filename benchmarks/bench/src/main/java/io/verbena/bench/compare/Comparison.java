package io.verbena.bench.compare;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.trial.Pace;
import io.verbena.bench.trial.Setting;
import io.verbena.bench.trial.TrialOutcome;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures rows, round by round: in each round every row once, one contestant after the other, on the same pair of
 * cores, in the next round in the other order and on another pair. So whatever slows the machine for a while meets all
 * contestants of a row alike, and a run that is stopped has something of every row. What fails is noted, and the others
 * go on.
 */
public final class Comparison {
    private static final double START_SECONDS = 1.5;

    /** Rounds of a row whose paths have not met in one state of their cores. */
    private static final int MORE_ROUNDS = 2;

    private final Schedule schedule;
    private final Meter meter;

    /** Measures a setting. */
    @FunctionalInterface
    public interface Meter {
        /** Measures, both ends pinned to the cores. */
        TrialOutcome measure(Setting setting, Pace pace, CorePair cores);
    }

    /**
     * How much is measured.
     *
     * @param rounds at least 1
     * @param pace of each measurement
     * @param limitSeconds after which no measurement begins that would end later, or 0 for no limit
     * @param cores of which each round of a row has a pair; empty if nothing is pinned
     */
    public record Schedule(int rounds, Pace pace, double limitSeconds, List<Integer> cores) {
        /** Checks the ranges; defensive. */
        public Schedule {
            if (rounds < 1) {
                throw new RunException("rounds " + rounds + " < minimum 1");
            }
            cores = List.copyOf(cores);
        }
    }

    /**
     * Creates one.
     *
     * @param schedule how much
     * @param meter measures
     */
    public Comparison(Schedule schedule, Meter meter) {
        this.schedule = schedule;
        this.meter = meter;
    }

    /** Measures all rows of the results, and adds to them what came out. */
    public void run(Results results, Progress progress) {
        Clock clock = new Clock(results.rows());
        for (int round = 1; round <= schedule.rounds() + MORE_ROUNDS; round++) {
            for (ComparisonRow row : results.rows()) {
                if (round <= schedule.rounds()) {
                    measure(row, round, results, progress, clock);
                } else if (!results.haveMet(row)) {
                    clock.expect(row);
                    measure(row, round, results, progress, clock);
                }
            }
        }
    }

    private void measure(ComparisonRow row, int round, Results results, Progress progress, Clock clock) {
        CorePair cores = CorePair.of(schedule.cores(), round);
        for (Contestant contestant : order(row, round)) {
            double expected = clock.expected(contestant);
            progress.begin(row, contestant, round, clock.done, clock.total, clock.secondsLeft());
            TrialOutcome outcome = clock.isLate(expected)
                    ? TrialOutcome.skipped()
                    : meter.measure(contestant.setting(), schedule.pace(), cores);
            clock.ended(contestant, outcome);
            results.add(row, contestant, outcome);
            progress.end(row, contestant, round, outcome);
        }
    }

    private static List<Contestant> order(ComparisonRow row, int round) {
        List<Contestant> order = new ArrayList<>(row.contestants());
        if (round % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    /** How long all of it will take: what is known of each measurement, and what their processes have needed so far. */
    private final class Clock {
        private final long begin = System.nanoTime();
        private int total;
        private double left;
        private double extra = START_SECONDS;
        private int done;
        private int ran;

        Clock(List<ComparisonRow> rows) {
            for (int round = 1; round <= schedule.rounds(); round++) {
                rows.forEach(this::expect);
            }
        }

        void expect(ComparisonRow row) {
            for (Contestant each : row.contestants()) {
                total++;
                left += measuring(each);
            }
        }

        private double measuring(Contestant contestant) {
            return schedule.pace().total(contestant.setting().warmUpFactor());
        }

        double expected(Contestant contestant) {
            return measuring(contestant) + extra;
        }

        double secondsLeft() {
            double estimate = left + extra * (total - done);
            double limit = schedule.limitSeconds();
            return limit > 0 ? Math.min(estimate, Math.max(0, limit - elapsed())) : estimate;
        }

        boolean isLate(double expected) {
            return schedule.limitSeconds() > 0 && elapsed() + expected > schedule.limitSeconds();
        }

        private double elapsed() {
            return (System.nanoTime() - begin) / 1e9;
        }

        void ended(Contestant contestant, TrialOutcome outcome) {
            left -= measuring(contestant);
            done++;
            if (outcome.kind() == TrialOutcome.Kind.MEASURED) {
                double took = Math.max(0, outcome.seconds() - measuring(contestant));
                extra = ran == 0 ? took : extra + (took - extra) / Math.min(ran + 1, 10);
                ran++;
            }
        }
    }
}
