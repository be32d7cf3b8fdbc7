package io.verbena.bench.channels;

import io.verbena.bench.Interval;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.bench.trial.Sink;
import io.verbena.bench.trial.SinkProcess;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.util.List;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench channels}: thousands of channels to one peer, each with a queue pair or sharing a few. */
@Command(
        name = "channels",
        description = {
            "Measures many channels between two processes, with a queue pair each and sharing: opened per second,",
            "memory a channel on the side that opens (idle, and after one message), messages of 32 bytes per second",
            "sent in turn against one channel, and round trips of one channel beside all the others, which send",
            "in turn at a fixed rate. Then one channel that shares against one that does not, by turns.",
            "A queue pair each costs 70 KiB of direct memory in both processes: for 100,000 channels, set",
            "JAVA_TOOL_OPTIONS=-XX:MaxDirectMemorySize=10g.%n"
        })
public final class ChannelsCommand extends RunCommand {
    private static final long SLOW = 100; // messages/s beside round trips of one
    private static final int TURNS = 10; // of a round, of each of the two that are compared

    @Option(names = "--channels", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int channels = 10_000;

    @Option(names = "--fabric", description = "tcp, uds or shm; default ${DEFAULT-VALUE}.")
    String fabric = "shm";

    @Option(names = "--rounds", paramLabel = "<count>", description = "Of the rates; default ${DEFAULT-VALUE}.")
    int rounds = 5;

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "Of a round; default ${DEFAULT-VALUE}.")
    double seconds = 1;

    @Option(names = "--beside", paramLabel = "<rate>", description = "Messages/s beside; default ${DEFAULT-VALUE}.")
    long beside = 50_000;

    /** Creates the command. */
    public ChannelsCommand() {
        super("bench channels");
    }

    @Override
    protected int run() {
        RunException.requireRange("channels", channels, 1, SinkProcess.MAX_CHANNELS / 2);
        RunException.requireRange("rounds", rounds, 1, 1000);
        out.println(Machine.here().text());
        MarkdownTable table = new MarkdownTable(List.of(
                channels + " channels", "opened /s", "idle B", "used B", "M/s", "against one", "p50 us", "p99 us"));
        for (boolean share : new boolean[] {false, true}) {
            err.println(share ? "sharing" : "a queue pair each");
            table.line(measure(share));
        }
        table.print(out);
        out.println();
        alone().print(out);
        return 0;
    }

    /** What it costs one channel that its queue pair is one that others could share. */
    private MarkdownTable alone() {
        MarkdownTable table = new MarkdownTable(List.of("one channel, sharing against not", "ratio"));
        try (Sink sink = new Sink(fabric, "channel");
                ManyChannels apart = new ManyChannels(sink, false);
                ManyChannels shares = new ManyChannels(sink, true)) {
            double[] rates = new double[rounds];
            double[] times = new double[rounds];
            apart.open(1);
            shares.open(1);
            for (ManyChannels each : List.of(apart, shares, apart, shares)) { // compiles what both run
                each.rate(seconds);
                each.probe(SLOW, seconds);
            }
            for (int i = 0; i < rounds; i++) {
                double[] sent = new double[2];
                Histogram[] trips = {new Histogram(3), new Histogram(3)};
                for (int turn = 0; turn < 2 * TURNS; turn++) { // cores that move do so for both
                    int which = (turn + turn / 2) % 2; // each is first as often as second
                    ManyChannels one = which == 0 ? apart : shares;
                    sent[which] += one.rate(seconds / TURNS);
                    trips[which].add(one.probe(SLOW, seconds / TURNS));
                }
                rates[i] = sent[1] / sent[0];
                times[i] = (double) trips[1].getValueAtPercentile(50) / trips[0].getValueAtPercentile(50);
            }
            table.line(List.of("messages of 32 bytes a second", range(rates)));
            table.line(List.of("round trip, p50", range(times)));
        }
        return table;
    }

    private static String range(double[] ratios) {
        Interval all = Interval.of(ratios);
        return text("%.2f (%.2f-%.2f)", all.median(), all.min(), all.max());
    }

    private List<String> measure(boolean share) {
        try (Sink sink = new Sink(fabric, "channels");
                ManyChannels one = new ManyChannels(sink, false);
                ManyChannels many = new ManyChannels(sink, share)) {
            one.open(1);
            one.rate(2 * seconds); // compiles what both run
            one.probe(beside, seconds);
            long empty = HeldMemory.bytes();
            double opened = many.open(channels);
            if (many.sharing() != (share ? channels : 0)) {
                throw new RunException(many.sharing() + " channels share");
            }
            long idle = HeldMemory.bytes();
            many.use();
            long used = HeldMemory.bytes();
            double[] rates = new double[rounds];
            double[] ratios = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                double alone = one.rate(seconds);
                rates[i] = many.rate(seconds);
                ratios[i] = rates[i] / alone;
            }
            Histogram times = many.probe(beside, rounds * seconds);
            return List.of(
                    share ? "sharing" : "a queue pair each",
                    text("%.0f", opened),
                    text("%d", (idle - empty) / channels),
                    text("%d", (used - empty) / channels),
                    text("%.2f", Interval.of(rates).median() / 1e6),
                    range(ratios),
                    text("%.1f", times.getValueAtPercentile(50) / 1e3),
                    text("%.1f", times.getValueAtPercentile(99) / 1e3));
        }
    }
}
