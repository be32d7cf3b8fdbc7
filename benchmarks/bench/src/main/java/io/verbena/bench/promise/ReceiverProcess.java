package io.verbena.bench.promise;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.verification.RunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/**
 * The far end in a process of its own; started by {@code bench promise}. It reads {@code open CELL}, {@code counts} and
 * {@code end}, answers each with a line, and ends with its parent.
 */
@Command(name = "promise-receiver", description = "The far end; started by bench promise.")
public final class ReceiverProcess implements Callable<Integer> {
    private static final String OPEN = "open ";
    private static final String COUNTS = "counts";
    private static final String END = "end";
    private static final String FAILED = "failed ";
    private static final double SECONDS_TO_END = 20;

    @Override
    public Integer call() throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Receiver receiver = new Receiver()) {
            for (String line = in.readLine(); line != null && !line.equals(END); line = in.readLine()) {
                try {
                    out.println(answer(receiver, line));
                } catch (RuntimeException e) {
                    out.println(FAILED + e);
                }
            }
        }
        return 0;
    }

    private static String answer(Receiver receiver, String line) {
        if (line.startsWith(OPEN)) {
            return receiver.open(Cell.parse(line.substring(OPEN.length())));
        }
        return Arrays.stream(receiver.counts()).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }

    /** Starts one. */
    static FarEnd start() {
        return new Remote();
    }

    private static final class Remote implements FarEnd {
        private final JavaProcess process = new JavaProcess(ReceiverProcess.class, List.of());
        private final Rendezvous pipes = Rendezvous.withChild(process.process());

        private String ask(String line) {
            pipes.tell(line);
            String answer = pipes.hear(Thread::yield);
            if (answer.startsWith(FAILED)) {
                throw new RunException("the far end: " + answer.substring(FAILED.length()));
            }
            return answer;
        }

        @Override
        public String open(Cell cell) {
            return ask(OPEN + cell.line());
        }

        @Override
        public long[] counts() {
            return Arrays.stream(ask(COUNTS).split(" "))
                    .mapToLong(Long::parseLong)
                    .toArray();
        }

        @Override
        public void close() {
            try (process) {
                pipes.tell(END);
                process.await(SECONDS_TO_END);
            }
        }
    }
}
