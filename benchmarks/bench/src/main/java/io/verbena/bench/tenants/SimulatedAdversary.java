package io.verbena.bench.tenants;

import io.verbena.bench.Latency;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.verification.RunException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
        if (adversary.isAttack()) {
            throw new RunException(adversary.title() + ": for real only");
        }
        List<MeasuredTenant> all = adversary.tenants();
        long warmUp = adversary.isInVain() ? IN_VAIN_FOR_LONG : WARM_UP;
        // Four worlds, each of its own.
        CompletableFuture<Latency> before = CompletableFuture.supplyAsync(() -> trips(List.of(), settings, WARM_UP));
        CompletableFuture<Latency> during =
                CompletableFuture.supplyAsync(() -> trips(all.subList(1, all.size()), settings, warmUp));
        CompletableFuture<long[]> beside =
                CompletableFuture.supplyAsync(() -> new SimulatedTenants(SEED, settings, all).run(warmUp, SPAN));
        long alone = new SimulatedTenants(SEED, settings, List.of(adversary.victim())).run(WARM_UP, SPAN)[0];
        long[] bytes = beside.join();
        double seconds = SPAN / 1e9;
        long other = bytes[Adversary.ITS_PLACE];
        return new KeptShare(
                alone / seconds,
                bytes[0] / seconds,
                other / seconds,
                adversary.isInVain() ? bytes[0] / (double) alone : bytes[0] / (double) (bytes[0] + other),
                adversary.entitlement(),
                1,
                before.join(),
                during.join());
    }

    private static Latency trips(List<MeasuredTenant> tenants, ArbiterSettings settings, long warmUp) {
        SimulatedTenants simulated = new SimulatedTenants(SEED, settings, tenants, Ping.ECHO);
        simulated.run(warmUp, SPAN);
        return Latency.of(simulated.pings());
    }
}
