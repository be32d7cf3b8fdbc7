package io.verbena.papers.rdmabox;

import io.verbena.bench.report.Machine;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Figure 5: copying to registered memory against registering the caller's buffer, by length. In the paper registration
 * is cheaper from 928 KB on in user space, where it pins pages and fills the card's table; here it is an entry in a
 * table and a look that nobody uses it any more, and does not depend on the length.
 */
final class Figure5 extends PaperFigure {
    private static final double PAPER_CROSSOVER = 928e3;
    private static final double FREY_CROSSOVER = 256e3; // Frey and Alonso, Minimizing the hidden cost of RDMA, 2009
    private static final int MIN_BYTES = 1 << 10;
    private static final int LARGE = 1 << 20;
    private static final double NO_SLOWER = 0.97;

    Figure5() {
        super("5", "Figure 5: copying against registering, by length");
    }

    /** Times are of this machine. */
    @Override
    public boolean isRepeatable() {
        return false;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        boolean full = size == Size.FULL;
        FigureReport report = new FigureReport(id(), title())
                .setting("machine", Machine.here().text())
                .setting("writes", "over Unix-domain sockets, 4 under way, from buffers that come again");
        costs(report, full ? 1000 : 50);
        rates(report, full ? 7 : 1, TimeUnit.MILLISECONDS.toNanos(full ? 100 : 10));
        return report.note(
                "A registration here is for one operation: a remote region keeps the last 16 buffers registered,"
                        + " so that one which comes again costs no registration.");
    }

    private static void costs(FigureReport report, int rounds) {
        List<Double> lengths = new ArrayList<>();
        List<Double> copies = new ArrayList<>();
        List<Double> registrations = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        try (BufferCosts costs = new BufferCosts(rounds)) {
            for (int bytes = MIN_BYTES; bytes <= RegionRates.MAX_BYTES; bytes *= 2) {
                lengths.add((double) bytes);
                copies.add(costs.copying(bytes));
                registrations.add(costs.registering(bytes));
                int last = lengths.size() - 1;
                rows.add(List.of(
                        Numbers.bytes(bytes),
                        Numbers.micros(copies.get(last)),
                        Numbers.micros(registrations.get(last)),
                        Numbers.text(copies.get(last) / registrations.get(last))));
            }
        }
        double crossover = crossover(lengths, copies, registrations);
        report.claim(Claim.judged(
                                "5.crossover",
                                "a length from which registering is cheaper than copying, and below which it is not",
                                PAPER_CROSSOVER,
                                "B",
                                crossover,
                                crossover > MIN_BYTES && crossover < RegionRates.MAX_BYTES,
                                "one of both is always cheaper")
                        .accepting(Numbers.bytes(MIN_BYTES) + " to " + Numbers.bytes(RegionRates.MAX_BYTES)))
                .claim(Claim.judged(
                                "5.crossover.paper",
                                "the length is that of a card with pages to pin: between Frey's and RDMAbox'",
                                PAPER_CROSSOVER,
                                "B",
                                crossover,
                                crossover >= FREY_CROSSOVER && crossover <= PAPER_CROSSOVER,
                                "a registration here pins no page and fills no table of a card, so that it is cheaper"
                                        + " from a shorter length on")
                        .accepting(Numbers.bytes(FREY_CROSSOVER) + " to " + Numbers.bytes(PAPER_CROSSOVER)));
        report.table(new DataTable(
                "What it takes a thread",
                List.of("length", "copy, us", "register and deregister, us", "copy by registration"),
                rows));
        report.plot(new PaperPlot("rdmabox-figure-5", "Copying and registering", "bytes", "us")
                .logarithmicX()
                .logarithmicY()
                .line("copy", lengths, micros(copies), 0)
                .line("register and deregister", lengths, micros(registrations), 1));
    }

    /** The first length from which on a copy takes longer; infinite if there is none. */
    static double crossover(List<Double> lengths, List<Double> copies, List<Double> registrations) {
        double found = Double.POSITIVE_INFINITY;
        for (int i = lengths.size() - 1; i >= 0 && copies.get(i) > registrations.get(i); i--) {
            found = lengths.get(i);
        }
        return found;
    }

    private static List<Double> micros(List<Double> nanos) {
        return nanos.stream().map(each -> each / 1e3).toList();
    }

    private static void rates(FigureReport report, int rounds, long nanos) {
        List<List<String>> rows = new ArrayList<>();
        double least = Double.POSITIVE_INFINITY;
        try (RegionRates rates = new RegionRates()) {
            for (int bytes = 16 << 10; bytes <= RegionRates.MAX_BYTES; bytes *= 4) {
                double[] ratios = new double[rounds];
                double[] copied = new double[rounds];
                rates.rate(true, bytes, nanos);
                rates.rate(false, bytes, nanos);
                for (int round = 0; round < rounds; round++) { // one beside the other: cores move
                    copied[round] = rates.rate(false, bytes, nanos);
                    ratios[round] = rates.rate(true, bytes, nanos) / copied[round];
                }
                Arrays.sort(ratios);
                Arrays.sort(copied);
                double ratio = ratios[rounds / 2];
                least = bytes >= LARGE ? Math.min(least, ratio) : least;
                rows.add(List.of(
                        Numbers.bytes(bytes),
                        Numbers.text(Math.rint(copied[rounds / 2] / 1e6)),
                        Numbers.text(ratio),
                        Numbers.text(ratios[0]) + " to " + Numbers.text(ratios[rounds - 1])));
            }
            if (rates.registered() == 0) {
                throw new RunException("no write's buffer was registered");
            }
        } catch (IOException e) {
            throw new RunException("no socket: " + e.getMessage(), e);
        }
        report.claim(Claim.judged(
                        "5.rate",
                        "a remote region that registers writes 1 MiB and more as fast as one that copies: least ratio",
                        "x",
                        least,
                        least >= NO_SLOWER,
                        "the copy is not what takes the time")
                .accepting("≥ " + Numbers.text(NO_SLOWER)));
        report.table(new DataTable(
                "What a remote region writes",
                List.of("length", "copying, MB/s", "registering, by copying", "range"),
                rows));
    }
}
