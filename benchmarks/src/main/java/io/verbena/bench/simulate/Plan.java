package io.verbena.bench.simulate;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a seed means, and what a smaller walk leaves out of it: what is left out leaves the rest as it was.
 *
 * @param <P> the kind of plan
 */
interface Plan<P extends Plan<P>> {
    /** Whose chance it is. */
    long seed();

    /** Steps of the walk, those left out included. */
    int steps();

    /** Steps that are left out; not to be changed. */
    BitSet without();

    /** The same seed with other steps. */
    P with(int fewer, BitSet leftOut);

    /** Plans that each have one kind of fault or traffic less than this one. */
    List<P> simpler();

    /** The command that runs it again. */
    String replay();

    /**
     * The command that runs a plan again.
     *
     * @param command that walks seeds of this kind
     * @param defaultSteps that need not be said
     * @param off features that are left out
     */
    static String replay(String command, Plan<?> plan, int defaultSteps, Set<? extends Enum<?>> off) {
        StringBuilder again = new StringBuilder(command).append(" --seed ").append(plan.seed());
        if (plan.steps() != defaultSteps) {
            again.append(" --steps ").append(plan.steps());
        }
        if (!plan.without().isEmpty()) {
            again.append(" --without ").append(Ranges.format(plan.without()));
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
