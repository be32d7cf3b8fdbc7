package io.verbena.bench.perftest;

import io.verbena.fabric.security.TlsSockets;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricNode;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The course of a test at one side. The client leads: for each size both sides make queue pairs and tell each other, then
 * the client runs a phase to warm up and one to measure, and after each the server says that everything came and was what
 * it should be.
 */
final class Session {
    private static final long HIGHEST_LATENCY = TimeUnit.SECONDS.toNanos(100);
    private static final long FAREWELL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final int WARMUP_CHUNK = 100;
    private static final int FIRST_SIZE_FACTOR = 5;

    private final PerftestSettings settings;
    private final ControlSocket control;
    private final PrintStream out;

    Session(PerftestSettings settings, ControlSocket control, PrintStream out) {
        this.settings = settings;
        this.control = control;
        this.out = out;
    }

    /** Waits for one client and serves it. */
    static void serve(PerftestSettings settings, ServerSocket server, long acceptTimeoutNanos, PrintStream out) {
        try (ControlSocket control = ControlSocket.accept(server, acceptTimeoutNanos)) {
            new Session(settings, control, out).reporting(true, server.getInetAddress());
        }
    }

    /** Runs a test against a server. */
    static void connect(PerftestSettings settings, String host, int port, @Nullable TlsSockets tls, PrintStream out) {
        try (ControlSocket control = ControlSocket.connect(host, port, tls, settings.timeoutNanos())) {
            new Session(settings, control, out).reporting(false, control.remote());
        }
    }

    /** Tells the other side of a failure before it ends this one. */
    private void reporting(boolean server, InetAddress host) {
        try {
            agree(server);
            try (FabricNode node = FabricNode.open(settings.fabric(), settings.mode(), settings.security())) {
                run(node, server, host);
            }
        } catch (RunException e) {
            // A request that fails because the other side is gone says less than how the other side went.
            String farewell = e instanceof PerftestException known && known.isOfRequest()
                    ? control.farewell(FAREWELL_NANOS)
                    : null;
            control.sendError(String.valueOf(e.getMessage()));
            throw farewell == null ? e : new PerftestException(e.getMessage() + ": " + farewell, e);
        } catch (RuntimeException e) {
            control.sendError(e.toString());
            throw e;
        }
    }

    private void agree(boolean server) {
        ControlMessage own = settings.agreement();
        control.send(own);
        ControlMessage other = control.receive("hello", settings.timeoutNanos());
        for (Map.Entry<String, String> field : own.fields().entrySet()) {
            String theirs = other.text(field.getKey());
            if (!theirs.equals(field.getValue())) {
                throw new PerftestException(
                        "settings differ: " + field.getKey() + " is " + field.getValue() + " at the "
                                + (server ? "server" : "client") + " and " + theirs + " at the "
                                + (server ? "client" : "server"));
            }
        }
    }

    private void run(FabricNode node, boolean server, InetAddress host) {
        SpinWait wait = new SpinWait(control, node.engine(), settings.timeoutNanos());
        if (server) {
            control.send(new ControlMessage("address").with("at", node.listen(host)));
        } else {
            node.connect(
                    host, control.receive("address", settings.timeoutNanos()).text("at"), settings.timeoutNanos());
        }
        ResultTable table = new ResultTable(out);
        boolean first = true;
        for (int size : settings.sizes()) {
            try (TestEnd end = new TestEnd(node, settings, size)) {
                ControlMessage local = end.description();
                control.send(local);
                ControlMessage remote = await(node, "end");
                node.awaitLink(remote.number("nic"), wait::idle);
                wait.reset();
                end.connect(remote);
                if (first) {
                    table.head(settings, end.isDirect(), local, remote);
                }
                control.send(new ControlMessage("ready"));
                if (server) {
                    serveSize(end, wait);
                } else {
                    await(node, "ready");
                    measureSize(end, wait, table, first);
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
            control.send(new ControlMessage("bye"));
        }
    }

    /** Waits for a message while the engine, which may be this thread's to drive, goes on. */
    private ControlMessage await(FabricNode node, String type) {
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
                ControlMessage message = control.receive(settings.timeoutNanos());
                wait.reset();
                switch (message.type()) {
                    case "phase":
                        traffic.startPhase();
                        control.send(new ControlMessage("go"));
                        break;
                    case "sent":
                        total = message.number("messages");
                        break;
                    case "next":
                        // Only now may the other side's queue pair go: nothing of this side's is under way to it.
                        control.send(new ControlMessage("ended"));
                        return;
                    default:
                        throw new PerftestException("the other side says '" + message.type() + "' amid a test");
                }
            }
            if (total >= 0 && traffic.isComplete(total)) {
                control.send(traffic.report(new ControlMessage("done").with("total", total)));
                total = -1;
            }
        }
    }

    // ---- client ------------------------------------------------------------------------------------------------

    private void measureSize(TestEnd end, SpinWait wait, ResultTable table, boolean first) {
        long warmup = settings.warmupNanos() * (first ? FIRST_SIZE_FACTOR : 1);
        if (!settings.kind().isLatency()) {
            StreamSender sender = new StreamSender(end, settings, wait);
            stream(end, sender, WARMUP_CHUNK, warmup);
            table.bandwidth(end.size(), stream(end, sender, settings.iterations(), settings.durationNanos()));
        } else if (settings.kind().isPingPong()) {
            PingPong pingPong = PingPong.create(end, settings, wait, true);
            roundTrips(end, pingPong::roundTrip, pingPong::arrived, WARMUP_CHUNK, warmup);
            table.latency(
                    end.size(),
                    roundTrips(
                            end,
                            pingPong::roundTrip,
                            pingPong::arrived,
                            settings.iterations(),
                            settings.durationNanos()),
                    2);
        } else {
            ReadRoundTrip reads = new ReadRoundTrip(end, settings, wait);
            roundTrips(end, reads::roundTrip, reads::messages, WARMUP_CHUNK, warmup);
            table.latency(
                    end.size(),
                    roundTrips(end, reads::roundTrip, reads::messages, settings.iterations(), settings.durationNanos()),
                    1);
        }
        control.send(new ControlMessage("next"));
        await(end.node(), "ended");
    }

    private RateMeter stream(TestEnd end, StreamSender sender, long messages, long durationNanos) {
        begin(end);
        RateMeter rate = new RateMeter(durationNanos > 0 ? messages * 10 : messages);
        sender.run(messages, durationNanos, rate);
        ControlMessage done = finishPhase(end, sender.messages());
        if (done.fields().containsKey("nanos")) {
            rate.atMost(done.number("messages"), done.number("nanos"));
        }
        return rate;
    }

    private Histogram roundTrips(
            TestEnd end,
            java.util.function.LongSupplier roundTrip,
            java.util.function.LongSupplier messages,
            long iterations,
            long durationNanos) {
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
        control.send(new ControlMessage("phase"));
        await(end.node(), "go");
    }

    private ControlMessage finishPhase(TestEnd end, long total) {
        control.send(new ControlMessage("sent").with("messages", total));
        return await(end.node(), "done");
    }
}
