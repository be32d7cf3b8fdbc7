package io.verbena.verification.walk;

import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes a failing walk smaller: fewer steps at its end, fewer kinds of fault, fewer steps in between, as long as it
 * fails. What is left out leaves the rest as it was: each step has a chance of its own.
 *
 * @param <P> the kind of plan
 */
public final class Shrinker<P extends Plan<P, ?>> {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Predicate<P> fails;
    private final long deadline;
    private int tries;

    /**
     * Shrinks as long as the walk fails as it does.
     *
     * @param failures what a plan fails with, or null
     */
    public Shrinker(Throwable failure, Function<P, @Nullable Throwable> failures) {
        this(plan -> kind(failures.apply(plan)).equals(kind(failure)));
    }

    /** Where a failure was noticed: a smaller walk that fails elsewhere would be another failure. */
    private static String kind(@Nullable Throwable failure) {
        if (failure == null) {
            return "";
        }
        StackTraceElement[] stack = failure.getStackTrace();
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().startsWith("io.verbena.")
                    && !frame.getMethodName().equals("wrong")) {
                return failure.getClass().getName() + frame.getClassName() + frame.getMethodName();
            }
        }
        return failure.getClass().getName();
    }

    /** Shrinks as long as something holds of the plan. */
    public Shrinker(Predicate<P> fails) {
        this.fails = fails;
        deadline = System.nanoTime() + MAX_NANOS;
    }

    /** Walks tried. */
    public int tries() {
        return tries;
    }

    /** The smallest plan that was found to fail, in a bounded time. */
    public P shrink(P failing) {
        P best = fewerSteps(failing);
        best = fewerFeatures(best);
        best = gaps(best);
        return fewerSteps(best);
    }

    private boolean fails(P plan) {
        tries++;
        return fails.test(plan);
    }

    private boolean isLate() {
        return System.nanoTime() > deadline;
    }

    private P fewerSteps(P plan) {
        P best = plan;
        for (int cut = Math.max(1, best.steps() / 2); cut >= 1 && !isLate(); cut /= 2) {
            while (best.steps() > cut && !isLate()) {
                P shorter = best.with(best.steps() - cut, best.without());
                if (!fails(shorter)) {
                    break;
                }
                best = shorter;
            }
        }
        return best;
    }

    private P fewerFeatures(P plan) {
        P best = plan;
        boolean found = true;
        while (found && !isLate()) {
            found = false;
            for (P simpler : best.simpler()) {
                if (!isLate() && fails(simpler)) {
                    best = simpler;
                    found = true;
                    break;
                }
            }
        }
        return best;
    }

    private P gaps(P plan) {
        P best = plan;
        for (int chunk = Math.max(1, best.steps() / 4); chunk >= 1 && !isLate(); chunk /= 2) {
            for (int from = 0; from < best.steps() && !isLate(); from += chunk) {
                int to = Math.min(from + chunk, best.steps());
                if (best.without().get(from, to).cardinality() == to - from) {
                    continue;
                }
                BitSet without = (BitSet) best.without().clone();
                without.set(from, to);
                P smaller = best.with(best.steps(), without);
                if (fails(smaller)) {
                    best = smaller;
                }
            }
        }
        return best;
    }
}
