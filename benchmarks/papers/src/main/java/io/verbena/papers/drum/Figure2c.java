package io.verbena.papers.drum;

import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.verbs.QpType;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** Figure 2c: requests a second of all connections together, of three types, beyond what the NIC keeps contexts of. */
final class Figure2c extends PaperFigure {
    private static final int[] CONNECTIONS = {2, 4, 8, 12, 16, 18, 20, 22, 24, 32, 48, 64, 100};
    private static final QpType[] TYPES = {QpType.RC, QpType.UC, QpType.UD};
    private static final int CONTEXTS = 20;
    private static final int UNDER_WAY = 48;
    private static final int DATAGRAM_QPS = 4;
    private static final int BYTES = 32;
    private static final long WARM_UP_NANOS = 50_000;
    private static final long FULL_NANOS = 1_000_000;
    private static final long QUICK_NANOS = 50_000;
    private static final long LOOK_NANOS = 100;
    private static final double DROP = 0.9;
    private static final double FLAT = 0.1;
    private static final double KNEE_TOLERANCE = 0.1;

    private final int most; // connections that are queue pairs of their own
    private final boolean datagramsPerPeer; // UD has a queue pair a peer, as RC has

    Figure2c() {
        this(Integer.MAX_VALUE, false);
    }

    private Figure2c(int most, boolean datagramsPerPeer) {
        super("2c", "Figure 2c: requests a second by connections, RC, UC and UD");
        this.most = most;
        this.datagramsPerPeer = datagramsPerPeer;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("never more than 16 queue pairs", new Figure2c(16, false)),
                new Mutation("UD with a queue pair a peer", new Figure2c(Integer.MAX_VALUE, true)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("requests", "RC and UC WRITEs, UD SENDs of " + BYTES + " B")
                .setting("under way", UNDER_WAY + " in all, at least one a connection")
                .setting("UD", DATAGRAM_QPS + " queue pairs, however many the peers")
                .setting("contexts", String.valueOf(CONTEXTS))
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot("drum-figure-2c", "Requests by connections", "connections", "Mops");
        List<Double> counts = new ArrayList<>();
        for (int count : CONNECTIONS) {
            counts.add((double) count);
        }
        List<List<Double>> rates = new ArrayList<>();
        for (QpType type : TYPES) {
            List<Double> of = new ArrayList<>();
            for (int count : CONNECTIONS) {
                of.add(mops(type, count, seed, size));
            }
            rates.add(of);
            plot.line(type.name(), counts, of, type.ordinal());
        }
        knee(report, QpType.RC, rates.get(0));
        knee(report, QpType.UC, rates.get(1));
        flat(report, rates.get(2));
        return report.table(table(rates))
                .plot(plot)
                .note("A thread posts at most 2.25 million requests a second, each with its doorbell:"
                        + " that, not the NIC, is the limit of UD, and of RC and UC with few connections."
                        + " What UD shows is that peers add no contexts where they share queue pairs.");
    }

    private static DataTable table(List<List<Double>> rates) {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS.length; i++) {
            List<String> row = new ArrayList<>(List.of(String.valueOf(CONNECTIONS[i])));
            for (List<Double> of : rates) {
                row.add(Numbers.text(of.get(i), "Mops"));
            }
            rows.add(row);
        }
        return new DataTable("Requests a second", List.of("connections", "RC", "UC", "UD"), rows);
    }

    /** The last number of connections before the rate falls below nine tenths of the most up to there. */
    private static void knee(FigureReport report, QpType type, List<Double> rates) {
        double highest = rates.get(0);
        int at = 1;
        while (at < CONNECTIONS.length && rates.get(at) >= DROP * highest) {
            highest = Math.max(highest, rates.get(at));
            at++;
        }
        int knee = CONNECTIONS[at - 1];
        String name = type.name().toLowerCase(Locale.ROOT);
        report.claim(Claim.near(
                        "2c.knee." + name,
                        type + ": connections above which the rate falls by a tenth or more",
                        CONTEXTS,
                        "",
                        knee,
                        KNEE_TOLERANCE,
                        "contexts are not what is short")
                .but("that the NIC keeps " + CONTEXTS + " contexts is an input"));
    }

    private static void flat(FigureReport report, List<Double> rates) {
        double most = rates.stream().mapToDouble(each -> each).max().orElseThrow();
        double least = rates.stream().mapToDouble(each -> each).min().orElseThrow();
        report.claim(Claim.judged(
                        "2c.flat.ud",
                        "UD: the highest rate by the lowest",
                        "x",
                        most / least,
                        most / least <= 1 + FLAT,
                        "queue pairs grow with peers, and contexts are short")
                .accepting("≤ " + Numbers.text(1 + FLAT, "x"))
                .but("peers take nothing of this NIC where they share its queue pairs, so each row is the same run"));
    }

    private double mops(QpType type, int count, long seed, Size size) {
        int pairs = type == QpType.UD && !datagramsPerPeer ? DATAGRAM_QPS : Math.min(most, count);
        DrumWorld world =
                new DrumWorld(seed, ArbiterSettings.defaults().withDiscipline(Discipline.PACKET_ROUND_ROBIN), pairs);
        DrumWorld.Tenant tenant = world.tenant("all");
        DrumWorld.DatagramServer server = type == QpType.UD ? world.datagramServer() : null;
        List<RequestLoop> loops = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            int depth = Math.max(1, UNDER_WAY / pairs + (i < UNDER_WAY % pairs ? 1 : 0));
            HostCompletionQueue completions = world.completions();
            HostQueuePair qp = server == null
                    ? world.connect(tenant, completions, type, depth)
                    : world.datagrams(tenant, completions, depth);
            IntFunction<SendRequest> requests = server == null
                    ? bytes -> world.write(tenant, bytes)
                    : bytes -> world.datagram(tenant, server.qp(), bytes);
            RequestLoop loop =
                    new RequestLoop(world, new OwnQueuePair(qp, completions, requests), BYTES, 1, depth, LOOK_NANOS);
            world.cores.start("loop " + i, loop);
            loops.add(loop);
        }
        world.simulation.runFor(WARM_UP_NANOS);
        loops.forEach(RequestLoop::record);
        long before = server == null ? 0 : server.receiver().received();
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        world.simulation.runFor(nanos);
        long done = server == null
                ? loops.stream().mapToLong(RequestLoop::requests).sum()
                : server.receiver().received() - before;
        return done * 1e3 / nanos;
    }
}
