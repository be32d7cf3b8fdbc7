package io.verbena.bench.tenants;

import io.verbena.nic.arbiter.ArbiterSettings;
import java.util.List;

/** A victim beside an adversary on the simulated fabric: in virtual time, so exact, and the same at each run. */
final class SimulatedAdversary {
    private static final long SEED = 1;
    private static final long WARM_UP = 1_000_000;
    private static final long SPAN = 4_000_000;

    /** Until whoever is refused each time has learnt to ask seldom, and a queue is full. */
    private static final long IN_VAIN_FOR_LONG = 60_000_000;

    private SimulatedAdversary() {}

    /** What the victim keeps. */
    static KeptShare run(Adversary adversary, ArbiterSettings settings) {
        long alone = new SimulatedTenants(SEED, settings, List.of(adversary.victim())).run(WARM_UP, SPAN)[0];
        long[] bytes = new SimulatedTenants(SEED, settings, adversary.tenants())
                .run(adversary.isInVain() ? IN_VAIN_FOR_LONG : WARM_UP, SPAN);
        double seconds = SPAN / 1e9;
        long other = bytes[Adversary.ITS_PLACE];
        return new KeptShare(
                alone / seconds,
                bytes[0] / seconds,
                other / seconds,
                bytes[0] / (double) (bytes[0] + other),
                adversary.entitlement(),
                1);
    }
}
