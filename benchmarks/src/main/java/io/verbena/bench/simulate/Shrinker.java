package io.verbena.bench.simulate;

import io.verbena.bench.simulate.WalkPlan.Feature;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes a failing walk smaller: fewer steps at its end, fewer kinds of fault, fewer steps in between, as long as it fails.
 * What is left out leaves the rest as it was: each step has a chance of its own.
 */
final class Shrinker {
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Predicate<WalkPlan> fails;
    private final long deadline;
    private int tries;

    /** Shrinks as long as the walk fails as it does. */
    Shrinker(Throwable failure) {
        this(plan -> kind(failure(plan)).equals(kind(failure)));
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
    Shrinker(Predicate<WalkPlan> fails) {
        this.fails = fails;
        deadline = System.nanoTime() + MOST_NANOS;
    }

    /** Walks tried. */
    int tries() {
        return tries;
    }

    /** The smallest plan that was found to fail, in a bounded time. */
    WalkPlan shrink(WalkPlan failing) {
        WalkPlan best = fewerSteps(failing);
        best = fewerFeatures(best);
        best = gaps(best);
        return fewerSteps(best);
    }

    private boolean fails(WalkPlan plan) {
        tries++;
        return fails.test(plan);
    }

    /** Runs a plan; what it failed with, or null. */
    static @Nullable Throwable failure(WalkPlan plan) {
        try {
            new Walk(plan, 1).run();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e;
        }
    }

    private boolean isLate() {
        return System.nanoTime() > deadline;
    }

    private WalkPlan fewerSteps(WalkPlan plan) {
        WalkPlan best = plan;
        for (int cut = Math.max(1, best.steps / 2); cut >= 1 && !isLate(); cut /= 2) {
            while (best.steps > cut && !isLate()) {
                WalkPlan shorter = new WalkPlan(best.seed, best.steps - cut, best.without, best.off);
                if (!fails(shorter)) {
                    break;
                }
                best = shorter;
            }
        }
        return best;
    }

    private WalkPlan fewerFeatures(WalkPlan plan) {
        WalkPlan best = plan;
        for (Feature feature : Feature.values()) {
            if (!best.has(feature) || isLate()) {
                continue;
            }
            Set<Feature> off = EnumSet.noneOf(Feature.class);
            off.addAll(best.off);
            off.add(feature);
            WalkPlan simpler = new WalkPlan(best.seed, best.steps, best.without, off);
            if (fails(simpler)) {
                best = simpler;
            }
        }
        return best;
    }

    private WalkPlan gaps(WalkPlan plan) {
        WalkPlan best = plan;
        for (int chunk = Math.max(1, best.steps / 4); chunk >= 1 && !isLate(); chunk /= 2) {
            for (int from = 0; from < best.steps && !isLate(); from += chunk) {
                int to = Math.min(from + chunk, best.steps);
                if (best.without.get(from, to).cardinality() == to - from) {
                    continue;
                }
                BitSet without = (BitSet) best.without.clone();
                without.set(from, to);
                WalkPlan smaller = new WalkPlan(best.seed, best.steps, without, best.off);
                if (fails(smaller)) {
                    best = smaller;
                }
            }
        }
        return best;
    }
}
