package io.verbena.papers.rdmabox;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Figure 10: a store of records whose memory is paged to a peer, with a half and a quarter of it resident. The paper's
 * databases are not here: threads that use the page of a record, drawn by Zipf's law, stand for them.
 */
final class Figure10 extends PaperFigure {
    private static final List<Library> LIBRARIES = List.of(Library.RDMABOX, Library.ACCELIO, Library.VERBS);
    private static final double[] RESIDENT = {0.5, 0.25};
    private static final long COMPUTE_NANOS = 2_000;
    private static final double FASTER = 1.05;
    private static final double GROWS = 1.02;
    private static final double PAPER_ACCELIO = 4.01; // the most of its databases
    private static final double PAPER_VERBS = 7.52;

    private enum Load {
        ETC(0.05),
        SYS(0.25);

        final double writes;

        Load(double writes) {
            this.writes = writes;
        }
    }

    private final Library box; // what is taken for RDMAbox
    private final boolean isResident; // all of it

    Figure10() {
        this(Library.RDMABOX, false);
    }

    private Figure10(Library box, boolean isResident) {
        super("10", "Figure 10: a store that pages to a peer");
        this.box = box;
        this.isResident = isResident;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("RDMAbox is as Accelio", new Figure10(Library.ACCELIO, false)),
                new Mutation("RDMAbox is as verbs", new Figure10(Library.VERBS, false)),
                new Mutation("all pages are resident", new Figure10(Library.RDMABOX, true)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = Figure11.settings(new FigureReport(id(), title()), seed)
                .setting("load", "ETC: 5 % of the uses write; SYS: 25 %; 2 us each");
        PageChoice choice = new PageChoice(PagedRun.PAGES, seed);
        List<List<String>> rows = new ArrayList<>();
        for (Load load : Load.values()) {
            List<Double> millis = millis(load, choice, seed, size);
            for (int i = 0; i < RESIDENT.length; i++) {
                List<String> row = new ArrayList<>(List.of(load.name(), Numbers.text(100 * RESIDENT[i], "%")));
                millis.subList(i * LIBRARIES.size(), (i + 1) * LIBRARIES.size())
                        .forEach(each -> row.add(Numbers.text(each, "ms")));
                rows.add(row);
            }
            for (int i = 1; i < LIBRARIES.size(); i++) {
                claims(
                        report,
                        load,
                        LIBRARIES.get(i),
                        millis.get(i) / millis.get(0),
                        millis.get(LIBRARIES.size() + i) / millis.get(LIBRARIES.size()));
            }
        }
        return report.table(new DataTable(
                "Time of the same operations", List.of("load", "resident", "RDMAbox", "as Accelio", "as verbs"), rows));
    }

    private static void claims(FigureReport report, Load load, Library other, double half, double quarter) {
        String id = "10." + load.name().toLowerCase(Locale.ROOT) + '.' + other.id();
        report.claim(Claim.judged(
                                id,
                                load + ", a quarter resident: RDMAbox's rate by that " + other.title,
                                other == Library.ACCELIO ? PAPER_ACCELIO : PAPER_VERBS,
                                "x",
                                quarter,
                                quarter >= FASTER,
                                "pages are drawn, so that nothing merges, and what is left is who is woken")
                        .accepting("≥ " + Numbers.text(FASTER, "x")))
                .claim(Claim.judged(
                                id + ".grows",
                                load + ": the same with a quarter resident by that with a half",
                                "x",
                                quarter / half,
                                quarter >= GROWS * half,
                                "a fault takes as long, however many there are: neither link nor card is short")
                        .accepting("≥ " + Numbers.text(GROWS, "x")));
    }

    private List<Double> millis(Load load, PageChoice choice, long seed, Size size) {
        return IntStream.range(0, RESIDENT.length * LIBRARIES.size()) // each a world of its own
                .parallel()
                .mapToObj(i -> {
                    Library library = LIBRARIES.get(i % LIBRARIES.size());
                    return PagedRun.millis(
                            library == Library.RDMABOX ? box : library,
                            thread -> PageTrace.records(
                                    choice, load.writes, COMPUTE_NANOS, seed * PagedRun.THREADS + thread),
                            isResident ? 1 : RESIDENT[i / LIBRARIES.size()],
                            seed,
                            size);
                })
                .toList();
    }
}
