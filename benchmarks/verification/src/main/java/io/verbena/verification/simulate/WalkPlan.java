package io.verbena.verification.simulate;

import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.Plan;
import java.util.BitSet;
import java.util.Set;

/** What a seed means: how many NICs, on what links, which faults; and what a shrunk walk leaves out of it. */
final class WalkPlan extends Plan<WalkPlan, WalkPlan.Feature> {
    /** Steps of a walk unless said otherwise. */
    static final int STEPS = 120;

    private static final int MAX = 6000;
    private static final int MAX_LARGE = 1 << 16;
    private static final int MAX_HOSTS = 4;
    private static final int MAX_PAIRS = 4;
    private static final long PLAN_PART = 1L << 40;

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

    static final Kind<Feature> KIND = new Kind<>("verbena simulate", STEPS, 2L << 40, Feature.class);

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
        super(KIND, seed, steps, without, off);
        SimRandom random = SimRandom.forPart(seed, PLAN_PART);
        hosts = 2 + random.nextInt(MAX_HOSTS - 1);
        pairs = Math.max(hosts - 1, 1 + random.nextInt(MAX_PAIRS));
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
            if (wanted && (harmless || !calm)) {
                have(f);
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
        most = random.nextInt(12) == 0 ? MAX_LARGE : MAX;
        maxMessage = random.nextInt(3) == 0 ? 4000 : 1 << 16;
    }

    /** Whether some messages are far longer than what others send. */
    boolean isLarge() {
        return most == MAX_LARGE;
    }

    boolean isLossy() {
        return loss > 0 || corruption > 0;
    }

    @Override
    public String toString() {
        return hosts + " NICs, " + pairs + " connections, " + stepsLeft() + " steps, " + features();
    }

    @Override
    protected WalkPlan with(int fewer, BitSet leftOut, Set<Feature> less) {
        return new WalkPlan(seed(), fewer, leftOut, less);
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
