package io.verbena.papers.drum;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;

/** Figure 2b: requests a second by how often an application polls, with batches of 1, 5 and 10. */
final class Figure2b extends PaperFigure {
    private static final int[] BATCHES = {1, 5, 10};
    private static final int[] KILO_POLLS = {20, 40, 80, 120, 160, 200};
    private static final int AHEAD = 4;
    private static final int BYTES = 32;
    private static final long SECOND = 1_000_000_000L;
    private static final long WARM_UP_NANOS = 500_000;
    private static final long FULL_NANOS = 10_000_000;
    private static final long QUICK_NANOS = 1_000_000;
    private static final double TOLERANCE = 0.2;

    private final boolean batched;
    private final boolean throttled;

    Figure2b() {
        this(true, true);
    }

    private Figure2b(boolean batched, boolean throttled) {
        super("2b", "Figure 2b: requests a second by polls a second and batch");
        this.batched = batched;
        this.throttled = throttled;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("a completion allows one request, whatever the batch", new Figure2b(false, true)),
                new Mutation("polls are not throttled", new Figure2b(true, false)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("requests", "WRITEs of " + BYTES + " B, " + AHEAD + " batches under way")
                .setting("poll", "one completion at most")
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot("drum-figure-2b", "Requests by polls", "thousand polls a second", "Mops");
        List<List<String>> rows = new ArrayList<>();
        List<Double> slopes = new ArrayList<>();
        boolean monotone = true;
        double smallest = Double.POSITIVE_INFINITY;
        for (int batch : BATCHES) {
            List<Double> polls = new ArrayList<>();
            List<Double> rates = new ArrayList<>();
            for (int kilo : KILO_POLLS) {
                double rate = mops(batched ? batch : 1, kilo, seed, size);
                if (!rates.isEmpty()) {
                    double step = rate / rates.get(rates.size() - 1);
                    smallest = Math.min(smallest, step);
                    monotone &= step > 1;
                }
                polls.add((double) kilo);
                rates.add(rate);
                rows.add(List.of(String.valueOf(batch), String.valueOf(kilo), Numbers.text(rate, "Mops")));
            }
            int last = rates.size() - 1;
            slopes.add((rates.get(last) - rates.get(0)) / (polls.get(last) - polls.get(0)));
            plot.line("batch " + batch, polls, rates, slopes.size() - 1);
        }
        report.claim(Claim.judged(
                "2b.monotone",
                "each step of the poll rate raises the rate of requests: the smallest step",
                "x",
                smallest,
                monotone,
                "the NIC or the link is saturated"));
        for (int i = 1; i < BATCHES.length; i++) {
            report.claim(Claim.nearComputed(
                    "2b.slope." + BATCHES[i],
                    "requests a poll with batches of " + BATCHES[i] + ", by those with batches of 1",
                    BATCHES[i],
                    "x",
                    slopes.get(i) / slopes.get(0),
                    TOLERANCE,
                    "the NIC or the link is saturated"));
        }
        return report.table(new DataTable(
                        "Requests that complete", List.of("batch", "thousand polls a second", "rate"), rows))
                .plot(plot);
    }

    private double mops(int batch, int kiloPolls, long seed, Size size) {
        DrumWorld world =
                new DrumWorld(seed, ArbiterSettings.defaults().withDiscipline(Discipline.PACKET_ROUND_ROBIN), 1);
        DrumWorld.Tenant tenant = world.tenant("all");
        RequestLoop loop = new RequestLoop(
                world,
                world.connect(tenant, batch * AHEAD),
                BYTES,
                batch,
                AHEAD,
                throttled ? SECOND / (kiloPolls * 1000L) : 0);
        world.cores.start("loop", loop);
        world.simulation.runFor(WARM_UP_NANOS);
        loop.record();
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        world.simulation.runFor(nanos);
        return loop.requests() * 1e3 / nanos;
    }
}
