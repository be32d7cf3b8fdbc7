package io.verbena.bench.perftest;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Cores;
import io.verbena.bench.cores.LineProbe;
import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.SlicedRun;
import io.verbena.bench.cores.Tag;
import io.verbena.fabric.security.TlsSockets;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricNode;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The course of a test at one side. The client leads: for each size both sides make queue pairs and tell each other,
 * then the client runs a phase to warm up and one to measure, and after each the server says that everything came and
 * was what it should be. On one machine both are pinned, and the client probes their cores around each phase that it
 * measures.
 */
final class TestSession {
    private static final long HIGHEST_LATENCY = TimeUnit.SECONDS.toNanos(100);
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int WARMUP_CHUNK = 100;
    private static final int FIRST_SIZE_FACTOR = 5;
    private static final long SLICE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_SLICES = 60;
    private static final String CORES = "cores";
    private static final String PAIR = "pair";

    private final PerftestSettings settings;
    private final ControlSocket control;
    private final PrintStream out;

    TestSession(PerftestSettings settings, ControlSocket control, PrintStream out) {
        this.settings = settings;
        this.control = control;
        this.out = out;
    }

    /** Waits for one client and serves it. */
    static void serve(PerftestSettings settings, ServerSocket server, long acceptTimeoutNanos, PrintStream out) {
        try (ControlSocket control = ControlSocket.accept(server, acceptTimeoutNanos)) {
            new TestSession(settings, control, out).reporting(true, server.getInetAddress());
        }
    }

    /** Runs a test against a server. */
    static void connect(PerftestSettings settings, String host, int port, @Nullable TlsSockets tls, PrintStream out) {
        try (ControlSocket control = ControlSocket.connect(host, port, tls, settings.timeoutNanos())) {
            new TestSession(settings, control, out).reporting(false, control.remote());
        }
    }

    /** Tells the other side of a failure before it ends this one. */
    private void reporting(boolean server, InetAddress host) {
        try {
            agree(server);
            CorePair cores = server ? farCores() : nearCores();
            try (FabricNode node = FabricNode.open(settings.fabric(), settings.mode(), settings.security());
                    LineProbe probe = new LineProbe(server ? CorePair.NONE : cores)) {
                run(node, server, host, cores, new SlicedRun(probe::nanos, () -> 0));
            }
        } catch (RunException e) {
            // A request that fails because the other side is gone says less than how the other side went.
            String farewell = e instanceof RequestFailedException ? control.farewell(FAREWELL_NANOS) : null;
            control.sendError(String.valueOf(e.getMessage()));
            throw farewell == null ? e : new RunException(e.getMessage() + ": " + farewell, e);
        } catch (RuntimeException e) {
            control.sendError(e.toString());
            throw e;
        }
    }

    private void agree(boolean server) {
        ControlLine own = settings.agreement();
        control.send(own);
        ControlLine other = control.receive("hello", settings.timeoutNanos());
        for (Map.Entry<String, String> field : own.fields().entrySet()) {
            String theirs = other.text(field.getKey());
            if (!theirs.equals(field.getValue())) {
                throw new RunException("settings differ: " + field.getKey() + " is " + field.getValue() + " at the "
                        + (server ? "server" : "client") + " and " + theirs + " at the "
                        + (server ? "client" : "server"));
            }
        }
    }

    /** The client chooses, if both sides are on this machine, and the server says whether it may. */
    private CorePair nearCores() {
        CorePair wanted = control.remote().isLoopbackAddress() ? CorePair.of(Cores.pinnable(), 1) : CorePair.NONE;
        control.send(new ControlLine(CORES).with(PAIR, wanted.text()));
        return CorePair.parse(control.receive(CORES, settings.timeoutNanos()).text(PAIR));
    }

    private CorePair farCores() {
        CorePair wanted =
                CorePair.parse(control.receive(CORES, settings.timeoutNanos()).text(PAIR));
        CorePair cores = Cores.pinnable().contains(wanted.far()) ? wanted : CorePair.NONE;
        control.send(new ControlLine(CORES).with(PAIR, cores.text()));
        return cores;
    }

    private void run(FabricNode node, boolean server, InetAddress host, CorePair cores, SlicedRun slices) {
        SpinWait wait = new SpinWait(control, node.engine(), settings.timeoutNanos());
        if (server) {
            control.send(new ControlLine("address").with("at", node.listen(host)));
        } else {
            node.connect(
                    host, control.receive("address", settings.timeoutNanos()).text("at"), settings.timeoutNanos());
        }
        ResultTable table = new ResultTable(out);
        boolean first = true;
        for (int size : settings.sizes()) {
            try (TestEnd end = new TestEnd(node, settings, size)) {
                ControlLine local = end.description();
                control.send(local);
                ControlLine remote = await(node, "end");
                node.awaitLink(remote.number("nic"), wait::idle);
                wait.reset();
                end.connect(remote);
                if (first) {
                    table.head(settings, end.isDirect(), cores, local, remote);
                    if (server) {
                        cores.pinFar();
                    } else {
                        cores.pinNear();
                    }
                }
                control.send(new ControlLine("ready"));
                if (server) {
                    serveSize(end, wait);
                } else {
                    await(node, "ready");
                    measureSize(end, wait, slices, table, first);
                }
                first = false;
            }
        }
        table.end();
        finish(node, server);
    }

    /** Neither side goes before the other has everything. */
    private void finish(FabricNode node, boolean server) {
        if (server) {
            await(node, "bye");
        } else {
            control.send(new ControlLine("bye"));
        }
    }

