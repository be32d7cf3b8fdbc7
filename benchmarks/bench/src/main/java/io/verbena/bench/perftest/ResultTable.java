package io.verbena.bench.perftest;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import io.verbena.nic.memory.KeyText;
import io.verbena.nic.port.NicId;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The tables of linux-rdma's perftest, column for column, and at their end the state of the cores: round trip of a
 * cache line between them, and its tag.
 */
final class ResultTable {
    private static final String RULE =
            "---------------------------------------------------------------------------------------";
    private static final String LATENCY_HEAD =
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                    + "   99% percentile[usec]   99.9% percentile[usec]   line[nsec]   cores";
    private static final String BANDWIDTH_HEAD =
            " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]   line[nsec]   cores";
    private static final double MEBI = 1 << 20;

    private final PrintStream out;

    ResultTable(PrintStream out) {
        this.out = out;
    }

    /** What is run, before the table. */
    void head(PerftestSettings s, boolean direct, CorePair cores, ControlLine local, ControlLine remote) {
        line(RULE);
        line("                    Verbena " + s.kind().title());
        pair("Fabric", s.fabric().optionName(), "Engine", s.mode().name().toLowerCase(Locale.ROOT));
        pair("Number of qps", s.queuePairs(), "Transport type", "RC");
        pair("TX depth", s.txDepth(), "RX depth", s.rxDepth());
        pair("CQ moderation", s.kind().isLatency() ? 1 : s.signalEvery(), "Post list", s.postList());
        pair("Max inline data", s.inline() + "[B]", "Path", direct ? "direct" : "packets");
        pair("Warm-up", s.warmupNanos() / 1_000_000 + "[ms]", "Data validation", s.validate() ? "ON" : "OFF");
        if (s.kind().isPingPong()) {
            line(" Latency is half a round trip.");
        } else if (s.kind().isLatency()) {
            line(" Latency is a full round trip, from posting to completion.");
        } else if (s.kind().verb() != TestKind.Verb.READ && s.kind().verb() != TestKind.Verb.WRITE) {
            line(" Average is of the slower side, sender or receiver.");
        }
        line(" Cores of both ends: " + cores.text());
        line(RULE);
        address("local address ", local);
        address("remote address", remote);
        line(RULE);
        line(s.kind().isLatency() ? LATENCY_HEAD : BANDWIDTH_HEAD);
    }

    private void pair(String left, Object a, String right, Object b) {
        out.printf(Locale.ROOT, " %-15s : %-14s %-15s : %s%n", left, a, right, b);
    }

    private void address(String who, ControlLine end) {
        line(" " + who + ": NIC " + NicId.text(end.number("nic")) + " QPN " + end.text("qps") + " RKey "
                + KeyText.of((int) end.number("target")));
    }

    /**
     * A row.
     *
     * @param histogram of nanoseconds of round trips
     * @param divisor 2 if a message is half of one
     * @param cores their state
     */
    void latency(int size, Histogram histogram, int divisor, String cores) {
        double micros = 1000.0 * divisor;
        out.printf(
                Locale.ROOT,
                " %-7d %-10d %-14.3f %-14.3f %-16.3f %-14.3f %-16.3f %-22.3f %-22.3f %s%n",
                size,
                histogram.getTotalCount(),
                histogram.getMinValue() / micros,
                histogram.getMaxValue() / micros,
                histogram.getValueAtPercentile(50) / micros,
                histogram.getMean() / micros,
                histogram.getStdDeviation() / micros,
                histogram.getValueAtPercentile(99) / micros,
                histogram.getValueAtPercentile(99.9) / micros,
                cores);
    }

    /** A row. */
    void bandwidth(int size, RateMeter rate, String cores) {
        out.printf(
                Locale.ROOT,
                " %-10d %-14d %-19.2f %-20.2f %-15.6f %s%n",
                size,
                rate.messages(),
                rate.peak() * size / MEBI,
                rate.rate() * size / MEBI,
                rate.rate() / 1e6,
                cores);
    }

    /** The last columns. */
    static <R> String cores(Tag tag, List<Slice<R>> slices) {
        return tag == Tag.UNPINNED
                ? String.format(Locale.ROOT, "%-12s %s", "-", "-")
                : String.format(
                        Locale.ROOT,
                        "%-12.0f %s",
                        slices.stream().mapToDouble(Slice::line).average().orElse(0),
                        tag.title());
    }

    void end() {
        line(RULE);
        out.flush();
    }

    private void line(String text) {
        out.println(text);
    }
}
