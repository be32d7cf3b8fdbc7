package io.verbena.bench.rates;

import io.verbena.RateOptions;
import io.verbena.RateStatistics;
import io.verbena.bench.Interval;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.bench.trial.Sink;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench rates}: what sharing by utility costs, and whether it keeps what it says. */
@Command(
        name = "rates",
        description = {
            "Measures NodeContext.rates between two processes, messages of 32 bytes: rate and round trip against the",
            "same without rates, in rounds by turns, with a capacity that is never short; the agent's part of a core",
            "with many tenants whose demands change all the time; then, with a quarter of what the machine sends as",
            "the capacity, the parts of two tenants with utilities 3 : 1, how much they send together, and in how many",
            "epochs the share of one that stops is lent, and given back when it starts again; and both with a capacity",
            "that the node measures.%n"
        })
public final class RatesCommand extends RunCommand {
    private static final double ENOUGH = 1e9;
    private static final double NEARLY = 0.9;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final double CHANGE_SECONDS = 0.005;
    private static final int TURNS = 10; // of each side in a round
    private static final IntPredicate ALL = i -> true;

    /** Messages a second: a quarter of them is the least that {@link RateOptions#requests} takes. */
    private static final double LEAST = 4000;

    @Option(names = "--tenants", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int tenants = 50;

    @Option(names = "--fabric", description = "tcp, uds or shm; default ${DEFAULT-VALUE}.")
    String fabric = "tcp";

    @Option(names = "--rounds", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int rounds = 7;

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "Of a round; default ${DEFAULT-VALUE}.")
    double seconds = 1;

    private MarkdownTable table = new MarkdownTable(List.of());

    /** Creates the command. */
    public RatesCommand() {
        super("bench rates");
    }

    @Override
    protected int run() {
        RunException.requireRange("tenants", tenants, 1, 1000);
        RunException.requireRange("rounds", rounds, 1, 1000);
        table = new MarkdownTable(List.of("what", "median (least-most)"));
        try (Sink sink = new Sink(fabric, "rates")) {
            out.println(Machine.here().text());
            double capacity = price(sink);
            if (capacity < LEAST) { // a machine that is busy may send nothing in a short time
                err.println(text("%.0f messages a second are no capacity: %.0f are assumed", capacity, LEAST));
                capacity = LEAST;
            }
            agent(sink);
            shares(sink, capacity / 4);
            measured(sink, capacity);
        }
        table.print(out);
        return 0;
    }

    /** Of what one tenant sends, and of round trips. Returns messages a second of two tenants without rates. */
    private double price(Sink sink) {
        double[] weights = {1, 1};
        IntPredicate one = i -> i == 0;
        double[] rates = new double[rounds];
        double[] trips = new double[rounds];
        double[] both = new double[rounds];
        try (TenantsNode without = new TenantsNode(sink, weights, null);
                TenantsNode with = new TenantsNode(sink, weights, new RateOptions().requests(ENOUGH))) {
            for (TenantsNode each : List.of(without, with)) { // compiles what both run
                each.flood(seconds, ALL);
                each.roundTrips(seconds);
            }
            for (int i = 0; i < rounds; i++) {
                double[] sent = new double[2];
                Histogram[] times = {new Histogram(3), new Histogram(3)};
                for (int turn = 0; turn < 2 * TURNS; turn++) { // cores that move do so for both
                    int which = (turn + turn / 2) % 2; // each is first as often as second
                    TenantsNode node = which == 0 ? without : with;
                    sent[which] += node.flood(seconds / TURNS, one)[0];
                    times[which].add(node.roundTrips(seconds / TURNS));
                }
                rates[i] = sent[1] / sent[0];
                trips[i] = (double) times[1].getValueAtPercentile(50) / times[0].getValueAtPercentile(50);
                both[i] = sum(without.flood(seconds, ALL));
            }
        }
        line("rate of one tenant, by that without rates", "%.3f", rates);
        line("round trip, p50, by that without rates", "%.3f", trips);
        return Interval.of(both).median();
    }

    /** Of a core, while who wants to send changes all the time. */
    private void agent(Sink sink) {
        double[] weights = new double[tenants];
        Arrays.setAll(weights, i -> 1 + i % 4);
        Random random = new Random(1);
        double[] parts = new double[rounds];
        double[] solves = new double[rounds];
        try (TenantsNode node = new TenantsNode(sink, weights, new RateOptions().requests(ENOUGH))) {
            for (int i = -1; i < rounds; i++) {
                RateStatistics before = node.cost();
                long begin = System.nanoTime();
                long end = begin + (long) (seconds * 1e9);
                while (System.nanoTime() - end < 0) {
                    int who = random.nextInt(tenants);
                    node.flood(CHANGE_SECONDS, t -> t == who || (t ^ who) % 3 == 0);
                }
                RateStatistics after = node.cost();
                if (i >= 0) {
                    parts[i] = 100.0 * (after.nanos() - before.nanos()) / (System.nanoTime() - begin);
                    solves[i] = (after.solves() - before.solves()) / (double) (after.epochs() - before.epochs());
                }
            }
        }
        line(tenants + " tenants: the agent's part of a core", "%.2f %%", parts);
        line(tenants + " tenants: epochs in which it solved", "%.2f", solves);
    }

    /** Of two tenants that send as much as they can, and then of one alone. */
    private void shares(Sink sink, double capacity) {
        double[] parts = new double[rounds];
        double[] sums = new double[rounds];
        double[] queued = new double[rounds];
        double[] lent = new double[rounds];
        double[] back = new double[rounds];
        double[] most = new double[rounds];
        RateOptions options = new RateOptions().requests(capacity).margin(0);
        try (TenantsNode node = new TenantsNode(sink, new double[] {3, 1}, options)) {
            node.flood(seconds, ALL);
            for (int i = 0; i < rounds; i++) {
                double[] rates = node.flood(seconds, ALL);
                parts[i] = rates[0] / sum(rates);
                sums[i] = sum(rates) / capacity;
                most[i] = node.allocated() / capacity;
                queued[i] = epochs(node, t -> t == 0, () -> node.isIdle(1));
                lent[i] = epochs(node, t -> t == 0, () -> node.allocated(0) > NEARLY * capacity);
                node.flood(seconds / 4, t -> t == 0);
                back[i] = epochs(node, ALL, () -> node.allocated(1) > NEARLY * capacity / 4);
            }
        }
        line("utilities 3 : 1, part of the first", "%.4f", parts);
        line("sent of the capacity", "%.3f", sums);
        line("allocated of the capacity", "%.3f", most);
        line("epochs until one that stops had sent what it had queued", "%.0f", queued);
        line("epochs from then until its share was lent", "%.0f", lent);
        line("epochs until it was back", "%.0f", back);
    }

    /** Of two tenants, where the node finds out its capacity by itself. */
    private void measured(Sink sink, double capacity) {
        double[] parts = new double[rounds];
        double[] sums = new double[rounds];
        try (TenantsNode node = new TenantsNode(sink, new double[] {3, 1}, new RateOptions())) {
            node.flood(seconds, ALL);
            for (int i = 0; i < rounds; i++) {
                double[] rates = node.flood(seconds, ALL);
                parts[i] = rates[0] / sum(rates);
                sums[i] = sum(rates) / capacity;
            }
        }
        line("capacity measured: part of the first", "%.4f", parts);
        line("capacity measured: sent, by that without rates", "%.3f", sums);
    }

    private static double epochs(TenantsNode node, IntPredicate sends, BooleanSupplier done) {
        long before = node.cost().epochs();
        long begin = System.nanoTime();
        while (!done.getAsBoolean()) {
            node.offer(sends);
            if (System.nanoTime() - begin > LIMIT_NANOS) {
                throw new RunException("rates have not followed within 10 s");
            }
        }
        return node.cost().epochs() - before;
    }

    private static double sum(double[] rates) {
        return Arrays.stream(rates).sum();
    }

    private void line(String what, String format, double[] values) {
        Interval interval = Interval.of(values);
        table.line(List.of(
                what,
                text(format, interval.median()) + " (" + text(format, interval.min()) + "-"
                        + text(format, interval.max()) + ")"));
    }
}
