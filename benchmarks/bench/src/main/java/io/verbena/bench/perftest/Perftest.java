package io.verbena.bench.perftest;

import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.FabricKind;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena perftest}: flags and output of linux-rdma's perftest. */
@Command(
        name = "perftest",
        description = {
            "Measures bandwidth or latency of a verb between two processes, as linux-rdma's perftest does.",
            "Start the server first, without a host: verbena perftest send_lat",
            "then the client with the same options:   verbena perftest send_lat 127.0.0.1",
            "With --fabric local one command runs both ends.%n"
        })
public final class Perftest extends RunCommand {
    private static final int MAX_EXPONENT = 23;
    private static final int DEFAULT_LATENCY_ITERATIONS = 1000;
    private static final int DEFAULT_BANDWIDTH_ITERATIONS = 5000;
    private static final int DEFAULT_LATENCY_SIZE = 2;
    private static final int DEFAULT_BANDWIDTH_SIZE = 65536;
    private static final int DEFAULT_INLINE = 64;
    private static final int DEFAULT_SIGNAL_EVERY = 16;

    @Parameters(
            index = "0",
            paramLabel = "<test>",
            description = "One of send_lat, send_bw, write_lat, write_bw, read_lat, read_bw, append_lat, append_bw.")
    String test = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "<host>", description = "The server; none: be the server.")
    @Nullable
    String host;

    @Option(names = "--fabric", paramLabel = "<fabric>", description = "shm, uds, tcp or local.")
    String fabric = "shm";

    @Option(
            names = {"-s", "--size"},
            paramLabel = "<bytes>",
            description = "Message size, default 2 for latency, 65536 for bandwidth.")
    @Nullable
    Integer size;

    @Option(
            names = {"-a", "--all"},
            description = "All sizes from 2 to 2^23.")
    boolean all;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<count>",
            description = "Iterations a size, at least 5; default 1000 for latency, 5000 for bandwidth.")
    @Nullable
    Integer iterations;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "<seconds>",
            description = "Run each size so long instead of a number of iterations.")
    int duration;

    @Option(
            names = {"-q", "--qp"},
            paramLabel = "<count>",
            description = "Queue pairs (bandwidth); default ${DEFAULT-VALUE}.")
    int queuePairs = 1;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "<requests>",
            description = "Requests outstanding on a queue pair; default ${DEFAULT-VALUE}.")
    int txDepth = 128;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "<receives>",
            description = "Receives posted on a queue pair; default ${DEFAULT-VALUE}.")
    int rxDepth = 512;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "<requests>",
            description = "A completion for every so many requests (bandwidth); default 16, or the tx-depth if less.")
    @Nullable
    Integer signalEvery;

    @Option(
            names = {"-l", "--post_list"},
            paramLabel = "<requests>",
            description = "Requests a doorbell (bandwidth, one queue pair); default ${DEFAULT-VALUE}.")
    int postList = 1;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "<bytes>",
            description = "Most bytes sent inline; default 64 for latency, 0 for bandwidth.")
    @Nullable
    Integer inline;

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "Accepted; the clock does not depend on the CPU's frequency.")
    boolean cpuFrequency;

    @Mixin
    final ControlOptions control = new ControlOptions();

    @Option(
            names = "--mode",
            paramLabel = "<mode>",
            description = "Who runs the engine: invoker (the measuring thread; default), assisted or thread.")
    String mode = "invoker";

    @Option(
            names = "--validate",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Look at the data that arrives; on unless --no-validate.")
    boolean validate = true;

    @Option(
            names = "--warmup",
            paramLabel = "<seconds>",
            defaultValue = "0.5",
            description = "Run each size so long before it is measured, the first one five times as long; default 0.5.")
    double warmup = 0.5;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description = "Give up when the other side is silent for so long; default ${DEFAULT-VALUE}.")
    int timeout = 10;

    /** Creates a command that prints to the standard streams. */
    public Perftest() {
        super("perftest");
    }

    /** Runs one side, or both on the fabric {@code local}. */
    @Override
    protected int run() {
        PerftestSettings settings;
        try {
            settings = settings();
        } catch (RunException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        try {
            if (settings.fabric() == FabricKind.LOCAL) {
                runBoth(settings);
            } else if (host == null) {
                serve(settings);
            } else {
                TestSession.connect(settings, host, control.port, control.tls(), out);
            }
            return 0;
        } catch (MemoryExhaustedException e) {
            throw new RunException(String.valueOf(e.getMessage()), e);
        }
    }

    private void serve(PerftestSettings settings) {
        InetAddress address = control.address(settings.security());
        try (ServerSocket server = ControlSocket.listen(address, control.port, control.tls())) {
            out.println();
            out.println("************************************");
            out.println("* Waiting for client to connect... *");
            out.println("************************************");
            if (control.port == 0) {
                out.println(" Port: " + server.getLocalPort());
            }
            out.flush();
            TestSession.serve(settings, server, 0, out);
        } catch (IOException e) {
            throw new RunException("cannot close the control socket: " + e.getMessage(), e);
        }
    }

    private void runBoth(PerftestSettings settings) {
        AtomicReference<@Nullable Throwable> serverFailure = new AtomicReference<>();
        try (ServerSocket server = ControlSocket.listen(InetAddress.getLoopbackAddress(), 0, null);
                PrintStream nowhere = new PrintStream(
                        java.io.OutputStream.nullOutputStream(), false, java.nio.charset.StandardCharsets.UTF_8)) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            TestSession.serve(settings, server, settings.timeoutNanos(), nowhere);
                        } catch (RuntimeException e) {
                            serverFailure.set(e);
                        }
                    },
                    "perftest-server");
            thread.setDaemon(true);
            thread.start();
            TestSession.connect(settings, server.getInetAddress().getHostAddress(), server.getLocalPort(), null, out);
            thread.join(TimeUnit.NANOSECONDS.toMillis(settings.timeoutNanos()));
        } catch (IOException e) {
            throw new RunException("cannot close the control socket: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
        Throwable failure = serverFailure.get();
        if (failure != null) {
            throw new RunException("server: " + failure.getMessage(), failure);
        }
    }

    private PerftestSettings settings() {
        TestKind kind = TestKind.of(test);
        boolean latency = kind.isLatency();
        List<Integer> sizes = new ArrayList<>();
        if (all) {
            for (int exponent = 1; exponent <= MAX_EXPONENT; exponent++) {
                sizes.add(1 << exponent);
            }
        } else {
            sizes.add(size != null ? size : latency ? DEFAULT_LATENCY_SIZE : DEFAULT_BANDWIDTH_SIZE);
        }
        return new PerftestSettings(
                kind,
                FabricKind.of(fabric),
                engineMode(),
                sizes,
                iterations != null ? iterations : latency ? DEFAULT_LATENCY_ITERATIONS : DEFAULT_BANDWIDTH_ITERATIONS,
                TimeUnit.SECONDS.toNanos(PerftestSettings.inRange("duration", duration, 0, 86_400)),
                (long) (warmup * 1e9),
                queuePairs,
                txDepth,
                rxDepth,
                signalEvery != null ? signalEvery : Math.min(DEFAULT_SIGNAL_EVERY, txDepth),
                postList,
                inline != null ? inline : latency ? DEFAULT_INLINE : 0,
                validate,
                TimeUnit.SECONDS.toNanos(PerftestSettings.inRange("timeout", timeout, 1, 86_400)),
                control.linkSecurity(FabricKind.of(fabric)));
    }

    private EngineMode engineMode() {
        try {
            return EngineMode.valueOf(mode.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new RunException("unknown mode '" + mode + "', expected invoker, assisted or thread", e);
        }
    }
}