    /** Waits for a message while the engine, which may be this thread's to drive, goes on. */
    private ControlLine await(FabricNode node, String type) {
        long deadline = System.nanoTime() + settings.timeoutNanos();
        while (!control.hasMessage()) {
            node.drive();
            control.checkAlive();
            if (System.nanoTime() - deadline > 0) {
                break;
            }
            Thread.yield();
        }
        return control.receive(type, TimeUnit.MILLISECONDS.toNanos(1));
    }

    // ---- server ------------------------------------------------------------------------------------------------

    private void serveSize(TestEnd end, SpinWait wait) {
        Traffic traffic;
        if (settings.kind().isPingPong()) {
            traffic = PingPong.create(end, settings, wait, false);
        } else if (settings.kind().verb() == TestKind.Verb.READ
                || settings.kind().verb() == TestKind.Verb.WRITE) {
            traffic = new Passive(end, settings, wait);
        } else {
            traffic = new StreamReceiver(end, settings, wait);
        }
        await(end.node(), "ready");
        long total = -1;
        while (true) {
            if (traffic.poll() > 0) {
                wait.reset();
            } else {
                wait.idle();
            }
            if (control.hasMessage()) {
                ControlLine message = control.receive(settings.timeoutNanos());
                wait.reset();
                switch (message.type()) {
                    case "phase":
                        traffic.startPhase();
                        control.send(new ControlLine("go"));
                        break;
                    case "sent":
                        total = message.number("messages");
                        break;
                    case "next":
                        // Only now may the other side's queue pair go: nothing of this side's is under way to it.
                        control.send(new ControlLine("ended"));
                        return;
                    default:
                        throw new RunException("the other side says '" + message.type() + "' amid a test");
                }
            }
            if (total >= 0 && traffic.isComplete(total)) {
                control.send(traffic.report(new ControlLine("done").with("total", total)));
                total = -1;
            }
        }
    }

    // ---- client ------------------------------------------------------------------------------------------------

    private void measureSize(TestEnd end, SpinWait wait, SlicedRun run, ResultTable table, boolean first) {
        long warmup = settings.warmupNanos() * (first ? FIRST_SIZE_FACTOR : 1);
        int count = (int) Math.min(MAX_SLICES, Math.max(1, settings.durationNanos() / SLICE_NANOS));
        long nanos = settings.durationNanos() / count;
        if (!settings.kind().isLatency()) {
            StreamSender sender = new StreamSender(end, settings, wait);
            stream(end, sender, WARMUP_CHUNK, warmup);
            print(
                    run.measure(count, () -> stream(end, sender, settings.iterations(), nanos)),
                    count,
                    RateMeter::add,
                    (rate, cores) -> table.bandwidth(end.size(), rate, cores));
        } else if (settings.kind().isPingPong()) {
            PingPong pingPong = PingPong.create(end, settings, wait, true);
            roundTrips(end, pingPong::roundTrip, pingPong::arrived, WARMUP_CHUNK, warmup);
            print(
                    run.measure(
                            count,
                            () -> roundTrips(
                                    end, pingPong::roundTrip, pingPong::arrived, settings.iterations(), nanos)),
                    count,
                    TestSession::sum,
                    (histogram, cores) -> table.latency(end.size(), histogram, 2, cores));
        } else {
            ReadRoundTrip reads = new ReadRoundTrip(end, settings, wait);
            roundTrips(end, reads::roundTrip, reads::messages, WARMUP_CHUNK, warmup);
            print(
                    run.measure(
                            count,
                            () -> roundTrips(end, reads::roundTrip, reads::messages, settings.iterations(), nanos)),
                    count,
                    TestSession::sum,
                    (histogram, cores) -> table.latency(end.size(), histogram, 1, cores));
        }
        control.send(new ControlLine("next"));
        await(end.node(), "ended");
    }

    /** A line for each state that the cores were in; what is void only if there is nothing else. */
    private static <R> void print(List<Slice<R>> slices, int count, BinaryOperator<R> sum, BiConsumer<R, String> line) {
        Map<Tag, List<Slice<R>>> byTag = SlicedRun.reported(slices, count).stream()
                .collect(Collectors.groupingBy(Slice::tag, () -> new EnumMap<>(Tag.class), Collectors.toList()));
        byTag.forEach((tag, some) ->
                line.accept(some.stream().map(Slice::result).reduce(sum).orElseThrow(), ResultTable.cores(tag, some)));
    }

    private static Histogram sum(Histogram one, Histogram other) {
        one.add(other);
        return one;
    }

    private RateMeter stream(TestEnd end, StreamSender sender, long messages, long durationNanos) {
        begin(end);
        RateMeter rate = new RateMeter(durationNanos > 0 ? messages * 10 : messages);
        sender.run(messages, durationNanos, rate);
        ControlLine done = finishPhase(end, sender.messages());
        if (done.fields().containsKey("nanos")) {
            rate.atMost(done.number("messages"), done.number("nanos"));
        }
        return rate;
    }

    private Histogram roundTrips(
            TestEnd end, LongSupplier roundTrip, LongSupplier messages, long iterations, long durationNanos) {
        begin(end);
        Histogram histogram = new Histogram(HIGHEST_LATENCY, 3);
        long start = System.nanoTime();
        for (long i = 0; durationNanos > 0 ? System.nanoTime() - start < durationNanos : i < iterations; i++) {
            histogram.recordValue(Math.min(roundTrip.getAsLong(), HIGHEST_LATENCY));
        }
        finishPhase(end, messages.getAsLong());
        return histogram;
    }

    private void begin(TestEnd end) {
        control.send(new ControlLine("phase"));
        await(end.node(), "go");
    }

    private ControlLine finishPhase(TestEnd end, long total) {
        control.send(new ControlLine("sent").with("messages", total));
        return await(end.node(), "done");
    }
}
