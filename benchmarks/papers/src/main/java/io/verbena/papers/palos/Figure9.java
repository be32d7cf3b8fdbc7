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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Figure 9: sixteen small flows in a group, and more and more large ones in another. */
final class Figure9 extends PaperFigure {
    private static final int[] LARGE_FLOWS = {1, 2, 4, 6, 8};
    private static final int SMALL_FLOWS = 16;
    private static final double FLAT = 0.01;
    private static final double LOOSELY = 0.03;

    private final Disciplines disciplines;

    Figure9() {
        this(Disciplines.AS_NAMED);
    }

    private Figure9(Disciplines disciplines) {
        super("9", "Figure 9: 16 small flows in group A, 1 to 8 large ones in group B");
        this.disciplines = disciplines;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                Disciplines.mutation(Figure9::new, Discipline.CHUNKS, Discipline.PACKET_ROUND_ROBIN),
                Disciplines.mutation(Figure9::new, Discipline.PACKET_ROUND_ROBIN, Discipline.DEFICIT_ROUND_ROBIN),
                Disciplines.mutation(Figure9::new, Discipline.PALOS_AS_PRINTED, Discipline.PACKET_ROUND_ROBIN),
                Disciplines.mutation(Figure9::new, Discipline.VIRTUAL_LANES, Discipline.DEFICIT_ROUND_ROBIN));
    }

    /**
     * What groups get.
     *
     * @param small share of the link of group A, by what it is beside one large flow
     * @param large likewise of group B
     * @param smallAtOne share of the link of group A beside one large flow
     * @param farthestPayload most that the payload of either group differs from what it is beside one large flow
     * @param partOfPayload group A's part of all payload, where that is farthest from a half
     */
    private record Curve(
            List<Double> small, List<Double> large, double smallAtOne, double farthestPayload, double partOfPayload) {
        double lastSmall() {
            return small.get(small.size() - 1);
        }

        double lastLarge() {
            return large.get(large.size() - 1);
        }

        /** Farthest that either group comes from what it got beside one large flow. */
        double farthest() {
            return Math.max(change(small), change(large));
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("small messages", "64 B")
                .setting("large messages", "2 MiB")
                .setting("groups", "equal weights")
                .setting("link", "100 Gb/s, PCIe 128 Gb/s, packets of 4 KiB")
                .setting("seed", String.valueOf(seed));
        Map<Discipline, Curve> curves = new EnumMap<>(Discipline.class);
        for (Discipline discipline : Disciplines.ALL) {
            curves.put(discipline, curve(seed, size, discipline));
        }
        claims(report, curves);
        List<List<String>> rows = new ArrayList<>();
        List<Double> x = new ArrayList<>();
        for (int flows : LARGE_FLOWS) {
            x.add((double) flows);
        }
        PaperPlot small = plot("palos-figure-9-a", "Message rate of 16 small flows in group A");
        PaperPlot large = plot("palos-figure-9-b", "Bandwidth of large flows in group B");
        curves.forEach((discipline, curve) -> {
            rows.add(row(discipline, "A", curve.small, curve));
            rows.add(row(discipline, "B", curve.large, curve));
            small.line(Disciplines.title(discipline), x, curve.small, discipline.ordinal());
            large.line(Disciplines.title(discipline), x, curve.large, discipline.ordinal());
        });
        report.table(new DataTable(
                "Relative to one large flow",
                List.of("discipline", "group", "1", "2", "4", "6", "8", "share of A at 1"),
                rows));
        report.plot(small.points("paper, no QoS", List.of(8.0), List.of(0.1), 4));
        report.plot(large.points("paper, no QoS", List.of(8.0), List.of(1.55), 4));
        report.note(
                "Virtual lanes have 255 units of 64 B each; a table of fewer units lets large packets overshoot more.");
        return report;
    }

    private static void claims(FigureReport report, Map<Discipline, Curve> curves) {
        Curve ours = Disciplines.of(curves, Discipline.CHUNKS);
        report.claim(Claim.atMost(
                "9.ours",
                "neither group feels how many large flows there are: largest change",
                ours.farthest(),
                FLAT,
                "not isolated"));
        report.claim(Claim.nearComputed(
                "9.ours.half",
                "and each has half of the link: share of group A",
                50,
                "%",
                ours.smallAtOne * 100,
                FLAT,
                "groups of equal weight do not share equally"));
        Curve printed = Disciplines.of(curves, Discipline.PALOS_AS_PRINTED);
        report.claim(Claim.atMost(
                "9.printed",
                "Palos as printed: the same, largest change of A's message rate and of B's bandwidth",
                printed.farthestPayload(),
                LOOSELY,
                "chunks shrink with the number of queue pairs in a group, and so does what is cut for them"));
        report.claim(Claim.nearComputed(
                "9.printed.half",
                "and each sends half of the payload: group A beside any number of large flows, farthest",
                50,
                "%",
                printed.partOfPayload * 100,
                FLAT,
                "slices are not of exactly the chunk"));
        report.claim(Claim.atMost(
                "9.whole",
                "Palos on whole packets: the same of the link, largest change",
                Disciplines.of(curves, Discipline.PALOS_ON_WHOLE_PACKETS).farthest(),
                LOOSELY,
                "chunks shrink with the number of queue pairs in a group, and what "
                        + "a packet overshoots is not paid for"));
        baselines(report, curves, ours);
    }

    private static void baselines(FigureReport report, Map<Discipline, Curve> curves, Curve ours) {
        Curve none = Disciplines.of(curves, Discipline.PACKET_ROUND_ROBIN);
        report.claim(Claim.near(
                "9.rr.small",
                "packet round robin: what is left of group A's message rate beside 8 large flows",
                0.1,
                "",
                none.lastSmall(),
                0.25,
                "packets in turn leave 16 x 154 B of 16 x 154 + 8 x 4170 B: 6.9 % of the "
                        + "link, beside one large flow it is 37 %;"
                        + " a ConnectX-5 gives large flows yet more"));
        report.claim(Claim.near(
                "9.rr.large",
                "packet round robin: group B's bandwidth at 8 large flows",
                1.55,
                "x",
                none.lastLarge(),
                0.1,
                "other packets"));
        Curve lanes = Disciplines.of(curves, Discipline.VIRTUAL_LANES);
        report.claim(Claim.judged(
                "9.lanes",
                "virtual lanes protect the small flows: their message rate falls by less than 1 % as large flows come, "
                        + "and by more with packets in turn",
                "%",
                (1 - lanes.lastSmall()) * 100,
                1 - lanes.lastSmall() < FLAT && 1 - none.lastSmall() > FLAT,
                "they lose as without lanes"));
        report.claim(Claim.judged(
                "9.lanes.half",
                "but not optimally: A's share of the link is off its half by more than 1 %",
                "%",
                lanes.smallAtOne * 100,
                Math.abs(lanes.smallAtOne / 0.5 - 1) > FLAT,
                "two groups that have a lane each are as isolated by lanes as by chunks: what lanes lack is more than"
                        + " eight levels, and shares within a lane"));
        double software = Disciplines.of(curves, Discipline.SOFTWARE_CHUNKING).farthest();
        report.claim(Claim.judged(
                "9.software",
                "software chunking protects the small flows, but not optimally: largest change, more than 1 % and less"
                        + " than with packets in turn",
                "%",
                software * 100,
                software > ours.farthest() + FLAT && software < none.farthest(),
                "one large flow waits for each of its chunks and gets little; eight "
                        + "get what packets in turn give them"));
    }

    private Curve curve(long seed, Size size, Discipline discipline) {
        List<Double> small = new ArrayList<>();
        List<Double> large = new ArrayList<>();
        List<Double> smallPayload = new ArrayList<>();
        List<Double> largePayload = new ArrayList<>();
        for (int flows : LARGE_FLOWS) {
            SharesRun run = new SharesRun(
                    seed, size, disciplines.settings(discipline, Frames.JUMBO, SMALL_FLOWS + flows), Frames.JUMBO);
            SharesRun.Outcome outcome = run.flows(SMALL_FLOWS, run.tenant("A", 1), 1, PalosWorld.SMALL)
                    .flows(flows, run.tenant("B", 1), 1, PalosWorld.LARGE)
                    .run();
            int all = SMALL_FLOWS + flows;
            small.add(SharesRun.sum(outcome.wire(), 0, SMALL_FLOWS));
            large.add(SharesRun.sum(outcome.wire(), SMALL_FLOWS, all));
            smallPayload.add(SharesRun.sum(outcome.payload(), 0, SMALL_FLOWS));
            largePayload.add(SharesRun.sum(outcome.payload(), SMALL_FLOWS, all));
        }
        double part = 0.5;
        for (int i = 0; i < small.size(); i++) {
            double here = smallPayload.get(i) / (smallPayload.get(i) + largePayload.get(i));
            part = Math.abs(here - 0.5) > Math.abs(part - 0.5) ? here : part;
        }
        double changed = Math.max(change(byFirst(smallPayload)), change(byFirst(largePayload)));
        return new Curve(byFirst(small), byFirst(large), small.get(0), changed, part);
    }

    private static List<Double> byFirst(List<Double> values) {
        return values.stream().map(each -> each / values.get(0)).toList();
    }

    private static double change(List<Double> relative) {
        return relative.stream().mapToDouble(each -> Math.abs(each - 1)).max().orElse(0);
    }

    private static List<String> row(Discipline discipline, String group, List<Double> values, Curve curve) {
        List<String> row = new ArrayList<>();
        row.add(Disciplines.title(discipline));
        row.add(group);
        values.forEach(value -> row.add(Numbers.text(value)));
        row.add(Numbers.text(curve.smallAtOne * 100, "%"));
        return row;
    }

    private static PaperPlot plot(String name, String title) {
        return new PaperPlot(name, title, "large flows in group B", "relative to one large flow");
    }
}
