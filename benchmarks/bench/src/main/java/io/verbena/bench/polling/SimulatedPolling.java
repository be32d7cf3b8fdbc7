package io.verbena.bench.polling;

import io.verbena.bench.polling.PollingRun.Load;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.Polling.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The cells of {@link PollingRun} on a simulated machine of two cores: in virtual time, so exact, and repeatable. */
final class SimulatedPolling {
    private static final int MANY = 1_000; // messages a second, of which a part of the time shows as much

    private final long seed;
    private final List<Load> loads;
    private final List<Integer> busy;
    private final long nanos;

    private record Setting(SchemeName scheme, int busy, Load load) {}

    /**
     * A table.
     *
     * @param seed of all chance
     * @param busy threads beside, in turn
     * @param nanos of an idle cell; one of 1,000 messages a second takes a fifth of that, one of more a twentieth
     */
    SimulatedPolling(long seed, List<Load> loads, List<Integer> busy, long nanos) {
        this.seed = seed;
        this.loads = loads;
        this.busy = busy;
        this.nanos = nanos;
    }

    /** The cells of these schemes. */
    List<PollingCell> measure(List<SchemeName> schemes) {
        List<Setting> settings = new ArrayList<>();
        for (SchemeName scheme : schemes) {
            for (int count : busy) {
                loads.forEach(load -> settings.add(new Setting(scheme, count, load)));
            }
        }
        return settings.stream().parallel().map(this::cell).toList(); // each a machine of its own
    }

    private PollingCell cell(Setting setting) {
        Load load = setting.load;
        boolean isMore = load.rate() > MANY || load.rate() == EchoClient.SATURATION;
        long span = isMore ? nanos / 20 : load.rate() == MANY ? nanos / 5 : nanos;
        PollingCell.Figures figures =
                new SimulatedEcho(seed, polling(setting.scheme), setting.busy).run(load.rate(), span / 2, span);
        return figures.messages() == 0
                ? PollingCell.ofVoid(setting.scheme, load.text(), setting.busy, "void: no message came back")
                : new PollingCell(setting.scheme, load.text(), setting.busy, Optional.empty(), figures);
    }

    /**
     * As the product has it, which sleeps where cores are short; but schemes that never sleep are simulated as such,
     * for that is what they are here to show.
     */
    static Polling polling(SchemeName name) {
        Polling polling = name.polling();
        boolean isAwake = polling.scheme() == Scheme.BUSY || polling.scheme() == Scheme.SHARED_CQ;
        return isAwake ? polling.evenIfCoresAreShort() : polling;
    }
}
