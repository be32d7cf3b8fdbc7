package io.verbena.papers.palos;

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

/** Figure 11: a flow's weight changes in group B, and group A feels nothing. */
final class Figure11 extends PaperFigure {
    private static final int MAX_WEIGHT = 6;
    private static final int FLOWS_OF_A = 3;
    private static final double HALF = PalosWorld.LINE_GIGABITS / 2;
    private static final int FIXED = 3 + 2; // QP 4 and QP 5
    private static final double EXACT = 0.01;

    private final Disciplines disciplines;

    Figure11() {
        this(Disciplines.AS_NAMED);
    }

    private Figure11(Disciplines disciplines) {
        super("11", "Figure 11: QP 6 of group B gets weights 1 to 6");
        this.disciplines = disciplines;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                Disciplines.mutation(Figure11::new, Discipline.CHUNKS, Discipline.PALOS_ON_WHOLE_PACKETS),
                Disciplines.mutation(Figure11::new, Discipline.CHUNKS, Discipline.PACKET_ROUND_ROBIN),
                Disciplines.mutation(Figure11::new, Discipline.PALOS_AS_PRINTED, Discipline.PALOS_ON_WHOLE_PACKETS));
    }

    /** Gb/s of QPs 1 to 6 at each weight, of the link; and, of as much in all, their parts of the payload. */
    private record Curve(List<double[]> rates, List<double[]> payload) {
        static Curve of(List<SharesRun.Outcome> outcomes) {
            List<double[]> rates = new ArrayList<>();
            List<double[]> payload = new ArrayList<>();
            for (SharesRun.Outcome outcome : outcomes) {
                double[] wire = outcome.wire();
                double[] parts = wire.clone();
                for (int i = 0; i < wire.length; i++) {
                    wire[i] *= PalosWorld.LINE_GIGABITS;
                    parts[i] = outcome.ofPayload(i) * PalosWorld.LINE_GIGABITS;
                }
                rates.add(wire);
                payload.add(parts);
            }
            return new Curve(rates, payload);
        }

        Curve inPayload() {
            return new Curve(payload, payload);
        }

        double groupA(int at) {
            return SharesRun.sum(rates.get(at), 0, FLOWS_OF_A);
        }

        /** Farthest that either group comes from half of the link. */
        double farthestGroup() {
            double farthest = 0;
            for (double[] each : rates) {
                farthest = Math.max(farthest, Math.abs(SharesRun.sum(each, 0, FLOWS_OF_A) / HALF - 1));
                farthest = Math.max(farthest, Math.abs(SharesRun.sum(each, FLOWS_OF_A, each.length) / HALF - 1));
            }
            return farthest;
        }

        /** Farthest that any flow comes from (1). */
        double farthestFlow() {
            double farthest = 0;
            for (int at = 0; at < rates.size(); at++) {
                for (int qp = 0; qp < rates.get(at).length; qp++) {
                    farthest = Math.max(farthest, Math.abs(rates.get(at)[qp] / expected(qp, at + 1) - 1));
                }
            }
            return farthest;
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("group A", "QPs 1 to 3, weights 2")
                .setting("group B", "QPs 4 to 6, weights 3, 2 and 1 to 6")
                .setting("messages", "2 MiB")
                .setting("link", "100 Gb/s, PCIe 128 Gb/s, frames of 1500 B")
                .setting("seed", String.valueOf(seed));
        List<List<String>> rows = new ArrayList<>();
        for (Discipline discipline : Disciplines.ALL) {
            Curve curve = curve(seed, size, discipline);
            rows.add(row(Disciplines.title(discipline), curve));
            if (discipline == Discipline.CHUNKS) {
                ours(report, curve);
                Curve midway = midway(seed, size);
                rows.add(row("chunks, changed in the middle", midway));
                isolated(
                        report, "11.midway", "weights change in the middle of traffic, counted from then on: ", midway);
            } else if (discipline == Discipline.PALOS_AS_PRINTED) {
                report.claim(Claim.atMost(
                        "11.printed",
                        "Palos as printed: both groups keep half of the payload whatever QP 6 weighs, farthest",
                        curve.inPayload().farthestGroup(),
                        EXACT,
                        "slices are not of exactly the chunk"));
            } else if (discipline == Discipline.PALOS_ON_WHOLE_PACKETS) {
                report.claim(Claim.atMost(
                        "11.whole",
                        "Palos on whole packets: both groups keep 50 Gb/s, farthest",
                        curve.farthestGroup(),
                        EXACT,
                        "chunks of N = 6 x 1500 B end with the packet that meets them"));
            }
        }
        report.table(new DataTable(
                "Gb/s of the link",
                List.of(
                        "discipline",
                        "A at 1",
                        "A at 6",
                        "QP 6 at 1",
                        "QP 6 at 6",
                        "group farthest from 50",
                        "flow farthest from (1)",
                        "of payload, group",
                        "of payload, flow"),
                rows));
        report.note("The paper's text says that QP 4 changes, its caption and its numbers say QP 6.");
        return report;
    }

    private static List<String> row(String title, Curve curve) {
        return List.of(
                title,
                Numbers.text(curve.groupA(0)),
                Numbers.text(curve.groupA(MAX_WEIGHT - 1)),
                Numbers.text(curve.rates.get(0)[5]),
                Numbers.text(curve.rates.get(MAX_WEIGHT - 1)[5]),
                Numbers.text(curve.farthestGroup() * 100, "%"),
                Numbers.text(curve.farthestFlow() * 100, "%"),
                Numbers.text(curve.inPayload().farthestGroup() * 100, "%"),
                Numbers.text(curve.inPayload().farthestFlow() * 100, "%"));
    }

    private static void isolated(FigureReport report, String id, String when, Curve curve) {
        report.claim(Claim.atMost(
                id + ".groups",
                when + "both groups keep 50 Gb/s whatever QP 6 weighs: farthest",
                curve.farthestGroup(),
                EXACT,
                "not isolated"));
        report.claim(Claim.atMost(
                id + ".flows",
                when + "each of the six flows has the rate of (1) at each weight: farthest",
                curve.farthestFlow(),
                EXACT,
                "not exact"));
    }

    private static void ours(FigureReport report, Curve curve) {
        isolated(report, "11", "", curve);
        for (int weight : new int[] {1, MAX_WEIGHT}) {
            report.claim(Claim.nearComputed(
                    "11.qp6." + weight,
                    "QP 6 with weight " + weight,
                    expected(5, weight),
                    "Gb/s",
                    curve.rates.get(weight - 1)[5],
                    EXACT,
                    "not exact"));
        }
        List<List<String>> rows = new ArrayList<>();
        PaperPlot plot =
                new PaperPlot("palos-figure-11", "QP 6 of group B changes its weight", "weight of QP 6", "Gb/s");
        List<Double> x = new ArrayList<>();
        List<Double> a = new ArrayList<>();
        for (int weight = 1; weight <= MAX_WEIGHT; weight++) {
            x.add((double) weight);
            a.add(curve.groupA(weight - 1));
            List<String> row = new ArrayList<>();
            row.add(String.valueOf(weight));
            for (double rate : curve.rates.get(weight - 1)) {
                row.add(Numbers.text(rate));
            }
            row.add(Numbers.text(expected(5, weight)));
            rows.add(row);
        }
        report.table(new DataTable(
                "Gb/s with chunks",
                List.of("weight", "QP 1", "QP 2", "QP 3", "QP 4", "QP 5", "QP 6", "QP 6, (1)"),
                rows));
        plot.line("group A", x, a, 0);
        for (int qp = FLOWS_OF_A; qp < 2 * FLOWS_OF_A; qp++) {
            List<Double> here = new ArrayList<>();
            List<Double> paper = new ArrayList<>();
            for (int weight = 1; weight <= MAX_WEIGHT; weight++) {
                here.add(curve.rates.get(weight - 1)[qp]);
                paper.add(expected(qp, weight));
            }
            plot.line("QP " + (qp + 1), x, here, qp - 2);
            plot.points("(1), QP " + (qp + 1), x, paper, qp - 2);
        }
        report.plot(plot);
    }

    /** Rate of a flow by (1), in Gb/s. */
    private static double expected(int qp, int weightOfSix) {
        if (qp < FLOWS_OF_A) {
            return HALF / FLOWS_OF_A;
        }
        int weight = qp == 3 ? 3 : qp == 4 ? 2 : weightOfSix;
        return HALF * weight / (FIXED + weightOfSix);
    }

    private Curve curve(long seed, Size size, Discipline discipline) {
        List<SharesRun.Outcome> outcomes = new ArrayList<>();
        for (int weight = 1; weight <= MAX_WEIGHT; weight++) {
            outcomes.add(flows(seed, size, discipline, weight).run());
        }
        return Curve.of(outcomes);
    }

    /** One run in which QP 6 gets weights 1 to 6 one after the other while all send. */
    private Curve midway(long seed, Size size) {
        List<SharesRun.Outcome> outcomes = new ArrayList<>();
        SharesRun run = flows(seed, size, Discipline.CHUNKS, 1);
        outcomes.add(run.run());
        for (int weight = 2; weight <= MAX_WEIGHT; weight++) {
            outcomes.add(run.reweigh(2 * FLOWS_OF_A - 1, weight));
        }
        return Curve.of(outcomes);
    }

    private SharesRun flows(long seed, Size size, Discipline discipline, int weight) {
        SharesRun run = new SharesRun(seed, size, disciplines.settings(discipline), Frames.STANDARD);
        PalosWorld.Tenant a = run.tenant("A", 1);
        PalosWorld.Tenant b = run.tenant("B", 1);
        return run.flows(FLOWS_OF_A, a, 2, PalosWorld.LARGE)
                .flows(1, b, 3, PalosWorld.LARGE)
                .flows(1, b, 2, PalosWorld.LARGE)
                .flows(1, b, weight, PalosWorld.LARGE);
    }
}
