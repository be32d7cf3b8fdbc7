package io.verbena.bench.compare;

import io.verbena.bench.trial.Outcome;
import io.verbena.bench.trial.Pace;
import io.verbena.bench.trial.Setting;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Measures rows, round by round: in each round every row once, one contestant after the other, in the next round in the
 * other order. So whatever slows the machine for a while meets all contestants of a row alike, and a run that is stopped
 * has something of every row. What fails is noted, and the others go on.
 */
public final class Comparison {
    private static final double START_SECONDS = 1.5;

    private final Schedule schedule;
    private final BiFunction<Setting, Pace, Outcome> trial;

    /**
     * How much is measured.
     *
     * @param rounds at least 1
     * @param pace of each measurement
     * @param limitSeconds after which no measurement begins that would end later, or 0 for no limit
     */
    public record Schedule(int rounds, Pace pace, double limitSeconds) {
        /** Checks the ranges. */
        public Schedule {
            if (rounds < 1) {
                throw new RunException("rounds " + rounds + " < minimum 1");
            }
        }
    }

    /**
     * Creates one.
     *
     * @param schedule how much
     * @param trial measures
     */
    public Comparison(Schedule schedule, BiFunction<Setting, Pace, Outcome> trial) {
        this.schedule = schedule;
        this.trial = trial;
    }

    /** Measures all rows of the results, and adds to them what came out. */
    public void run(Results results, Progress progress) {
        List<Row> rows = results.rows();
        Clock clock = new Clock(rows);
        for (int round = 1; round <= schedule.rounds(); round++) {
            for (Row row : rows) {
                for (Contestant contestant : order(row, round)) {
                    double expected = clock.expected(contestant);
                    progress.begin(row, contestant, round, clock.done, clock.total, clock.secondsLeft());
                    Outcome outcome = clock.isLate(expected)
                            ? Outcome.skipped()
                            : trial.apply(contestant.setting(), schedule.pace());
                    clock.ended(contestant, outcome);
                    results.add(row, contestant, outcome);
                    progress.end(row, contestant, round, outcome);
                }
            }
        }
    }

    private static List<Contestant> order(Row row, int round) {
        List<Contestant> order = new ArrayList<>(row.contestants());
        if (round % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    /** How long all of it will take: what is known of each measurement, and what their processes have needed so far. */
    private final class Clock {
        private final long begin = System.nanoTime();
        private final int total;
        private double left;
        private double extra = START_SECONDS;
        private int done;
        private int ran;

        Clock(List<Row> rows) {
            int count = 0;
            for (Row row : rows) {
                for (Contestant each : row.contestants()) {
                    count += schedule.rounds();
                    left += schedule.rounds() * measuring(each);
                }
            }
            total = count;
        }

        private double measuring(Contestant contestant) {
            return schedule.pace().total(contestant.setting().warmupFactor());
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

        void ended(Contestant contestant, Outcome outcome) {
            left -= measuring(contestant);
            done++;
            if (outcome.kind() == Outcome.Kind.MEASURED) {
                double took = Math.max(0, outcome.seconds() - measuring(contestant));
                extra = ran == 0 ? took : extra + (took - extra) / Math.min(ran + 1, 10);
                ran++;
            }
        }
    }
}
