package io.verbena.bench.compare;

import io.verbena.bench.BenchException;
import io.verbena.bench.path.End;
import io.verbena.bench.path.FarThread;
import io.verbena.bench.path.PathKind;
import io.verbena.bench.path.Rendezvous;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * One end of a path in a process of its own, started by {@link Compare}. The near end starts the far end, measures and
 * prints a {@link Figures} line.
 */
@Command(name = "end", hidden = true, description = "One end of a path; started by bench compare.")
public final class EndProcess implements Callable<Integer> {
    static final String NEAR = "near";
    static final String FAR = "far";
    static final String THREADS = "threads";
    static final int FAR_SECONDS = 10;

    @Parameters(index = "0")
    String role = "";

    @Option(names = "--path", required = true)
    String path = "";

    @Option(names = "--bytes", required = true)
    int bytes;

    @Option(names = "--seconds", required = true)
    int seconds;

    @Option(names = "--rate")
    boolean rate;

    @Option(names = "--batch", defaultValue = "1")
    int batch = 1;

    @Override
    public Integer call() {
        PathKind kind = PathKind.of(path);
        try {
            switch (role) {
                case FAR:
                    far(kind);
                    break;
                case NEAR:
                    near(kind);
                    break;
                case THREADS:
                    threads(kind);
                    break;
                default:
                    throw new BenchException("unknown role '" + role + "', expected near, far or threads");
            }
            return 0;
        } catch (BenchException e) {
            System.err.println(role + " end of " + path + ": " + e.getMessage());
            return 1;
        }
    }

    private List<String> farArguments() {
        List<String> arguments = new ArrayList<>(List.of(
                "end", FAR, "--path", path, "--bytes", String.valueOf(bytes), "--seconds", String.valueOf(seconds)));
        if (rate) {
            arguments.add("--rate");
        }
        return arguments;
    }

    private void near(PathKind kind) {
        if (!kind.isBetweenProcesses()) {
            throw new BenchException("its ends are in one process; use --threads");
        }
        try (JavaProcess process = new JavaProcess(farArguments())) {
            Process far = process.process();
            Rendezvous rendezvous = Rendezvous.over(
                    far.inputReader(StandardCharsets.UTF_8),
                    new PrintStream(far.getOutputStream(), true, StandardCharsets.UTF_8));
            try (End near = kind.open(rendezvous, true, bytes)) {
                measure(near, rendezvous, () -> {
                    if (!far.isAlive()) {
                        throw new BenchException("the far end is gone");
                    }
                });
                rendezvous.tell("bye");
                process.await(FAR_SECONDS);
            }
        }
    }

    private void threads(PathKind kind) {
        Rendezvous[] pair = Rendezvous.pair();
        try (FarThread far = new FarThread(kind, bytes, end -> serve(end, pair[1]))) {
            measure(far.near(), pair[0], far::check);
            pair[0].tell("bye");
        }
    }

    private void measure(End near, Rendezvous rendezvous, Runnable check) {
        Figures figures = rate
                ? new RateMeasurement(near, rendezvous, check, batch).run(seconds)
                : RoundTripMeasurement.run(near, check, seconds);
        System.out.println(figures.line());
        System.out.flush();
    }

    private void far(PathKind kind) {
        Rendezvous rendezvous = Rendezvous.over(
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), System.out);
        try (End far = kind.open(rendezvous, false, bytes)) {
            serve(far, rendezvous);
        }
    }

    /** Until the other end says bye, or is gone. Of a stream, it says when so many messages as were sent have come. */
    private void serve(End far, Rendezvous rendezvous) {
        long[] sent = {-1};
        FarThread.serve(far, !rate, () -> {
            String line = rendezvous.heard();
            if (line != null && line.startsWith("sent ")) {
                sent[0] = Long.parseLong(line.substring("sent ".length()));
            }
            if (sent[0] >= 0 && far.taken() == sent[0]) {
                rendezvous.tell("came " + sent[0]);
                sent[0] = -1;
            }
            return isBye(line) || rendezvous.isOver();
        });
    }

    private static boolean isBye(@Nullable String line) {
        return "bye".equals(line);
    }
}
