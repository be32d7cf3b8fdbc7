package io.verbena.papers.rima;

import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.QueueSizing;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimNode;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.rima.QueueRun.Result;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Figure 3: one shared receive queue beside one append queue, epoch by epoch, at the paper's load and at line rate. */
final class Figure3 extends PaperFigure {
    private static final int MAX = (int) RimaModel.MAX;
    private static final double PAPER_RATE = 4.3e6;
    private static final int FULL_EPOCHS = 80;
    private static final int FEW_EPOCHS = 24; // before the first message of the largest size comes
    private static final int QUICK_EPOCHS = 24;
    private static final int DEFAULT_CHUNK = 1 << 20;
    private static final int PRINTED_CHUNK = 8 << 20;
    private static final int SHORT_RESERVE = 2;
    private static final long SURPLUS_NANOS = 1_000_000;
    private static final int SERVER_QPS = 64;

    private static final double LINE_GUESS = 24e6;
    private static final double PAPER_TOTAL = 11e6;
    private static final double PAPER_ACTIVE = 4e6;
    private static final double TWO_CHUNKS = 2 * PAPER_TOTAL;
    private static final double PAPER_SRQ_ACTIVE = 17e9;
    private static final double PAPER_SRQ_TOTAL = 161e9;

    private final RimaModel model;
    private final Memory memory;
    private final List<List<String>> rows = new ArrayList<>();
    private long seed;
    private int epochs;
    private int fewEpochs;

    /**
     * Where append queues get their chunks.
     *
     * @param chunkLength of chunks as small as they come by default
     * @param latency of an allocation, by what reserves are sized for
     */
    private record Memory(int chunkLength, double latency) {}

    /** An append queue's setting; its reserve covers allocations of a latency. */
    private record Setting(String label, int chunkLength, int reserveChunks, long allocationNanos) {
        AppendQueueAttributes attributes() {
            return new AppendQueueAttributes()
                    .chunkLength(chunkLength)
                    .reserveChunks(reserveChunks)
                    .maxMessage(MAX)
                    .surplusNanos(SURPLUS_NANOS);
        }
    }

    /** Chunks as small as they come by default: the reserve is line rate x L, the end of each chunk may stay unused. */
    private Setting sized(String label, long allocationNanos) {
        int chunk = memory.chunkLength;
        int reserve = QueueSizing.reserveChunks(IncastWorld.LINE_BYTES, allocationNanos, chunk, chunk / 4);
        return new Setting(label, chunk, reserve, allocationNanos);
    }

    Figure3() {
        this(RimaModel.PAPER, new Memory(DEFAULT_CHUNK, 1));
    }

