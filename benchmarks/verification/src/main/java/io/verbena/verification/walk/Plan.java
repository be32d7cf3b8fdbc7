package io.verbena.verification.walk;

import io.verbena.nic.sim.SimRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a seed means, and what a smaller walk leaves out of it: what is left out leaves the rest as it was. A plan's own
 * part is drawn in its constructor, its features among it.
 *
 * @param <P> the kind of plan
 * @param <F> what a plan may have, and a shrunk walk may do without
 */
public abstract class Plan<P extends Plan<P, F>, F extends Enum<F>> {
    /**
     * What plans of a kind have in common.
     *
     * @param command that walks their seeds
     * @param steps of a walk unless said otherwise
     * @param stepPart whose chance steps are, of a seed's parts
     * @param features that there are
     */
    public record Kind<F extends Enum<F>>(String command, int steps, long stepPart, Class<F> features) {}

    private final Kind<F> kind;
    private final long seed;
    private final int steps;
    private final BitSet without;
    private final Set<F> off;
    private final Set<F> features;

    /**
     * A plan that has no features yet.
     *
     * @param seed any value
     * @param steps of the walk
     * @param without steps that are left out; the others stay what they are
     * @param off features that are left out
     */
    protected Plan(Kind<F> kind, long seed, int steps, BitSet without, Set<F> off) {
        this.kind = kind;
        this.seed = seed;
        this.steps = steps;
        this.without = without;
        this.off = off;
        features = EnumSet.noneOf(kind.features());
    }

    /** The same seed with other steps and features left out. */
    protected abstract P with(int fewer, BitSet leftOut, Set<F> less);

    /** Has a feature, unless it is left out. */
    protected final void have(F feature) {
        if (!off.contains(feature)) {
            features.add(feature);
        }
    }

    /** Whether it has a feature. */
    public final boolean has(F feature) {
        return features.contains(feature);
    }

    /** What it has; a copy. */
    public final Set<F> features() {
        return EnumSet.copyOf(features);
    }

    /** Whose chance it is. */
    public final long seed() {
        return seed;
    }

    /** Steps of the walk, those left out included. */
    public final int steps() {
        return steps;
    }

    /** Steps that are left out; not to be changed. */
    public final BitSet without() {
        return without;
    }

    /** How many steps are not left out. */
    public final int stepsLeft() {
        return steps - without.cardinality();
    }

    /** The chance of one step, whatever else is left out. */
    public final SimRandom stepRandom(int step) {
        return SimRandom.forPart(seed, kind.stepPart() + step);
    }

    /** The same seed with other steps. */
    public final P with(int fewer, BitSet leftOut) {
        return with(fewer, leftOut, off);
    }

    /** Plans that each have one feature less than this one. */
    final List<P> simpler() {
        List<P> plans = new ArrayList<>();
        for (F feature : features) {
            Set<F> less = EnumSet.of(feature);
            less.addAll(off);
            plans.add(with(steps, without, less));
        }
        return plans;
    }

    /** The command's own options that it was made with, each with a space before it. */
    protected String options() {
        return "";
    }

    /** The command that runs it again. */
    public final String replay() {
        StringBuilder again = new StringBuilder(kind.command())
                .append(options())
                .append(" --seed ")
                .append(seed);
        if (steps != kind.steps()) {
            again.append(" --steps ").append(steps);
        }
        if (!without.isEmpty()) {
            again.append(" --without ").append(Ranges.format(without));
        }
        if (!off.isEmpty()) {
            again.append(" --off ")
                    .append(off.stream()
                            .map(feature -> feature.name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(",")));
        }
        return again.toString();
    }
}
