package io.verbena.papers.drum;

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

/** Figure 8: 32 B requests one after the other beside an application that posts batches of 20 to 100. */
final class Figure8 extends PaperFigure {
    private static final int[] BATCHES = {20, 60, 100};
    private static final int[] ENDS = {20, 100};
    private static final Way[] JUDGED = {Way.DRUM};
    private static final int FOREGROUND = 32;
    private static final int BACKGROUND = 4096;
    private static final long WARM_UP_NANOS = 250_000;
    private static final long FULL_NANOS = 600_000;
    private static final long QUICK_NANOS = 210_000;
    private static final long LOOK_NANOS = 200; // of the background at its completions
    private static final double PAPER_MICROS = 20;
    private static final double FLAT = 1.3;

    private final boolean isPaced;
    private final boolean isBackground; // measured instead

    Figure8() {
        this(true, false);
    }

    private Figure8(boolean isPaced, boolean isBackground) {
        super("8", "Figure 8: 32 B requests beside batches of 20 to 100 requests");
        this.isPaced = isPaced;
        this.isBackground = isBackground;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("DRUM without rates", new Figure8(false, false)),
                new Mutation("the application that posts batches is measured", new Figure8(true, true)));
    }

    /** What came of one run. */
    private record Run(Samples foreground, double backgroundMops) {}

    @Override
    public FigureReport run(long seed, Size size) {
        double capacity = SharedNic.capacity(seed, BACKGROUND);
        FigureReport report = new FigureReport(id(), title())
                .setting("foreground", "WRITEs of " + FOREGROUND + " B, one under way")
                .setting("background", "WRITEs of " + BACKGROUND + " B, two batches under way; the paper does not say")
                .setting("requests that the NIC takes", Numbers.text(capacity / 1e6, "Mops") + ", measured")
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot("drum-figure-8", "32 B beside batches", "requests of a batch", "us, 80 %");
        List<List<String>> rows = new ArrayList<>();
        for (boolean spread : new boolean[] {false, true}) {
            String where = spread ? "a connection a request" : "one connection";
            for (Way way : size == Size.FULL ? Way.values() : JUDGED) {
                List<Double> micros = new ArrayList<>();
                List<Double> batches = new ArrayList<>();
                for (int batch : size == Size.FULL ? BATCHES : ENDS) {
                    Run run = measure(seed, way, spread, batch, capacity, size);
                    micros.add(run.foreground.micros(80));
                    batches.add((double) batch);
                    rows.add(List.of(
                            where,
                            way.title,
                            String.valueOf(batch),
                            Numbers.text(run.foreground.micros(50), "us"),
                            Numbers.text(run.foreground.micros(80), "us"),
                            Numbers.text(run.foreground.micros(99), "us"),
                            Numbers.text(run.backgroundMops, "Mops")));
                }
                String label = way.title + ", " + where;
                if (spread) {
                    plot.line(label, batches, micros, way.ordinal());
                } else {
                    plot.dashes(label, batches, micros, way.ordinal());
                }
                if (way == Way.DRUM) {
                    claim(report, spread, where, micros);
                }
            }
        }
        return report.table(new DataTable(
                        "Time from the post to the completion, of the foreground",
                        List.of("background", "way", "batch", "50 %", "80 %", "99 %", "background's requests"),
                        rows))
                .plot(plot)
                .note("Chunks without rates leave the foreground behind the 64 KiB that are in the NIC's pipeline"
                        + " already. Rates keep that empty: the host's threads post no more than the NIC takes.")
                .note("Rates count operations: one of the foreground's 32 B takes as much of the capacity as one of"
                        + " 4 KiB. What the background loses to that and to the margin of 5 % is in the last column.");
    }

    private static void claim(FigureReport report, boolean spread, String where, List<Double> micros) {
        String id = spread ? "8.spread" : "8.one";
        double most = micros.stream().mapToDouble(each -> each).max().orElseThrow();
        double ratio = micros.get(micros.size() - 1) / micros.get(0);
        report.claim(Claim.judged(
                        id + ".most",
                        "DRUM, " + where + ": the longest 80 % time",
                        PAPER_MICROS,
                        "us",
                        most,
                        most < PAPER_MICROS,
                        "the foreground waits behind what the background has in the NIC")
                .accepting("< " + Numbers.text(PAPER_MICROS, "us")));
        report.claim(Claim.judged(
                        id + ".flat",
                        "DRUM, " + where + ": the 80 % time beside batches of 100, by that beside batches of 20",
                        "x",
                        ratio,
                        ratio <= FLAT,
                        "the scheduler, one thread, takes requests of all connections in turn")
                .accepting("≤ " + Numbers.text(FLAT, "x")));
    }

    private Run measure(long seed, Way way, boolean spread, int batch, double capacity, Size size) {
        int connections = spread ? batch : 1;
        SharedNic nic = new SharedNic(seed, way, connections + 1, isPaced ? capacity : 0);
        RequestLoop foreground = nic.start(nic.application("foreground"), () -> FOREGROUND, 1, 1, 0);
        SharedNic.Application background = nic.application("background");
        List<RequestLoop> loops = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            loops.add(nic.start(background, () -> BACKGROUND, batch / connections, 2, LOOK_NANOS));
        }
        nic.world.simulation.runFor(WARM_UP_NANOS);
        foreground.record();
        loops.forEach(RequestLoop::record);
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        nic.world.simulation.runFor(nanos);
        long done = loops.stream().mapToLong(RequestLoop::requests).sum();
        return new Run(isBackground ? loops.get(0).samples() : foreground.samples(), done * 1e3 / nanos);
    }
}
