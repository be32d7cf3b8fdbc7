package io.verbena.papers.etc;

import io.verbena.bench.report.Machine;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import java.util.ArrayList;
import java.util.List;

/**
 * What RIMA says of ETC traffic, between processes of this machine over shared memory: an append queue beside one SRQ
 * and tuned ones that hold no more than it may. Other than simulated figures it is not a function of its arguments.
 */
public final class EtcFigure extends PaperFigure {
    private static final double FULL_SECONDS = 20;
    private static final double QUICK_SECONDS = 4;
    private static final int STALLS = 4;
    private static final double LEAST_EVERY = 2; // seconds: memory is given back in one, and the next comes after it
    private static final int STALL_MILLIS = 100;
    private static final double RATE = 50_000;
    private static final long LARGEST_ONE_IN = 5_000;
    private static final long CAP = 64L << 20;
    private static final double SAME_RATE = 0.01;
    private static final double SAME_LATENCY = 1.5;
    private static final double FEW_SECONDS = 5;

    /** Creates it. */
    public EtcFigure() {
        super("real", "For real: ETC traffic of 8 senders in two processes, over shared memory");
    }

    @Override
    public boolean isRepeatable() {
        return false;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        double seconds = size == Size.FULL ? FULL_SECONDS : QUICK_SECONDS;
        double stallEvery = Math.max(LEAST_EVERY, seconds / STALLS);
        List<SchemeReport> schemes = new ArrayList<>();
        for (EtcScheme scheme : EtcScheme.values()) {
            schemes.add(EtcRun.measure(
                    new EtcSetting(scheme, seconds, stallEvery, STALL_MILLIS, RATE, LARGEST_ONE_IN, CAP, seed, 0)));
        }
        return report(schemes, seconds, stallEvery, seed);
    }

    /** Judges what has been measured: the append queue first, one SRQ second. */
    FigureReport report(List<SchemeReport> schemes, double seconds, double stallEvery, long seed) {
        SchemeReport append = schemes.get(0);
        SchemeReport single = schemes.get(1);
        FigureReport report = new FigureReport(id(), title())
                .setting("machine", Machine.here().text())
                .setting("rate", Numbers.text(RATE) + " messages a second, one in " + LARGEST_ONE_IN + " of 1 MiB")
                .setting("stalls", STALL_MILLIS + " ms every " + Numbers.text(stallEvery) + " s")
                .setting("cap", Numbers.bytes(CAP))
                .setting("seconds", Numbers.text(seconds))
                .setting("seed", String.valueOf(seed));
        long faults = 0;
        for (SchemeReport each : schemes) {
            faults += each.lost() + each.duplicated() + each.torn() + each.reordered();
        }
        report.claim(Claim.judged(
                "real.intact",
                "messages lost, doubled, torn or out of order, in all schemes",
                "",
                (double) faults,
                faults == 0,
                "a fault: the run is void"));
        report.claim(Claim.nearComputed(
                "real.rate",
                "an append queue takes as many messages as one SRQ",
                1,
                "",
                append.rate() / single.rate(),
                SAME_RATE,
                "a scheme missed the rate that was scheduled"));
        report.claim(Claim.judged(
                "real.footprint",
                "one SRQ of the largest size holds a multiple of what an append queue "
                        + "does, in resident memory on average",
                "",
                meanShared(single) / meanShared(append),
                meanShared(single) > 2 * meanShared(append),
                "the cap leaves the SRQ too few buffers to tell"));
        report.claim(Claim.judged(
                "real.returned",
                "memory that a stall took is given back within seconds; slowest",
                "s",
                slowestReturn(append),
                slowestReturn(append) <= FEW_SECONDS,
                "it was not back before the next stall"));
        report.claim(latency(
                "real.p50",
                "an append queue adds nothing to the latency of one SRQ: p50 outside of stalls, ratio",
                ratio(append.calm().p50(), single.calm().p50())));
        report.claim(latency(
                "real.p99",
                "the same at p99",
                ratio(append.calm().p99(), single.calm().p99())));
        return report.table(table(schemes));
    }

    private static Claim latency(String id, String text, double ratio) {
        return Claim.judged(id, text, "x", ratio, ratio <= SAME_LATENCY, "processes share cores here; see the table")
                .but("up to " + Numbers.text(SAME_LATENCY) + " counts as the same: three processes wait for two cores");
    }

    private static double ratio(long ours, long theirs) {
        return theirs == 0 ? Double.NaN : (double) ours / theirs;
    }

    private static double meanShared(SchemeReport scheme) {
        return scheme.curve().stream()
                .mapToLong(ResidentCurve.Sample::shared)
                .average()
                .orElse(Double.NaN);
    }

    private static double slowestReturn(SchemeReport scheme) {
        double slowest = 0;
        for (ResidentCurve.Stall stall : scheme.stalls()) {
            slowest = Math.max(
                    slowest, stall.secondsUntilBack() < 0 ? Double.POSITIVE_INFINITY : stall.secondsUntilBack());
        }
        return slowest;
    }

    private static DataTable table(List<SchemeReport> schemes) {
        List<List<String>> rows = new ArrayList<>();
        for (SchemeReport each : schemes) {
            rows.add(List.of(
                    each.label(),
                    Numbers.text(Math.rint(each.rate())),
                    Numbers.bytes(meanShared(each)),
                    Numbers.bytes((double) each.curve().stream()
                            .mapToLong(ResidentCurve.Sample::shared)
                            .max()
                            .orElse(0)),
                    Numbers.micros(each.calm().p50()),
                    Numbers.micros(each.calm().p99()),
                    Numbers.micros(each.stalled().p99()),
                    String.valueOf(each.notReady())));
        }
        return new DataTable(
                "Receivers beside each other",
                List.of(
                        "receiver",
                        "messages/s",
                        "resident, mean",
                        "resident, most",
                        "p50, us",
                        "p99, us",
                        "p99 in and after stalls, us",
                        "told to wait"),
                rows);
    }
}
