package io.verbena.papers.palos;

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
import java.util.stream.IntStream;

/** Figure 10: 32 flows in 16 groups, each with a level of its own (1); and what idle queue pairs do to it. */
final class Figure10 extends PaperFigure {
    private static final int GROUPS = 16;
    private static final int LIGHTEST = 10;
    private static final int[] WEIGHTS = {2, 3};
    private static final int SUM_OF_GROUPS = 280;
    private static final int SUM_OF_FLOWS = 5;
    private static final double EXACT = 0.01;
    private static final double LOOSELY = 0.02;
    private static final int QUANTA = Disciplines.ALL.indexOf(Discipline.DEFICIT_ROUND_ROBIN);

    /** Sizes of messages, each flow its own, none like that of the flow of the next group. */
    private static final int[] MIXED = {64, 1000, 256, 5000, 512, 1500, 2048};

    private enum Load {
        LARGE("2 MiB"),
        SMALL("64 B"),
        MIXED_SIZES("64 B to 5000 B, each flow its own");

        private final String title;

        Load(String title) {
            this.title = title;
        }

        int bytes(int flow) {
            return switch (this) {
                case LARGE -> PalosWorld.LARGE;
                case SMALL -> PalosWorld.SMALL;
                case MIXED_SIZES -> MIXED[flow % MIXED.length];
            };
        }
    }

    /** A discipline with its settings. */
    private record Variant(Discipline discipline, String title, ArbiterSettings settings) {
        /** Part of a claim's name. */
        String id() {
            String name = switch (discipline) {
                case PALOS_AS_PRINTED -> "printed";
                case PALOS_ON_WHOLE_PACKETS -> "whole";
                default -> "ours";
            };
            return "10." + name + '.';
        }

        /** As printed, payload is divided; else the link. */
        double[] rates(SharesRun.Outcome outcome) {
            double[] rates = new double[outcome.wire().length];
            for (int i = 0; i < rates.length; i++) {
                double share = discipline == Discipline.PALOS_AS_PRINTED ? outcome.ofPayload(i) : outcome.wire()[i];
                rates[i] = share * PalosWorld.LINE_GIGABITS;
            }
            return rates;
        }
    }

    private final Disciplines disciplines;

    Figure10() {
        this(Disciplines.AS_NAMED);
    }

