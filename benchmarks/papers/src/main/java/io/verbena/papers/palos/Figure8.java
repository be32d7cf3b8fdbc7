package io.verbena.papers.palos;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figure 8: a latency-sensitive flow beside large flows of its group. */
final class Figure8 extends PaperFigure {
    private static final int[] FLOWS = {0, 1, 2, 4, 8, 16, 24};
    private static final int AT_ONE = 1;
    private static final int AT_SIXTEEN = 5;
    private static final double PAPER_PALOS = 1.79;
    private static final double PAPER_PACKETS = 5;
    private static final double FLAT = 0.05;
    private static final double TWO_CHUNKS_NANOS = 2 * 16 * 1024 * 8 / PalosWorld.LINE_GIGABITS;

    /** A NIC that takes 64 KiB at once, as the simulated fabric does by itself. */
    private static final Frames DEEP = new Frames("frames of 1500 B, a window of 64 KiB", 1024, 1500, 64 * 1024);

    private final Disciplines disciplines;

    Figure8() {
        this(Disciplines.AS_NAMED);
    }

    private Figure8(Disciplines disciplines) {
        super("8", "Figure 8: a latency-sensitive flow beside large flows of its group");
        this.disciplines = disciplines;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                Disciplines.mutation(Figure8::new, Discipline.CHUNKS, Discipline.DEFICIT_ROUND_ROBIN),
                Disciplines.mutation(Figure8::new, Discipline.PACKET_ROUND_ROBIN, Discipline.CHUNKS),
                Disciplines.mutation(Figure8::new, Discipline.PALOS_AS_PRINTED, Discipline.PACKET_ROUND_ROBIN));
    }

    private record Variant(Discipline discipline, TrafficClass trafficClass) {
        String title() {
            String words = trafficClass == TrafficClass.URGENT ? ", urgent" : ", not urgent";
            return Disciplines.title(discipline) + (Disciplines.knowsClasses(discipline) ? words : "");
        }
    }

    private static final Variant OURS = new Variant(Discipline.CHUNKS, TrafficClass.URGENT);
    private static final Variant PRINTED = new Variant(Discipline.PALOS_AS_PRINTED, TrafficClass.URGENT);
    private static final Variant PACKETS = new Variant(Discipline.PACKET_ROUND_ROBIN, TrafficClass.BULK);

    private static Curve of(Map<Variant, Curve> curves, Variant variant) {
        Curve curve = curves.get(variant);
        if (curve == null) {
            throw new IllegalArgumentException("nothing of " + variant.title());
        }
        return curve;
    }

    private static List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        variants.add(OURS);
        variants.add(new Variant(Discipline.CHUNKS, TrafficClass.BULK));
        variants.add(PRINTED);
        variants.add(new Variant(Discipline.PALOS_AS_PRINTED, TrafficClass.BULK));
        variants.add(new Variant(Discipline.DEFICIT_ROUND_ROBIN, TrafficClass.BULK));
        variants.add(PACKETS);
        variants.add(new Variant(Discipline.SOFTWARE_CHUNKING, TrafficClass.BULK));
        variants.add(new Variant(Discipline.VIRTUAL_LANES, TrafficClass.BULK));
        return variants;
    }

    /** Latencies at each number of flows. */
    private record Curve(List<LatencyProbe.Latency> latencies) {
        double alone() {
            return latencies.get(0).mean();
        }

        double growth(int at) {
            return latencies.get(at).mean() / alone();
        }

        /** What a flow more adds, of the latency alone. */
        double slope() {
            int last = FLOWS.length - 1;
            return (growth(last) - growth(AT_ONE)) / (FLOWS[last] - FLOWS[AT_ONE]);
        }

        /** Longest that any message took longer than the longest alone. */
        double added() {
            long most = 0;
            for (LatencyProbe.Latency latency : latencies) {
                most = Math.max(most, latency.most());
            }
            return most - (double) latencies.get(0).most();
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("small messages", "64 B, one after the other")
                .setting("large messages", "2 MiB")
                .setting("link", "100 Gb/s, 750 ns, PCIe 128 Gb/s")
                .setting("seed", String.valueOf(seed));
        Map<Variant, Curve> standard = curves(report, seed, size, Frames.STANDARD, "palos-figure-8");
        Map<Variant, Curve> jumbo = curves(report, seed, size, Frames.JUMBO, "palos-figure-8-jumbo");
        Map<Variant, Curve> deep = curves(report, seed, size, DEEP, "palos-figure-8-deep");
        ours(report, "8.ours", Frames.STANDARD, standard);
        ours(report, "8.jumbo", Frames.JUMBO, jumbo);
        ours(report, "8.deep", DEEP, deep);
        bound(report, "8.bound", Frames.STANDARD, standard);
        bound(report, "8.bound.deep", DEEP, deep);
        others(report, standard, jumbo);
        report.note("Between scheduler and wire lies what keeps the wire busy: 8 KiB with "
                + "frames of 1500 B, 16 KiB with packets of"
                + " 4 KiB. Whoever is served next waits for that, whatever the discipline. "
                + "The third table is of a NIC that takes"
                + " 64 KiB at once: chunks keep bulk from filling it while the link has an urgent flow.");
        report.note("The paper says 16 B in the text and 64 B in the caption.");
        return report;
    }

    private static void others(FigureReport report, Map<Variant, Curve> standard, Map<Variant, Curve> jumbo) {
        Curve packets = of(jumbo, PACKETS);
        report.claim(Claim.near(
                        "8.rr",
                        "packet round robin: growth beside 16 large flows",
                        PAPER_PACKETS,
                        "x",
                        packets.growth(AT_SIXTEEN),
                        0.2,
                        "other packets, or another latency alone")
                .but("with packets of 4 KiB; with frames of 1500 B it is "
                        + Numbers.text(of(standard, PACKETS).growth(AT_SIXTEEN), "x")));
        Curve printed = of(standard, PRINTED);
        report.claim(Claim.judged(
                "8.printed",
                "Palos as printed, with its strict priority: growth beside 16 large flows, at most",
                PAPER_PALOS,
                "x",
                printed.growth(AT_SIXTEEN),
                printed.growth(AT_SIXTEEN) <= PAPER_PALOS,
                "a longer way before the wire"));
    }

    private static void ours(FigureReport report, String id, Frames frames, Map<Variant, Curve> curves) {
        Curve urgent = of(curves, OURS);
        report.claim(Claim.judged(
                id + ".16",
                "growth beside 16 large flows, at most the paper's, " + frames.title(),
                PAPER_PALOS,
                "x",
                urgent.growth(AT_SIXTEEN),
                urgent.growth(AT_SIXTEEN) <= PAPER_PALOS,
                "a message waits for what is before it on the way to the wire, up to 16 KiB of bulk"));
        report.claim(Claim.judged(
                id + ".slope",
                "each large flow more adds at most 0.05 of the latency alone, " + frames.title(),
                "",
                urgent.slope(),
                urgent.slope() <= FLAT,
                "not flat"));
    }

    private static void bound(FigureReport report, String id, Frames frames, Map<Variant, Curve> curves) {
        Curve urgent = of(curves, OURS);
        report.claim(Claim.judged(
                id,
                "no message takes longer than alone by more than two chunks of 16 KiB, "
                        + "2.62 us: longest beside any number of"
                        + " flows, " + frames.title(),
                "us",
                urgent.added() / 1e3,
                urgent.added() <= TWO_CHUNKS_NANOS,
                "more is before it"));
    }

    private Map<Variant, Curve> curves(FigureReport report, long seed, Size size, Frames frames, String plotName) {
        LatencyRun run = new LatencyRun(seed, size, frames, disciplines);
        Map<Variant, Curve> curves = new LinkedHashMap<>();
        List<List<String>> rows = new ArrayList<>();
        List<Double> x = new ArrayList<>();
        for (int flows : FLOWS) {
            x.add((double) flows);
        }
        PaperPlot plot =
                new PaperPlot(plotName, "A small flow beside large ones, " + frames.title(), "large flows", "x alone");
        for (Variant variant : variants()) {
            Curve curve = curve(run, variant);
            curves.put(variant, curve);
            List<String> row = new ArrayList<>();
            row.add(variant.title());
            row.add(Numbers.text(curve.alone() / 1e3, "us"));
            List<Double> y = new ArrayList<>();
            for (int at = 0; at < FLOWS.length; at++) {
                y.add(curve.growth(at));
                if (at >= AT_ONE) {
                    row.add(Numbers.text(curve.growth(at)));
                }
            }
            row.add(Numbers.text(curve.latencies.get(FLOWS.length - 1).p99() / 1e3, "us"));
            rows.add(row);
            plot.line(variant.title(), x, y, curves.size() - 1);
        }
        report.table(new DataTable(
                "Times the latency alone, " + frames.title(),
                List.of("discipline", "alone", "1", "2", "4", "8", "16", "24", "p99 at 24"),
                rows));
        report.plot(plot);
        return curves;
    }

    private static Curve curve(LatencyRun run, Variant variant) {
        List<LatencyProbe.Latency> latencies = new ArrayList<>();
        for (int flows : FLOWS) {
            latencies.add(run.run(variant.discipline, variant.trafficClass, flows));
        }
        return new Curve(latencies);
    }
}
