package io.verbena.papers.rima;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Table 5: FastKV with what it receives in 256 buffers of 1 MB, which it keeps to by limiting what is outstanding,
 * beside FastKV on append queues.
 */
final class Table5 extends PaperFigure {
    private static final int MACHINES = 15;
    private static final int FREE = 64;
    private static final long FULL_NANOS = 1_000_000;
    private static final long QUICK_NANOS = 300_000;
    private static final int[] SERVERS = {64, 128, 256, 512, 1024, 2048};
    private static final double[] PAPER_SHARE = {0.21, 0.11, 0.052};
    private static final double[] PAPER_TIMES = {4.8, 9, 19};
    private static final double TOLERANCE = 0.1;
    private static final double MEBIBYTE = 1 << 20;

    private final FastKv.Setting rima;
    private final FastKv.Setting rdma;

    Table5() {
        this(FastKv.Setting.RIMA, FastKv.Setting.RDMA);
    }

    private Table5(FastKv.Setting rima, FastKv.Setting rdma) {
        super("table5", "Table 5: FastKV with a footprint of 256 MB");
        this.rima = rima;
        this.rdma = rdma;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation(
                        "a way that takes twice as long",
                        new Table5(rima, new FastKv.Setting(false, 0, 2 * FastKv.DELAY_NANOS))),
                new Mutation("append queues replaced by shared receive queues", new Table5(rdma, rdma)));
    }

    /** Shares of the throughput with append queues, in percent, where a buffer a peer is left; and all rows. */
    private record Shares(List<String> names, List<Double> few, List<Double> many, List<List<String>> rows) {}

    @Override
    public FigureReport run(long seed, Size size) {
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        FastKv.Result free = FastKv.run(rima, seed, MACHINES, FREE, nanos);
        double roundTrip = 1e9 / FastKv.run(rima, seed, 1, 1, nanos).throughput();
        FigureReport report = new FigureReport(id(), title())
                .setting("machines", String.valueOf(MACHINES))
                .setting(
                        "a client's most",
                        Numbers.text(free.throughput() / 1e6) + " M requests/s (the paper's 12.9 M/s, put in)")
                .setting(
                        "round trip",
                        Numbers.text(roundTrip / 1e3) + " us (the 22 us that the paper's numbers imply, put in)")
                .setting("requests", "SET and GET in turns, of the ETC sizes, each with a reply")
                .setting("seed", String.valueOf(seed));
        Shares shares = shares(seed, nanos, free);
        claims(report, shares, free);
        report.table(new DataTable(
                "Throughput of a client under a cap, of its throughput with append queues",
                List.of(
                        "servers",
                        "outstanding a peer",
                        "paper",
                        "here, 15 machines",
                        "paper, times RIMA",
                        "here, times RIMA",
                        "here, as many peers as servers",
                        "p50, 15 machines",
                        "p99"),
                shares.rows));
        report.plot(new PaperPlot("rima-table-5", "Throughput under a footprint of 256 MB", "", "% of RIMA")
                .categories(shares.names)
                .bars(
                        "paper",
                        Arrays.stream(PAPER_SHARE).mapToObj(each -> each * 100).toList())
                .bars("here, 15 machines", shares.few)
                .bars("here, as many peers as servers", shares.many));
        report.note("From 512 servers on 256 MB are less than a buffer of 1 MB a peer, as the paper says: that is a"
                + " division, not a result.");
        report.note("FastKV-RIMA: " + FREE + " requests under way to each of " + MACHINES + " machines, p50 "
                + micros(free.p50()) + ", p99 " + micros(free.p99()) + "; its client or a server had at most "
                + Numbers.bytes((double) free.mostBytes()) + " for what is received, FastKV-RDMA has "
                + Numbers.bytes((double) FastKv.BUFFERS * KvQueue.MAX)
                + " at each. The client and its servers check every reply and request.");
        return report;
    }

    private static String micros(long nanos) {
        return Numbers.text(nanos / 1e3, "us");
    }

    private Shares shares(long seed, long nanos, FastKv.Result free) {
        Shares shares = new Shares(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < SERVERS.length; i++) {
            int servers = SERVERS[i];
            int limit = FastKv.BUFFERS / servers;
            if (limit == 0) {
                shares.rows.add(
                        List.of(String.valueOf(servers), "-", "infeasible", "infeasible", "-", "-", "-", "-", "-"));
                continue;
            }
            FastKv.Result capped = FastKv.run(rdma, seed, MACHINES, limit, nanos);
            double few = capped.throughput() / free.throughput();
            double many = FastKv.run(rdma, seed, servers, limit, nanos).throughput() / free.throughput();
            shares.rows.add(List.of(
                    String.valueOf(servers),
                    String.valueOf(limit),
                    percent(PAPER_SHARE[i]),
                    percent(few),
                    Numbers.text(PAPER_TIMES[i]),
                    Numbers.text(1 / few),
                    percent(many),
                    micros(capped.p50()),
                    micros(capped.p99())));
            shares.names.add(servers + " servers");
            shares.few.add(few * 100);
            shares.many.add(many * 100);
        }
        return shares;
    }

    private static void claims(FigureReport report, Shares shares, FastKv.Result free) {
        for (int i = 0; i < shares.few.size(); i++) {
            int limit = FastKv.BUFFERS / SERVERS[i];
            report.claim(Claim.near(
                            "table5." + SERVERS[i],
                            "throughput with " + limit + " outstanding a peer, of what an append queue allows",
                            PAPER_SHARE[i] * 100,
                            "%",
                            shares.few.get(i),
                            TOLERANCE,
                            "the round trip or the client's most is another")
                    .but("it is the testbed's 15 machines x " + limit + " that are outstanding, not "
                            + FastKv.BUFFERS));
        }
        double mebibytes = free.mostBytes() / MEBIBYTE;
        report.claim(Claim.judged(
                "table5.memory",
                "FastKV-RIMA, which limits nothing, has less than 256 MiB for what an end receives",
                "MiB",
                mebibytes,
                mebibytes < FastKv.BUFFERS,
                "append queues take as much"));
        double scaled = shares.many.get(shares.many.size() - 1) / shares.many.get(0);
        report.claim(Claim.judged(
                "table5.scaling",
                "throughput halves when servers double: share at 256 servers, less than half of that at 64",
                "x",
                scaled,
                scaled < 0.5,
                "with as many peers as the table says, 256 requests stay outstanding in all however they are divided"));
    }

    private static String percent(double share) {
        return Numbers.text(share * 100) + " %";
    }
}
