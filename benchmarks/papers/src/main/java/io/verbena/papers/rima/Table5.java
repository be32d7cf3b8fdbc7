package io.verbena.papers.rima;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;

/** Table 5: throughput when a footprint of 256 MB for buffers of 1 MB is kept by limiting what is outstanding. */
final class Table5 extends PaperFigure {
    private static final int FOOTPRINT_BUFFERS = 256;
    private static final int MACHINES = 15;
    private static final int FREE = 64;
    private static final long FULL_NANOS = 1_000_000;
    private static final long QUICK_NANOS = 300_000;
    private static final int[] SERVERS = {64, 128, 256, 512, 1024, 2048};
    private static final double[] PAPER_SHARE = {0.21, 0.11, 0.052};
    private static final double[] PAPER_TIMES = {4.8, 9, 19};
    private static final double TOLERANCE = 0.1;

    Table5() {
        super("table5", "Table 5: equal footprint of 256 MB");
    }

    @Override
    public FigureReport run(long seed, Size size) {
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        double free = new CappedFan(seed, MACHINES, FREE).throughput(nanos);
        double roundTrip = 1e9 / new CappedFan(seed, 1, 1).throughput(nanos);
        FigureReport report = new FigureReport(id(), title())
                .setting("machines", String.valueOf(MACHINES))
                .setting("a client's most", Numbers.text(free / 1e6) + " M requests/s (the paper's 12.9 M/s, put in)")
                .setting(
                        "round trip",
                        Numbers.text(roundTrip / 1e3) + " us (the 22 us that the paper's numbers imply, put in)")
                .setting("seed", String.valueOf(seed));
        List<List<String>> rows = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<Double> shares = new ArrayList<>();
        List<Double> peerShares = new ArrayList<>();
        List<Double> papers = new ArrayList<>();
        for (int i = 0; i < SERVERS.length; i++) {
            int servers = SERVERS[i];
            int limit = FOOTPRINT_BUFFERS / servers;
            if (limit == 0) {
                rows.add(List.of(String.valueOf(servers), "-", "infeasible", "infeasible", "-", "-", "-"));
                continue;
            }
            double share = new CappedFan(seed, MACHINES, limit).throughput(nanos) / free;
            double real = new CappedFan(seed, servers, limit).throughput(nanos) / free;
            rows.add(List.of(
                    String.valueOf(servers),
                    String.valueOf(limit),
                    percent(PAPER_SHARE[i]),
                    percent(share),
                    Numbers.text(PAPER_TIMES[i]),
                    Numbers.text(1 / share),
                    percent(real)));
            names.add(servers + " servers");
            papers.add(PAPER_SHARE[i] * 100);
            shares.add(share * 100);
            peerShares.add(real * 100);
            report.claim(Claim.near(
                            "table5." + servers,
                            "throughput with " + limit + " outstanding a peer, of what an append queue allows",
                            PAPER_SHARE[i] * 100,
                            "%",
                            share * 100,
                            TOLERANCE,
                            "the round trip or the client's most is another")
                    .but("it is the testbed's 15 machines x " + limit + " that are outstanding, not "
                            + FOOTPRINT_BUFFERS));
        }
        report.claim(Claim.judged(
                "table5.infeasible",
                "from 512 servers on there is less than a buffer a peer",
                512,
                "servers",
                firstInfeasible(),
                firstInfeasible() == 512,
                "another footprint"));
        double most = peerShares.get(0);
        double least = peerShares.get(peerShares.size() - 1);
        report.claim(Claim.judged(
                "table5.scaling",
                "throughput halves when servers double: share at 256 servers, of that at 64",
                PAPER_SHARE[2] / PAPER_SHARE[0],
                "",
                least / most,
                least / most < 0.5,
                "with as many peers as the table says, 256 requests stay outstanding in all however they are divided"));
        report.table(new DataTable(
                "Throughput of a client under a cap, of its throughput with append queues",
                List.of(
                        "servers",
                        "outstanding a peer",
                        "paper",
                        "here, 15 machines",
                        "paper, times RIMA",
                        "here, times RIMA",
                        "here, as many peers as servers"),
                rows));
        report.plot(new PaperPlot("rima-table-5", "Throughput under a footprint of 256 MB", "", "% of RIMA")
                .categories(names)
                .bars("paper", papers)
                .bars("here, 15 machines", shares)
                .bars("here, as many peers as servers", peerShares));
        return report;
    }

    private static int firstInfeasible() {
        for (int servers : SERVERS) {
            if (servers > FOOTPRINT_BUFFERS) {
                return servers;
            }
        }
        throw new IllegalStateException("all are feasible");
    }

    private static String percent(double share) {
        return Numbers.text(share * 100) + " %";
    }
}