    private Figure10(Disciplines disciplines) {
        super("10", "Figure 10: 32 flows in 16 groups, 32 levels");
        this.disciplines = disciplines;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                Disciplines.mutation(Figure10::new, Discipline.CHUNKS, Discipline.VIRTUAL_LANES),
                Disciplines.mutation(Figure10::new, Discipline.CHUNKS, Discipline.PALOS_ON_WHOLE_PACKETS),
                Disciplines.mutation(Figure10::new, Discipline.PALOS_AS_PRINTED, Discipline.DEFICIT_ROUND_ROBIN));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("groups", "16, weights 10 to 25")
                .setting("flows", "2 a group, weights 2 and 3")
                .setting("link", "100 Gb/s, PCIe 128 Gb/s, frames of 1500 B")
                .setting("seed", String.valueOf(seed));
        List<Variant> variants = variants();
        int loads = Load.values().length;
        List<SharesRun.Outcome> all = IntStream.range(0, variants.size() * loads)
                .parallel() // each is a world of its own
                .mapToObj(i -> outcome(seed, size, variants.get(i / loads).settings, Load.values()[i % loads]))
                .toList();
        List<List<String>> rows = new ArrayList<>();
        for (Variant variant : variants) {
            List<String> row = new ArrayList<>();
            row.add(variant.title);
            for (Load load : Load.values()) {
                SharesRun.Outcome outcome = all.get(rows.size() * loads + load.ordinal());
                double[] rates = variant.rates(outcome);
                row.add(Numbers.text(farthest(rates) * 100, "%"));
                row.add(Numbers.text(
                        outcome.packetsByPayload()
                                / all.get(QUANTA * loads + load.ordinal()).packetsByPayload(),
                        "x"));
                claim(report, variant, load, rates);
            }
            rows.add(row);
        }
        report.table(new DataTable(
                "Farthest that any of 32 flows is from (1), and packets for as much payload, by deficit round robin's;"
                        + " messages of",
                List.of(
                        "discipline",
                        Load.LARGE.title,
                        "packets",
                        Load.SMALL.title,
                        "packets",
                        Load.MIXED_SIZES.title,
                        "packets"),
                rows));
        idle(report, seed, size);
        report.note("Rates are of the wire, with headers and framing, which make 100 Gb/s together; those of Palos as"
                + " printed are of the payload, which is what it divides.");
        report.note("Chunks of the paper's N, 32 x 1500 B, are 686 to 2571 B. As printed, messages are cut to them,"
                + " which costs packets. Where packets cannot be cut, with packets of 1024 B, many chunks end in the"
                + " same number of them; N x 4 shows what is left without that.");
        return report;
    }

    private List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (Discipline discipline : Disciplines.ALL) {
            variants.add(new Variant(discipline, Disciplines.title(discipline), disciplines.settings(discipline)));
        }
        Discipline whole = Discipline.PALOS_ON_WHOLE_PACKETS;
        ArbiterSettings wide = disciplines.settings(whole).withChunkTotal(4 * GROUPS * WEIGHTS.length * 1500);
        variants.add(new Variant(whole, Disciplines.title(whole) + ", N x 4", wide));
        return variants;
    }

    private static void claim(FigureReport report, Variant variant, Load load, double[] rates) {
        String id = variant.id() + (load == Load.LARGE ? "large" : load == Load.SMALL ? "small" : "mixed");
        double farthest = farthest(rates);
        switch (variant.discipline) {
            case CHUNKS -> {
                report.claim(Claim.atMost(
                        id,
                        "all 32 flows have the rate of (1), messages of " + load.title + ": farthest of them",
                        farthest,
                        EXACT,
                        "not exact"));
                if (load == Load.LARGE) {
                    ours(report, rates);
                }
            }
            case PALOS_AS_PRINTED ->
                report.claim(Claim.atMost(
                        id,
                        variant.title + ": all have the part of the payload that (1) says, messages of " + load.title
                                + ": farthest",
                        farthest,
                        EXACT,
                        "slices are not of exactly the chunk"));
            case PALOS_ON_WHOLE_PACKETS -> {
                boolean printedTotal = variant.settings.chunkTotal() == 0;
                report.claim(Claim.atMost(
                        id + (printedTotal ? "" : ".wide"),
                        variant.title + ", messages of " + load.title + ": farthest from (1)",
                        farthest,
                        LOOSELY,
                        "what a visit sends beyond its chunk is not paid for"
                                + (printedTotal ? ", and a chunk is a packet or three" : "")));
            }
            default -> {} // for comparison, in the table
        }
    }

    private static void ours(FigureReport report, double[] rates) {
        report.claim(Claim.nearComputed(
                "10.least", "the lightest flow, 10/280 x 2/5", expected(0), "Gb/s", rates[0], EXACT, "not exact"));
        report.claim(Claim.nearComputed(
                "10.most",
                "the heaviest flow, 25/280 x 3/5",
                expected(rates.length - 1),
                "Gb/s",
                rates[rates.length - 1],
                EXACT,
                "not exact"));
        report.plot(plot(rates));
        report.table(levels(rates));
    }

    /** Rate of a flow by (1), in Gb/s. */
    private static double expected(int flow) {
        int group = LIGHTEST + flow / WEIGHTS.length;
        return PalosWorld.LINE_GIGABITS * group / SUM_OF_GROUPS * WEIGHTS[flow % WEIGHTS.length] / SUM_OF_FLOWS;
    }

    private static double farthest(double[] rates) {
        double farthest = 0;
        for (int i = 0; i < rates.length; i++) {
            farthest = Math.max(farthest, Math.abs(rates[i] / expected(i) - 1));
        }
        return farthest;
    }

    private static SharesRun.Outcome outcome(long seed, Size size, ArbiterSettings settings, Load load) {
        SharesRun run = new SharesRun(seed, size, settings, Frames.STANDARD);
        for (int i = 0; i < GROUPS; i++) {
            PalosWorld.Tenant tenant = run.tenant("group-" + i, LIGHTEST + i);
            for (int j = 0; j < WEIGHTS.length; j++) {
                run.flows(1, tenant, WEIGHTS[j], load.bytes(i * WEIGHTS.length + j));
            }
        }
        return run.run();
    }

    private static DataTable levels(double[] rates) {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < GROUPS; i++) {
            rows.add(List.of(
                    String.valueOf(LIGHTEST + i),
                    Numbers.text(expected(2 * i)),
                    Numbers.text(rates[2 * i]),
                    Numbers.text(expected(2 * i + 1)),
                    Numbers.text(rates[2 * i + 1])));
        }
        return new DataTable(
                "Gb/s with chunks, messages of 2 MiB",
                List.of("group's weight", "weight 2, (1)", "here", "weight 3, (1)", "here"),
                rows);
    }

    private static PaperPlot plot(double[] rates) {
        List<String> names = new ArrayList<>();
        List<Double> paper = new ArrayList<>();
        List<Double> ours = new ArrayList<>();
        for (int i = 0; i < rates.length; i++) {
            names.add(LIGHTEST + i / WEIGHTS.length + "/" + WEIGHTS[i % WEIGHTS.length]);
            paper.add(expected(i));
            ours.add(rates[i]);
        }
        return new PaperPlot("palos-figure-10", "32 flows in 16 groups", "weight of group / flow", "Gb/s")
                .categories(names)
                .bars("(1)", paper)
                .bars("here", ours);
    }

    /** Two groups of equal weight, of which one has a queue pair that sends nothing. */
    private void idle(FigureReport report, long seed, Size size) {
        double ours = shareBesideIdle(seed, size, Discipline.CHUNKS);
        double printed = shareBesideIdle(seed, size, Discipline.PALOS_AS_PRINTED);
        report.claim(Claim.nearComputed(
                "10.idle",
                "a group keeps its half while a queue pair of it, of 2 of its 5 of weight, is idle",
                50,
                "%",
                ours * 100,
                EXACT,
                "idle queue pairs take part"));
        report.claim(Claim.nearComputed(
                "10.idle.printed",
                "the same with Palos as printed",
                50,
                "%",
                printed * 100,
                LOOSELY,
                "the weights of idle queue pairs stay in the sum (2), so the group's "
                        + "active chunk is 3/5 of its due: 37.5 % to"
                        + " 62.5 %"));
    }

    private double shareBesideIdle(long seed, Size size, Discipline discipline) {
        // Chunks of many packets, so that the difference is that of sums of weights alone.
        ArbiterSettings settings = disciplines.settings(discipline).withChunkTotal(256 * 1024);
        SharesRun run = new SharesRun(seed, size, settings, Frames.STANDARD);
        PalosWorld.Tenant one = run.tenant("one", 1);
        PalosWorld.Tenant other = run.tenant("other", 1);
        double[] shares = run.idle(one, 2)
                .flows(1, one, 3, PalosWorld.LARGE)
                .flows(1, other, 2, PalosWorld.LARGE)
                .flows(1, other, 3, PalosWorld.LARGE)
                .shares();
        return shares[0] / SharesRun.sum(shares, 0, shares.length);
    }
}
