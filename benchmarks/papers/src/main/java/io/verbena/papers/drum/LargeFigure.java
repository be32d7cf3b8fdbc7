package io.verbena.papers.drum;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.rate.AdmmSettings;
import io.verbena.rate.Allocation;
import io.verbena.rate.Delivery;
import io.verbena.rate.ExactHost;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The largest size that DRUM names: 10,000 hosts of 5,000 applications. One-sided, hosts come from the seed one after
 * the other, are solved exactly, and are forgotten. Two-sided, 1 % of all applications of a host send, 50 of 5,000, to
 * three peers each, and all hosts are in memory.
 */
final class LargeFigure extends PaperFigure {
    private static final int HOSTS = 10_000;
    private static final int APPLICATIONS = 5_000;
    private static final int SENDING = 50;
    private static final int ROUNDS = 25;
    private static final int REFERENCE_ROUNDS = 40;
    private static final double EXACT = 1e-9;
    private static final double SECONDS = 60;

    LargeFigure() {
        super("large", "10,000 hosts of 5,000 applications");
    }

    /** Times are of this machine. */
    @Override
    public boolean isRepeatable() {
        return false;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int hosts = size == Size.QUICK ? HOSTS / 100 : HOSTS;
        FigureReport report = new FigureReport(id(), title())
                .setting("hosts", String.valueOf(hosts))
                .setting("cores", String.valueOf(Runtime.getRuntime().availableProcessors()))
                .setting("heap", Numbers.bytes((double) Runtime.getRuntime().maxMemory()))
                .setting("seed", String.valueOf(seed));
        List<List<String>> rows = new ArrayList<>();
        double seconds = oneSided(report, new RandomHosts(seed, hosts, APPLICATIONS, 1, 0.01), rows)
                + twoSided(report, new RandomHosts(seed, hosts, SENDING, 1, 0.01), rows);
        report.claim(Claim.judged(
                "large.time",
                "both together within a minute on two cores",
                "s",
                seconds,
                seconds <= SECONDS,
                "other load, or slower cores: see the processor's time"));
        report.table(new DataTable(
                "What it took",
                List.of("operations", "variables", "rounds", "gap", "seconds", "processor seconds"),
                rows));
        return report;
    }

    private static double oneSided(FigureReport report, RandomHosts hosts, List<List<String>> rows) {
        double[] gap = new double[hosts.hosts()];
        double[] residual = new double[hosts.hosts()];
        long start = System.nanoTime();
        AtomicLong processor = new AtomicLong();
        Parallel.BY_HOST.forAll(hosts.hosts(), (from, to) -> {
            long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            ExactHost exact = new ExactHost();
            Allocation answer = new Allocation();
            for (int i = from; i < to; i++) {
                exact.solve(hosts.host(i), answer);
                gap[i] = answer.gap();
                residual[i] = answer.residual();
            }
            processor.addAndGet(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before);
        });
        double seconds = (System.nanoTime() - start) / 1e9;
        double worst = 0;
        for (int i = 0; i < gap.length; i++) {
            worst = Math.max(worst, Math.max(gap[i], residual[i]));
        }
        rows.add(row("one-sided, exactly", hosts, "-", worst, seconds, processor.get() / 1e9));
        report.claim(Claim.judged(
                "large.one",
                "one-sided: every host's certificate, gap and optimality conditions",
                "",
                worst,
                worst <= EXACT,
                "above 1e-9"));
        return seconds;
    }

    private static double twoSided(FigureReport report, RandomHosts hosts, List<List<String>> rows) {
        long start = System.nanoTime();
        TwoSided peers = new TwoSided(hosts.peers(), REFERENCE_ROUNDS);
        double reference = (System.nanoTime() - start) / 1e9;
        Trajectory run = peers.run(AdmmSettings.TWO_SIDED, Delivery.ALL, ROUNDS);
        rows.add(row("two-sided", hosts, run.roundsText(), peers.best().gap(), reference, Double.NaN));
        report.claim(Claim.judged(
                "large.two",
                "two-sided, 1 % of all applications send: rounds to 99.5 %",
                20,
                "",
                run.rounds(),
                run.rounds() < 20,
                "the bound is of " + REFERENCE_ROUNDS + " rounds, and known to "
                        + Numbers.text(peers.best().gap())));
        return reference;
    }

    private static List<String> row(
            String operations, RandomHosts hosts, String rounds, double gap, double seconds, double processor) {
        return List.of(
                operations,
                String.format(Locale.ROOT, "%,d", (long) hosts.hosts() * hosts.applications()),
                rounds,
                Numbers.text(gap),
                Numbers.text(seconds),
                Numbers.text(processor, ""));
    }
}
