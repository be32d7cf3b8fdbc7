package io.verbena.bench.polling;

import io.verbena.bench.trial.BusyProcess;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.verification.RunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** Measures the cells of one scheme after the other, each scheme with two nodes of its own. */
final class PollingRun {
    private static final int BUSY_SECONDS = 3600; // they are ended before

    /**
     * A load and its name.
     *
     * @param text as it is printed
     * @param rate messages a second, or {@link EchoClient#SATURATION}
     */
    record Load(String text, long rate) {}

    private final String listen;
    private final List<Load> loads;
    private final List<Integer> busy;
    private final double seconds;
    private final double warmup;
    private final int cores = Runtime.getRuntime().availableProcessors();

    PollingRun(String listen, List<Load> loads, List<Integer> busy, double seconds, double warmup) {
        this.listen = listen;
        this.loads = loads;
        this.busy = busy;
        this.seconds = seconds;
        this.warmup = warmup;
    }

    /** Measures a scheme's cells. */
    void measure(SchemeName scheme, Consumer<PollingCell> told) {
        if (busy.stream().allMatch(count -> scheme.whyVoid(count, cores).isPresent())) {
            busy.forEach(count -> tellVoid(scheme, count, told));
            return;
        }
        try (JavaProcess echo = new JavaProcess(EchoProcess.class, List.of(scheme.name(), listen));
                EchoClient client = new EchoClient(scheme, line(echo.process(), EchoProcess.ADDRESS))) {
            client.run(EchoClient.SATURATION, warmup / 2);
            client.run(1000, warmup / 2);
            for (int count : busy) {
                if (scheme.whyVoid(count, cores).isPresent()) {
                    tellVoid(scheme, count, told);
                } else {
                    beside(scheme, count, client, echo.process().pid(), told);
                }
            }
        }
    }

    private void tellVoid(SchemeName scheme, int count, Consumer<PollingCell> told) {
        Optional<String> why = scheme.whyVoid(count, cores);
        loads.forEach(load -> told.accept(PollingCell.ofVoid(scheme, load.text(), count, why.orElse("void"))));
    }

    private void beside(SchemeName scheme, int count, EchoClient client, long echo, Consumer<PollingCell> told) {
        List<JavaProcess> burning = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                JavaProcess process = new JavaProcess(BusyProcess.class, List.of(String.valueOf(BUSY_SECONDS)));
                burning.add(process);
                line(process.process(), "");
            }
            for (Load load : loads) {
                told.accept(cell(scheme, load, count, client, echo));
            }
        } finally {
            burning.forEach(JavaProcess::close);
        }
    }

    private PollingCell cell(SchemeName scheme, Load load, int count, EchoClient client, long echo) {
        long self = ProcessHandle.current().pid();
        ProcessUsage before = ProcessUsage.of(self, echo);
        long begin = System.nanoTime();
        Histogram times = client.run(load.rate(), seconds);
        double elapsed = (System.nanoTime() - begin) / 1e9;
        ProcessUsage.Taken used = ProcessUsage.of(self, echo).since(before);
        long messages = times.getTotalCount();
        if (messages == 0) {
            return PollingCell.ofVoid(scheme, load.text(), count, "void: no message came back in " + seconds + " s");
        }
        return new PollingCell(
                scheme,
                load.text(),
                count,
                Optional.empty(),
                new PollingCell.Figures(
                        messages,
                        messages / elapsed,
                        times.getValueAtPercentile(50),
                        times.getValueAtPercentile(99),
                        (double) used.cpuNanos() / messages,
                        (double) used.sleeps() / messages));
    }

    /** The next line of a process, without its beginning. */
    private static String line(Process process, String beginning) {
        try {
            BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
            String line = reader.readLine();
            if (line == null || !line.startsWith(beginning)) {
                throw new RunException("process " + process.pid() + " said '" + line + "', expected " + beginning);
            }
            return line.substring(beginning.length());
        } catch (IOException e) {
            throw new RunException("process " + process.pid() + " cannot be heard: " + e.getMessage(), e);
        }
    }
}
