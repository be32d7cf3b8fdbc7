package io.verbena.papers.drum;

import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimRandom;
import io.verbena.papers.figures.Samples;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients on six hosts and one server behind one port, each with one operation under way: what a store is to NICs. A
 * one-sided one is READs and WRITEs of the server's memory; of a two-sided one a {@link StoreServer} answers requests.
 * Clients of an application, five, all do the same kind of operations.
 *
 * @param twoSided whether the server's processor answers
 * @param clients of all hosts
 * @param kinds of operations, by turns of the applications
 * @param lookNanos rest of a thread after a poll
 */
record StoreLoad(boolean twoSided, int clients, List<Kind> kinds, long lookNanos) {
    /** Hosts of clients. */
    static final int HOSTS = 6;

    /** Bits a second of the server's port. */
    static final long LINK = 40_000_000_000L;

    private static final int PERCENT = 100;

    /**
     * Operations.
     *
     * @param title of them
     * @param reads so many in a hundred are READs, the others WRITEs
     * @param minBytes of the shortest; lengths are even up to the longest
     * @param maxBytes of the longest
     */
    record Kind(String title, int reads, int minBytes, int maxBytes) {}

    /**
     * What came of it.
     *
     * @param mops million operations a second
     * @param samples of all operations
     * @param byKind of each kind's
     * @param misses of contexts by the server's NIC, an operation
     * @param busy part of the time in which a thread of the server's processor answers; 0 where it does not
     * @param steps of the store, from the beginning, in which it granted requests to hosts anew
     */
    record Run(double mops, Samples samples, List<Samples> byKind, double misses, double busy, long steps) {
        /** The mean time, in microseconds. */
        double mean() {
            return samples.meanMicros();
        }

        /** Time from the 10th to the 90th percentile, in microseconds. */
        double spread() {
            return samples.micros(90) - samples.micros(10);
        }
    }

    /** A client's loop and the kind of its operations. */
    private record Client(RequestLoop loop, int kind) {}

    /**
     * Runs it.
     *
     * @param capacity requests a second that a NIC takes
     * @param multiplexed clients a queue pair, where they are shared
     * @param warmUpNanos before anything is counted
     * @param nanos for which it is counted
     */
    Run run(long seed, Way way, double capacity, int multiplexed, long warmUpNanos, long nanos) {
        return run(seed, way, capacity, StoreServer.PER_SECOND, multiplexed, warmUpNanos, nanos);
    }

    /** The same where the store grants so many requests a second to DRUM's hosts. */
    Run run(long seed, Way way, double capacity, double completions, int multiplexed, long warmUpNanos, long nanos) {
        NicModel nicOfServer = NicModel.infiniband40().port(LINK);
        DrumWorld.Server server = DrumWorld.Server.start(seed, nicOfServer, Way.RAW.settings()); // one card for all
        StoreServer processor = twoSided ? new StoreServer(server, nicOfServer) : null;
        StoreRates rates = processor == null || way != Way.DRUM
                ? null
                : new StoreRates(server.simulation(), processor, completions);
        SimRandom random = server.simulation().newRandom();
        List<Client> all = new ArrayList<>();
        int applications = 0;
        for (int host = 0; host < HOSTS; host++) {
            int count = clients / HOSTS + (host < clients % HOSTS ? 1 : 0);
            SharedNic nic = new SharedNic(
                    new DrumWorld(server, host + 1, way.settings(), way.threads(count)),
                    way,
                    capacity,
                    multiplexed,
                    rates);
            SharedNic.Application application = null;
            for (int i = 0; i < count; i++) {
                if (application == null || i % SharedNic.MULTIPLEXED == 0) {
                    application = nic.application("application" + i);
                    applications++;
                    if (processor != null) {
                        application.answeredBy(processor);
                    }
                }
                int index = applications % kinds.size();
                Kind kind = kinds.get(index);
                application.reads(() -> isRead(kind, random));
                RequestLoop loop = nic.start(application, () -> length(kind, random), 1, 1, lookNanos);
                all.add(new Client(loop, index));
            }
        }
        server.simulation().runFor(warmUpNanos);
        all.forEach(each -> each.loop.record());
        long missed = nicOfServer.contextMisses();
        long before = processor == null ? 0 : processor.workedNanos();
        server.simulation().runFor(nanos);
        long worked = processor == null ? 0 : processor.workedNanos() - before;
        double busy = worked / (double) (StoreServer.THREADS * nanos);
        long steps = rates == null ? 0 : rates.steps();
        return result(all, nicOfServer.contextMisses() - missed, nanos, busy, steps);
    }

    private static boolean isRead(Kind kind, SimRandom random) {
        return kind.reads == PERCENT || (kind.reads > 0 && random.nextInt(PERCENT) < kind.reads);
    }

    private static int length(Kind kind, SimRandom random) {
        return kind.minBytes + random.nextInt(kind.maxBytes - kind.minBytes + 1);
    }

    private Run result(List<Client> all, long misses, long nanos, double busy, long steps) {
        Samples samples = new Samples();
        List<Samples> byKind = new ArrayList<>();
        kinds.forEach(each -> byKind.add(new Samples()));
        long done = 0;
        for (Client each : all) {
            samples.addAll(each.loop.samples());
            byKind.get(each.kind).addAll(each.loop.samples());
            done += each.loop.requests();
        }
        return new Run(done * 1e3 / nanos, samples, byKind, misses / (double) done, busy, steps);
    }
}
