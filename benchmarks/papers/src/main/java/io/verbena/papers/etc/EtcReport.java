package io.verbena.papers.etc;

import io.verbena.bench.Latency;
import io.verbena.bench.report.Machine;
import io.verbena.bench.trial.Json;
import io.verbena.papers.figures.PaperPlot;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the schemes of a run came to: as text, as JSON and as a plot. */
record EtcReport(EtcSetting setting, Machine machine, double load, List<SchemeReport> schemes) {
    static final String FILE = "etc.json";
    private static final String PLOT = "etc-resident";
    private static final double MIB = 1 << 20;

    void write(Path folder) {
        Json.write(
                folder.resolve(FILE), Map.of("setting", setting, "machine", machine, "load", load, "schemes", schemes));
    }

    /** Draws the curves of resident memory. @return the file */
    Path draw(Path folder) {
        PaperPlot plot = new PaperPlot(
                PLOT,
                "Resident shared memory of the consumer; it stalls for " + setting.stallMillis() + " ms every "
                        + setting.stallEvery() + " s",
                "seconds",
                "MiB");
        int color = 0;
        for (SchemeReport scheme : schemes) {
            plot.line(
                    scheme.label(),
                    scheme.curve().stream().map(ResidentCurve.Sample::seconds).toList(),
                    scheme.curve().stream().map(each -> each.shared() / MIB).toList(),
                    color);
            if (!scheme.stalls().isEmpty()) {
                plot.points(
                        scheme.label() + ", most in a stall",
                        scheme.stalls().stream()
                                .map(ResidentCurve.Stall::seconds)
                                .toList(),
                        scheme.stalls().stream().map(each -> each.peak() / MIB).toList(),
                        color);
            }
            color++;
        }
        return plot.save(folder);
    }

    void print(PrintStream out) {
        for (SchemeReport each : schemes) {
            out.println();
            print(out, "%s (%s)", each.label(), each.scheme());
            print(
                    out,
                    "  %,d messages sent, %,d came: %d lost, %d duplicated, %d torn, %d reordered%s",
                    each.sent(),
                    each.received(),
                    each.lost(),
                    each.duplicated(),
                    each.torn(),
                    each.reordered(),
                    each.isSound() ? "" : "  FAILED");
            print(
                    out,
                    "  %,.0f messages/s of %,.0f scheduled%s; senders told to wait %,d times",
                    each.rate(),
                    each.wantedRate(),
                    each.hasMissedRate()
                            ? String.format(Locale.ROOT, ": MISSED ITS RATE, %,d never sent", each.unsent())
                            : "",
                    each.notReady());
            latency(out, "outside of stalls", each.calm());
            latency(out, "in and after stalls", each.stalled());
            if (each.kills().count() > 0) {
                print(
                        out,
                        "  %d processes killed: %d holes closed; after a death the next message came within %,.0f ms%s",
                        each.kills().count(),
                        each.kills().holes(),
                        each.kills().longestNanos() / 1e6,
                        each.kills().inTime() ? "" : ": TOO LATE");
            }
            print(out, "  held %.1f MiB at most", each.held() / MIB);
            for (ResidentCurve.Stall stall : each.stalls()) {
                print(
                        out,
                        "  stall at %.1f s: resident shared memory %.1f MiB, then %.1f MiB, %s",
                        stall.seconds(),
                        stall.base() / MIB,
                        stall.peak() / MIB,
                        stall.secondsUntilBack() < 0
                                ? "not back before the next"
                                : String.format(Locale.ROOT, "back after %.1f s", stall.secondsUntilBack()));
            }
        }
        out.println();
    }

    private static void latency(PrintStream out, String when, Latency latency) {
        print(
                out,
                "  %s, us from the scheduled time: p50 %,.0f, p99 %,.0f, p99.9 %,.0f, max %,.0f of %,d",
                when,
                latency.p50() / 1e3,
                latency.p99() / 1e3,
                latency.p999() / 1e3,
                latency.max() / 1e3,
                latency.count());
    }

    private static void print(PrintStream out, String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