    private Figure3(RimaModel model, Memory memory) {
        super("3", "Figure 3: one SRQ and one append queue over time");
        this.model = model;
        this.memory = memory;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation(
                        "half as many messages in the queue",
                        new Figure3(model.withMessages(model.messages() / 2), memory)),
                new Mutation("chunks of 8 MiB by default", new Figure3(model, new Memory(PRINTED_CHUNK, 1))),
                new Mutation(
                        "memory that comes after 4 times what reserves are sized for",
                        new Figure3(model, new Memory(DEFAULT_CHUNK, 4))),
                new Mutation(
                        "memory that comes after an eighth of it",
                        new Figure3(model, new Memory(DEFAULT_CHUNK, 0.125))));
    }

    /** The runs that claims are judged by, at one load. */
    private record Runs(Result srq, Result rima, Result whole) {}

    @Override
    public FigureReport run(long runSeed, Size size) {
        seed = runSeed;
        epochs = size == Size.FULL ? FULL_EPOCHS : QUICK_EPOCHS;
        fewEpochs = Math.min(epochs, FEW_EPOCHS);
        rows.clear();
        FigureReport report = new FigureReport(id(), title())
                .setting("link", "56 Gb/s, 1 us, one port at the server")
                .setting("clients", String.valueOf(IncastWorld.CLIENTS))
                .setting("L", "1 ms")
                .setting("epoch", QueueRun.EPOCH + " messages")
                .setting("epochs", String.valueOf(epochs))
                .setting("largest", "1 MiB, one in " + Load.INJECT_EVERY)
                .setting("seed", String.valueOf(seed));
        Runs paced = runs("4.3 M/s", PAPER_RATE, model.serviceNanos(PAPER_RATE));
        Result etc = append("4.3 M/s", small(), EtcVariant.ETC, PAPER_RATE, model.serviceNanos(PAPER_RATE), fewEpochs);
        // How fast the line is for messages of these sizes is not known before it was tried; the service time follows.
        long guess = model.serviceNanos(LINE_GUESS);
        Result probe = shared("line rate, to find W", EtcVariant.ETC_RIMA, 0, guess, fewEpochs);
        long lineService = model.serviceNanos(probe.messagesPerSecond());
        Runs line = runs("line rate", 0, lineService);
        Setting slowly = sized("RIMA, L 2 ms", 2 * IncastWorld.ALLOCATION_NANOS);
        Result slow = append("line rate", slowly, EtcVariant.ETC_RIMA, 0, lineService, fewEpochs);
        Setting little =
                new Setting("RIMA, reserve of 2 chunks", DEFAULT_CHUNK, SHORT_RESERVE, IncastWorld.ALLOCATION_NANOS);
        Result shortReserve = append("line rate", little, EtcVariant.ETC_RIMA, 0, lineService, fewEpochs);
        footprints(report, paced);
        appendQueue(report, paced);
        lineFootprints(report, line);
        reserves(report, line, slow, shortReserve);
        report.table(new DataTable(
                "Runs (means of the second half; SRQ: the reserve is computed, the paper did so too)",
                List.of(
                        "load",
                        "sizes",
                        "queue",
                        "M messages/s",
                        "messages",
                        "active",
                        "total",
                        "peak",
                        "epochs to steady",
                        "not ready"),
                rows));
        report.plot(plot("rima-figure-3", "Footprint at 4.3 M messages/s", paced));
        report.plot(plot("rima-figure-3-line-rate", "Footprint at line rate", line));
        notes(report, etc, slow);
        return report;
    }

    private Setting small() {
        return sized("RIMA, chunks of 1 MiB", IncastWorld.ALLOCATION_NANOS);
    }

    private Runs runs(String load, double rate, long serviceNanos) {
        Setting printed = new Setting("RIMA, chunks of 8 MiB", PRINTED_CHUNK, 1, IncastWorld.ALLOCATION_NANOS);
        return new Runs(
                shared(load, EtcVariant.ETC_RIMA, rate, serviceNanos, epochs),
                append(load, small(), EtcVariant.ETC_RIMA, rate, serviceNanos, epochs),
                append(load, printed, EtcVariant.ETC_RIMA, rate, serviceNanos, epochs));
    }

    private IncastWorld world(long allocationNanos) {
        return new IncastWorld(
                seed,
                IncastWorld.CLIENTS,
                LinkProfile.infiniband56(),
                new SimNode.Options().queuePairs(SERVER_QPS).allocationNanos(allocationNanos),
                MAX);
    }

    private Result shared(String load, EtcVariant variant, double rate, long serviceNanos, int count) {
        IncastWorld world = world(IncastWorld.ALLOCATION_NANOS);
        long reserve = Math.round(model.singleQueueReserve());
        ServedQueue queue = new ServedSharedReceives(world, SizeClasses.single(MAX), reserve, serviceNanos);
        return run(load, "SRQ of 1 MiB", variant, world, queue, rate, count);
    }

    private Result append(String load, Setting setting, EtcVariant variant, double rate, long serviceNanos, int count) {
        IncastWorld world = world(Math.round(memory.latency * setting.allocationNanos()));
        ServedQueue queue = new ServedAppendQueue(world, setting.attributes(), serviceNanos);
        return run(load, setting.label(), variant, world, queue, rate, count);
    }

    private Result run(
            String load,
            String label,
            EtcVariant variant,
            IncastWorld world,
            ServedQueue queue,
            double rate,
            int count) {
        Result result =
                QueueRun.run(world, queue, new Load(world, queue, EtcWorkload.messages(variant), rate, seed), count);
        rows.add(List.of(
                load,
                variant.name(),
                label,
                Numbers.text(result.messagesPerSecond() / 1e6),
                Numbers.text(Math.rint(result.messages())),
                Numbers.bytes(result.active()),
                Numbers.bytes(result.total()),
                Numbers.bytes((double) result.peak()),
                String.valueOf(result.transientEpochs()),
                String.valueOf(result.notReady())));
        return result;
    }

    private static void footprints(FigureReport report, Runs runs) {
        Result srq = runs.srq;
        Result rima = runs.rima;
        report.claim(Claim.near(
                        "3.srq.active",
                        "active buffers of one SRQ of 1 MiB buffers",
                        PAPER_SRQ_ACTIVE / 1e9,
                        "GB",
                        srq.active() / 1e9,
                        0.05,
                        "another number of messages is in the queue")
                .but("the number of messages in the queue, 16,800, is an input; the paper says MB and means MiB"));
        report.claim(Claim.near(
                "3.srq.total",
                "one SRQ with its reserve for 137 M messages/s",
                PAPER_SRQ_TOTAL / 1e9,
                "GB",
                srq.total() / 1e9,
                0.02,
                "another number of messages is in the queue"));
        report.claim(Claim.near(
                "3.rima.active",
                "bytes of the same messages in an append queue",
                PAPER_ACTIVE / 1e6,
                "MB",
                rima.active() / 1e6,
                0.15,
                "each record has a header of 16 bytes and is rounded up to 8, and the "
                        + "rare maximum adds 10 bytes a message"));
        report.claim(Claim.judged(
                "3.ratio",
                "one SRQ needs more than 10,000 times as much",
                "x",
                srq.total() / rima.total(),
                srq.total() > 1e4 * rima.total(),
                "the append queue's mapped bytes, chunks and headers included, are more than the paper's 11 MB"));
    }

    private static void appendQueue(FigureReport report, Runs runs) {
        Result rima = runs.rima;
        Result whole = runs.whole;
        report.claim(Claim.judged(
                        "3.rima.mean",
                        "mapped bytes of an append queue, mean, at most twice the paper's",
                        PAPER_TOTAL / 1e6,
                        "MB",
                        rima.total() / 1e6,
                        rima.total() <= 2 * PAPER_TOTAL,
                        "more chunks are mapped")
                .but("counted in mapped chunks of 1 MiB, not in bytes of messages"));
        report.claim(Claim.judged(
                "3.rima.peak",
                "most mapped bytes of an append queue, at most two chunks of active + reserve: 22 MB",
                "MB",
                rima.peak() / 1e6,
                rima.peak() <= TWO_CHUNKS,
                "more chunks are mapped at a time"));
        report.claim(Claim.judged(
                "3.rima.peak.8mib",
                "the same with chunks of active + reserve as the paper has them "
                        + "(8 MiB is the nearest power of two)",
                "MB",
                whole.peak() / 1e6,
                whole.peak() <= TWO_CHUNKS,
                "while messages lie in one chunk and the tail has entered the next, a "
                        + "third must be ready: three of 8.4 MB"));
        report.claim(Claim.near(
                "3.transient",
                "epochs until the queue is steady",
                40,
                "",
                rima.transientEpochs(),
                0.25,
                "with a given service time a queue is full after one service time, "
                        + "which is 8.2 epochs; the paper's clients"
                        + " answer to what the server does, and how they start is not printed"));
    }

    private static void lineFootprints(FigureReport report, Runs runs) {
        Result srq = runs.srq;
        Result rima = runs.rima;
        report.claim(Claim.nearComputed(
                "3.line.throughput",
                "append queue and SRQ have the same throughput, at line rate: the run with chunks of 8 MiB, where no "
                        + "message has a mapping of its own",
                1,
                "",
                runs.whole.messagesPerSecond() / srq.messagesPerSecond(),
                0.02,
                "appends wait for what the SRQ has ready"));
        report.claim(Claim.nearComputed(
                "3.line.throughput.1mib",
                "the same with chunks of 1 MiB",
                1,
                "",
                rima.messagesPerSecond() / srq.messagesPerSecond(),
                0.02,
                "a message above a quarter of a chunk is begun again when its mapping is there"));
        report.claim(Claim.judged(
                "3.line.mean",
                "mapped bytes of an append queue at line rate, mean, at most twice the paper's",
                PAPER_TOTAL / 1e6,
                "MB",
                rima.total() / 1e6,
                rima.total() <= 2 * PAPER_TOTAL,
                "more chunks are mapped"));
        report.claim(Claim.judged(
                "3.line.peak",
                "most mapped bytes of an append queue at line rate, at most two chunks of active + reserve: 22 MB",
                "MB",
                rima.peak() / 1e6,
                rima.peak() <= TWO_CHUNKS,
                "more chunks are mapped at a time"));
    }

    private static void reserves(FigureReport report, Runs runs, Result slow, Result shortReserve) {
        Result rima = runs.rima;
        Result whole = runs.whole;
        report.claim(Claim.judged(
                "3.line.ready",
                "with a reserve of line rate x L no sender is told to come again, at line rate: the run with chunks of"
                        + " 8 MiB, where no message has a mapping of its own",
                "",
                (double) whole.notReady(),
                whole.notReady() == 0,
                "the reserve was used up before memory came"));
        report.claim(Claim.judged(
                "3.line.not-ready",
                "with a reserve of 2 chunks of 1 MiB, below line rate x L, senders are told to come "
                        + "again more often than"
                        + " with enough",
                "",
                (double) shortReserve.notReady(),
                shortReserve.notReady() > rima.notReady(),
                "the smaller reserve was enough too"));
        report.claim(Claim.judged(
                "3.line.slow",
                "and throughput falls: less than 0.9 of that with a reserve for 2 ms",
                "x",
                shortReserve.messagesPerSecond() / slow.messagesPerSecond(),
                shortReserve.messagesPerSecond() < 0.9 * slow.messagesPerSecond(),
                "senders that come again lose no time"));
    }

    private static void notes(FigureReport report, Result etc, Result slow) {
        report.note(
                "4.3 M messages/s of 231 bytes are 8.0 Gb/s: the paper's load is not its line rate of 56 Gb/s. Both are"
                        + " here.");
        report.note("The number of messages in the queue is what the paper measured "
                + "(16,800); the service time follows from it"
                + " (3.907 ms at 4.3 M/s). That is not the time of a copy of 231 bytes.");
        report.note("At 4.3 M/s, a seventh of the line, queues cannot differ in throughput: the load is open. Whether"
                + " they do is judged at line rate.");
        report.note("A message above a quarter of a chunk gets a mapping of its own, and "
                + "its sender is told to come again until it is there: with chunks of 1 MiB those are the "
                + "\"not ready\" of the runs with enough reserve; with chunks of 8 MiB the largest message fits "
                + "and there is none.");
        report.note("Keys and values as published (ETC, mean 231 B) instead of the paper's points (ETC_RIMA): "
                + Numbers.bytes(etc.total()) + " mapped, " + Numbers.bytes(etc.active()) + " active.");
        report.note("Twice the allocation latency: " + Numbers.bytes(slow.total()) + " mapped at line rate.");
        report.note("2.2 of the paper has 13 GB a process where 5.1.1 has 161 GB.");
    }

    private static PaperPlot plot(String name, String title, Runs runs) {
        Result srq = runs.srq;
        Result rima = runs.rima;
        Result whole = runs.whole;
        List<Double> x = IntStream.rangeClosed(1, rima.epochs().size())
                .mapToObj(each -> (double) each)
                .toList();
        double last = x.get(x.size() - 1);
        PaperPlot plot = new PaperPlot(name, title, "epochs of 2048 messages", "bytes").logarithmicY();
        plot.line("SRQ, total", x, totals(srq), 0).dashes("SRQ, active", x, actives(srq), 0);
        plot.line("RIMA, total (1 MiB chunks)", x, totals(rima), 1).dashes("RIMA, active", x, actives(rima), 1);
        plot.line("RIMA, total (8 MiB chunks)", x, totals(whole), 3);
        return plot.points("paper, SRQ", List.of(last, last), List.of(PAPER_SRQ_TOTAL, PAPER_SRQ_ACTIVE), 0)
                .points("paper, RIMA", List.of(last, last), List.of(PAPER_TOTAL, PAPER_ACTIVE), 1);
    }

    private static List<Double> totals(Result result) {
        return result.epochs().stream().map(each -> (double) each.totalBytes()).toList();
    }

    private static List<Double> actives(Result result) {
        return result.epochs().stream()
                .map(each -> (double) Math.max(1, each.activeBytes()))
                .toList();
    }
}
