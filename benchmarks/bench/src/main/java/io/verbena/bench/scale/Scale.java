package io.verbena.bench.scale;

import io.verbena.bench.Interval;
import io.verbena.bench.scale.QueuePairMemory.Rings;
import io.verbena.bench.trial.IdleProcess;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench scale}: what a message costs with more queue pairs and more peers, and what idle ones take. */
@Command(
        name = "scale",
        description = {
            "Measures how messages a second change from 1 queue pair and 1 peer to "
                    + "10,000 and 1,000, the memory of an idle",
            "queue pair, and the processor time and memory of an idle node; prints Markdown.%n"
        })
public final class Scale extends RunCommand {
    private static final long WARM_UP = 2_000_000_000L;

    private static final Rings[] RINGS = {
        Rings.DEFAULT,
        new Rings(128, 1, 1, 64),
        new Rings(64, 64, 1, 64),
        new Rings(16, 16, 1, 64),
        new Rings(4, 4, 1, 0),
    };

    @Option(
            names = "--queue-pairs",
            split = ",",
            paramLabel = "<count>",
            description = "Queue pairs; the first is the reference. Default 1,10,100,1000,10000.")
    int[] queuePairs = {1, 10, 100, 1000, 10_000};

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "<count>",
            description = "Peers; the first is the reference. Default 1,10,100,1000.")
    int[] peers = {1, 10, 100, 1000};

    @Option(
            names = "--fabric",
            paramLabel = "<name>",
            description = "Between the two NICs of many queue pairs: local, shm, uds or tcp; default ${DEFAULT-VALUE}.")
    String fabric = "local";

    @Option(
            names = "--bytes",
            paramLabel = "<bytes>",
            description = "Bytes of a message, up to 1024; default ${DEFAULT-VALUE}.")
    int bytes = 32;

    @Option(
            names = "--bursts",
            split = ",",
            paramLabel = "<messages>",
            description = "Messages of a queue pair in its turn, powers of two up to 256. Default 1,16.")
    int[] bursts = {1, 16};

    @Option(
            names = "--rounds",
            paramLabel = "<count>",
            description = "Rounds over all counts; default ${DEFAULT-VALUE}.")
    int rounds = 5;

    @Option(
            names = "--millis",
            paramLabel = "<millis>",
            description = "How long each measures in a round, after as long to warm up; default ${DEFAULT-VALUE}.")
    int millis = 500;

    @Option(
            names = "--idle-seconds",
            paramLabel = "<seconds>",
            description = "How long an idle node is watched, 0 leaves it out; default ${DEFAULT-VALUE}.")
    int idleSeconds = 10;

    @Option(
            names = "--idle-queue-pairs",
            paramLabel = "<count>",
            description = "Queue pairs that memory is measured with, 0 leaves it out; default ${DEFAULT-VALUE}.")
    int idleQueuePairs = 10_000;

    private final long warmUpNanos;

    /** Creates a command that prints to the standard streams. */
    public Scale() {
        this(WARM_UP);
    }

    Scale(long warmUpNanos) {
        super("scale");
        this.warmUpNanos = warmUpNanos;
    }

    @Override
    protected int run() {
        checkOptions();
        FabricKind kind = FabricKind.of(fabric);
        out.printf(
                Locale.ROOT,
                "%d bytes; messages a second of processor time: of both sides together for "
                        + "queue pairs, of the one node that takes"
                        + " them for peers; medians of %d rounds of %d ms%n",
                bytes,
                rounds,
                millis);
        for (ScaleVerb verb : List.of(ScaleVerb.APPEND, ScaleVerb.SEND_SHARED)) {
            for (int burst : bursts) {
                table(
                        verb.optionName() + ", " + fabric + ", " + burst + " a doorbell",
                        "queue pairs",
                        queuePairs,
                        count -> new BusyQueuePairs(kind, verb, count, burst, bytes, 256));
            }
        }
        table(
                "send-shared, local, 1 a doorbell, from each peer in turn",
                "peers",
                peers,
                count -> new BusyPeers(ScaleVerb.SEND_SHARED, count, count, 1, bytes));
        table(
                "send-shared, local, 1 a doorbell, from one peer while the others are idle",
                "peers",
                peers,
                count -> new BusyPeers(ScaleVerb.SEND_SHARED, count, 1, 1, bytes));
        if (idleQueuePairs > 0) {
            memory();
        }
        if (idleSeconds > 0) {
            idle();
        }
        return 0;
    }

    private void checkOptions() {
        RunException.requireRange("rounds", rounds, 1, Integer.MAX_VALUE);
        RunException.requireRange("millis", millis, 1, Integer.MAX_VALUE);
        RunException.requireRange("bytes", bytes, 1, 1024);
        for (int count : queuePairs) {
            RunException.requireRange("queue-pairs", count, 1, Integer.MAX_VALUE);
        }
        for (int count : peers) {
            RunException.requireRange("peers", count, 1, Integer.MAX_VALUE);
        }
        for (int burst : bursts) {
            RunException.requireRange("bursts", burst, 1, BusyLoop.WINDOW);
            if (Integer.bitCount(burst) != 1) {
                throw new RunException("bursts " + burst + " is not a power of two");
            }
        }
    }

    // ---- rates -----------------------------------------------------------------------------------------------------

    private void table(String title, String what, int[] counts, IntFunction<BusyLoop> opener) {
        try (BusyLoop loop = opener.apply(counts[0])) {
            loop.warmUp(Math.max(warmUpNanos, millis * 1_000_000L)); // compiles what all counts run
        }
        double[][] rates = new double[counts.length][rounds];
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < counts.length; i++) {
                try (BusyLoop loop = opener.apply(counts[i])) {
                    loop.warmUp(millis * 1_000_000L);
                    rates[i][round] = loop.run(millis * 1_000_000L);
                }
            }
        }
        out.printf(Locale.ROOT, "%n**%s**%n%n| %s | M/s | range | ns a message | ratio |%n", title, what);
        out.println("|---|---|---|---|---|");
        double reference = Interval.of(rates[0]).median();
        for (int i = 0; i < counts.length; i++) {
            out.println(row(counts[i], rates[i], reference));
        }
        out.flush();
    }

    static String row(int count, double[] rates, double reference) {
        Interval interval = Interval.of(rates);
        return text(
                "| %,d | %.2f | %.2f-%.2f | %.0f | %.2f |",
                count,
                interval.median() / 1e6,
                interval.min() / 1e6,
                interval.max() / 1e6,
                1e9 / interval.median(),
                interval.median() / reference);
    }

    // ---- what does nothing
    // -------------------------------------------------------------------------------------------

    private void memory() {
        QueuePairMemory.measure(Rings.DEFAULT, 64, true); // loads what is loaded once
        out.printf(Locale.ROOT, "%n**Memory of an idle queue pair**, of %,d%n%n", idleQueuePairs);
        out.println("| max send | max receive | max sge | inline | never used, KiB | used, direct | heap | KiB |");
        out.println("|---|---|---|---|---|---|---|---|");
        for (Rings rings : RINGS) {
            QueuePairMemory.Bytes unused = QueuePairMemory.measure(rings, idleQueuePairs, false);
            QueuePairMemory.Bytes used = QueuePairMemory.measure(rings, idleQueuePairs, true);
            out.printf(
                    Locale.ROOT,
                    "| %d | %d | %d | %d | %.1f | %.0f | %.0f | %.1f |%n",
                    rings.maxSend(),
                    rings.maxReceive(),
                    rings.maxSge(),
                    rings.maxInline(),
                    unused.total() / 1024,
                    used.direct(),
                    used.heap(),
                    used.total() / 1024);
            out.flush();
        }
    }

    private void idle() {
        out.printf(
                Locale.ROOT, "%n**Idle for %d s**%n%n| process | PSS, MiB | of a core |%n|---|---|---|%n", idleSeconds);
        IdleProcess.Taken empty = IdleProcess.measure(IdleProcess.EMPTY, idleSeconds);
        out.println(row("JVM that sleeps", empty, null));
        IdleProcess.Taken node = IdleProcess.measure(IdleProcess.NODE, idleSeconds);
        out.println(row("node on tcp, uds and shm, one inbox", node, empty));
    }

    static String row(String process, IdleProcess.Taken taken, IdleProcess.@Nullable Taken beyond) {
        double mebibytes = taken.residentBytes() / (double) (1 << 20);
        String more = beyond == null
                ? ""
                : text(" (%+.1f)", (taken.residentBytes() - beyond.residentBytes()) / (double) (1 << 20));
        return text("| %s | %.1f%s | %.2f %% |", process, mebibytes, more, taken.processorShare() * 100);
    }
}
