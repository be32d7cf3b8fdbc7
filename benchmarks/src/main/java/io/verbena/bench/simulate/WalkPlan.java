package io.verbena.bench.simulate;

import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What a seed means: how many NICs, on what links, which faults; and what a shrunk walk leaves out of it. */
final class WalkPlan implements Plan<WalkPlan> {
    /** Steps of a walk unless said otherwise. */
    static final int STEPS = 120;

    private static final int MOST = 6000;
    private static final int MOST_OF_LARGE = 1 << 16;
    private static final int MOST_HOSTS = 4;
    private static final int MOST_PAIRS = 4;
    private static final long PLAN_PART = 1L << 40;
    private static final long STEP_PART = 2L << 40;

    /** A kind of thing that a plan may have, and that a shrunk walk may do without. */
    enum Feature {
        LOSS,
        DUPLICATION,
        REORDERING,
        CORRUPTION,
        JITTER,
        CUTS,
        PARTITIONS,
        BREAKS,
        PAUSES,
        CRASHES,
        DIRECT,
        KILLED_DIRECT,
        FROZEN_DIRECT,
        WEATHER,
        SILICON,
        LAZY,
        FLAWS,
        REGIONS
    }

    final long seed;
    final int steps;
    final BitSet without;
    final Set<Feature> off;
    private final Set<Feature> features = EnumSet.noneOf(Feature.class);
    final int hosts;
    final int pairs;
    final double loss;
    final int lossBurst;
    final double duplication;
    final double reordering;
    final double corruption;
    final long rate;
    final long delay;
    final int maxMessage;
    /** Most bytes of a message. */
    final int most;

    /**
     * What a seed means.
     *
     * @param seed any value
     * @param steps of the walk
     * @param without steps that are left out; the others stay what they are
     * @param off features that are left out
     */
    WalkPlan(long seed, int steps, BitSet without, Set<Feature> off) {
        this.seed = seed;
        this.steps = steps;
        this.without = without;
        this.off = off;
        SimRandom random = SimRandom.forPart(seed, PLAN_PART);
        hosts = 2 + random.nextInt(MOST_HOSTS - 1);
        pairs = Math.max(hosts - 1, 1 + random.nextInt(MOST_PAIRS));
        boolean calm = random.nextInt(20) == 0;
        for (Feature f : Feature.values()) {
            double chance = f == Feature.DIRECT
                    ? 0.35
                    : f == Feature.KILLED_DIRECT || f == Feature.FROZEN_DIRECT || f == Feature.FLAWS ? 0.7 : 0.45;
            boolean wanted = random.chance(chance);
            boolean harmless = f == Feature.DIRECT
                    || f == Feature.SILICON
                    || f == Feature.LAZY
                    || f == Feature.FLAWS
                    || f == Feature.REGIONS;
            if (wanted && (harmless || !calm) && !off.contains(f)) {
                features.add(f);
            }
        }
        double strength = 0.2 + random.nextDouble();
        loss = has(Feature.LOSS) ? 0.05 * strength : 0;
        lossBurst = 1 + random.nextInt(4);
        duplication = has(Feature.DUPLICATION) ? 0.1 * strength : 0;
        reordering = has(Feature.REORDERING) ? 0.1 * strength : 0;
        corruption = has(Feature.CORRUPTION) ? 0.03 * strength : 0;
        rate = (10L + random.nextInt(91)) * 1_000_000_000L;
        delay = 200L + random.nextInt(8_000);
        most = random.nextInt(12) == 0 ? MOST_OF_LARGE : MOST;
        maxMessage = random.nextInt(3) == 0 ? 4000 : 1 << 16;
    }

    /** Whether some messages are far longer than what others send. */
    boolean isLarge() {
        return most == MOST_OF_LARGE;
    }

    boolean has(Feature feature) {
        return features.contains(feature);
    }

    Set<Feature> features() {
        return EnumSet.copyOf(features.isEmpty() ? EnumSet.noneOf(Feature.class) : features);
    }

    boolean isLossy() {
        return loss > 0 || corruption > 0;
    }

    @Override
    public String toString() {
        return hosts + " NICs, " + pairs + " connections, " + (steps - without.cardinality()) + " steps, " + features;
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public int steps() {
        return steps;
    }

    @Override
    public BitSet without() {
        return without;
    }

    @Override
    public WalkPlan with(int fewer, BitSet leftOut) {
        return new WalkPlan(seed, fewer, leftOut, off);
    }

    @Override
    public List<WalkPlan> simpler() {
        List<WalkPlan> plans = new ArrayList<>();
        for (Feature feature : features) {
            Set<Feature> less = EnumSet.of(feature);
            less.addAll(off);
            plans.add(new WalkPlan(seed, steps, without, less));
        }
        return plans;
    }

    @Override
    public String replay() {
        return Plan.replay("verbena simulate", this, STEPS, off);
    }

    /** The chance of one step, whatever else is left out. */
    SimRandom stepRandom(int step) {
        return SimRandom.forPart(seed, STEP_PART + step);
    }

    LinkProfile profile() {
        LinkProfile p = new LinkProfile()
                .rate(rate)
                .delay(delay)
                .loss(loss)
                .lossBurst(lossBurst)
                .duplication(duplication)
                .corruption(corruption)
                .direct(has(Feature.DIRECT));
        if (has(Feature.JITTER)) {
            p.jitter(delay);
        }
        if (reordering > 0) {
            p.reordering(reordering, 20_000);
        }
        return p;
    }

    NicModel model() {
        return new NicModel()
                .packet(20)
                .pcie(128_000_000_000L)
                .contexts(2, 300)
                .wqes(2, 300)
                .translations(4, 4096, 200);
    }
}
