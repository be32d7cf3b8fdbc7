package io.verbena.papers.drum;

import io.verbena.nic.sim.SimRandom;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.figures.Samples;
import java.util.ArrayList;
import java.util.List;

/** Figure 9: how long flows of requests of 1 MiB take beside 20 to 100 connections of another application. */
final class Figure9 extends PaperFigure {
    private static final int[] CONNECTIONS = {20, 100};
    private static final int REQUEST = 1 << 20;
    private static final int FLOW = 8; // requests
    private static final int MIN_BACKGROUND = 1 << 10;
    private static final int MAX_BACKGROUND = 1 << 20;
    private static final int FULL_FLOWS = 12;
    private static final int QUICK_FLOWS = 4;
    private static final long WARM_UP_NANOS = 2_000_000;
    private static final long FLOW_NANOS = 3_700_000; // of half the link, with the margin of rates
    private static final long REQUEST_NANOS = 460_000; // likewise
    private static final long LOOK_NANOS = 1_000;
    private static final double STABLE = 0.1;

    /** What is run in place of the figure. */
    private enum Broken {
        NOT,
        WITHOUT_DRUM,
        BACKGROUND_MEASURED
    }

    private final Broken broken;

    Figure9() {
        this(Broken.NOT);
    }

    private Figure9(Broken broken) {
        super("9", "Figure 9: flows of 1 MiB requests beside 20 to 100 connections");
        this.broken = broken;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("RAW in place of DRUM, and DRUM of RAW", new Figure9(Broken.WITHOUT_DRUM)),
                new Mutation("the background's requests are measured", new Figure9(Broken.BACKGROUND_MEASURED)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int flows = size == Size.FULL ? FULL_FLOWS : QUICK_FLOWS;
        double capacity = SharedNic.capacity(seed, DrumAgent.PIECE);
        FigureReport report = new FigureReport(id(), title())
                .setting(
                        "foreground",
                        "one connection, flows of " + FLOW + " WRITEs of " + Numbers.bytes(REQUEST)
                                + ", one flow after the other for the time of " + flows + "; with RAW two requests")
                .setting(
                        "background",
                        "an application, WRITEs of " + Numbers.bytes(MIN_BACKGROUND) + " to "
                                + Numbers.bytes(MAX_BACKGROUND) + ", one under way a connection")
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot("drum-figure-9", "Flows", "connections of the background", "ms, 50 %");
        List<List<String>> rows = new ArrayList<>();
        boolean swapped = broken == Broken.WITHOUT_DRUM;
        List<Samples> drum = measure(seed, swapped ? Way.RAW : Way.DRUM, flows, capacity, rows, plot);
        List<Samples> raw = measure(seed, swapped ? Way.DRUM : Way.RAW, 0, capacity, rows, plot);
        judge(report, drum, raw);
        return report.table(new DataTable(
                        "Time of a flow, and of a request with RAW",
                        List.of("way", "connections of the background", "number", "10 %", "50 %", "90 %", "variation"),
                        rows))
                .plot(plot)
                .note("The paper has 1,000 flows of 1 GB, and requests of up to 10 MB beside them. Flows here are 8"
                        + " MiB: how much times vary falls with the length of a flow, so short ones are the harder"
                        + " test. Longer requests of the background change nothing, for RAW's card takes queue pairs"
                        + " in turn by packets, and DRUM's agent cuts them.")
                .note("RAW gives every queue pair the same: one of 101 has a hundredth of the link. With DRUM the"
                        + " foreground has half of it whatever the number.");
    }

    /** Flows, or with 0 of them single requests. */
    private List<Samples> measure(
            long seed, Way way, int flows, double capacity, List<List<String>> rows, PaperPlot plot) {
        List<Samples> all = new ArrayList<>();
        List<Double> counts = new ArrayList<>();
        List<Double> millis = new ArrayList<>();
        for (int connections : CONNECTIONS) {
            Samples samples = measure(seed, way, connections, flows, capacity);
            all.add(samples);
            counts.add((double) connections);
            millis.add(samples.micros(50) / 1e3);
            rows.add(List.of(
                    way.title,
                    String.valueOf(connections),
                    String.valueOf(samples.size()),
                    Numbers.text(samples.micros(10) / 1e3, "ms"),
                    Numbers.text(samples.micros(50) / 1e3, "ms"),
                    Numbers.text(samples.micros(90) / 1e3, "ms"),
                    Numbers.text(samples.variation())));
        }
        plot.line(way.title, counts, millis, way.ordinal());
        return all;
    }

    private Samples measure(long seed, Way way, int connections, int flows, double capacity) {
        SharedNic nic = new SharedNic(seed, way, connections + 1, capacity);
        SimRandom random = nic.world.simulation.newRandom();
        RequestLoop foreground =
                nic.start(nic.application("foreground"), () -> REQUEST, flows == 0 ? 1 : FLOW, 1, LOOK_NANOS);
        SharedNic.Application application = nic.application("background");
        List<RequestLoop> background = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            background.add(nic.start(
                    application,
                    () -> MIN_BACKGROUND + random.nextInt(MAX_BACKGROUND - MIN_BACKGROUND + 1),
                    1,
                    1,
                    LOOK_NANOS));
        }
        nic.world.simulation.runFor(WARM_UP_NANOS);
        foreground.record();
        background.forEach(RequestLoop::record);
        nic.world.simulation.runFor(flows * FLOW_NANOS);
        while (foreground.samples().size() < 2) {
            nic.world.simulation.runFor(REQUEST_NANOS); // RAW: the second one began after the warm-up
        }
        if (broken != Broken.BACKGROUND_MEASURED) {
            return foreground.samples();
        }
        Samples samples = new Samples();
        background.forEach(each -> samples.addAll(each.samples()));
        return samples;
    }

    private static void judge(FigureReport report, List<Samples> drum, List<Samples> raw) {
        double variation = Math.max(drum.get(0).variation(), drum.get(1).variation());
        double before = drum.get(0).micros(50);
        double shift = Math.abs(drum.get(1).micros(50) - before) / before;
        report.claim(Claim.judged(
                        "9.stable",
                        "DRUM: standard deviation of a flow's time by its mean, the greater one",
                        "",
                        variation,
                        variation <= STABLE,
                        "the background's part of the link is not the same all the time")
                .accepting("≤ " + Numbers.text(STABLE)));
        report.claim(Claim.atMost(
                "9.shift",
                "DRUM: by how much the median moves from 20 connections to 100",
                shift,
                STABLE,
                "the background has more than its part with more connections"));
        double moves = raw.get(1).micros(50) / raw.get(0).micros(50);
        report.claim(Claim.judged(
                "9.raw",
                "RAW: a request's time beside 100 connections, by that beside 20",
                "x",
                moves,
                moves > 1 + STABLE,
                "queue pairs are not what the card shares the link by"));
    }
}
