package io.verbena.bench.trial;

import io.verbena.bench.cores.CorePair;
import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.path.PathKind;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs one measurement in fresh JVMs, bounded, and says how it ended, whatever happens. */
public final class Trial {
    /** Seconds that the start and the end of the processes may take beside the measurement. */
    private static final int MARGIN_SECONDS = 45;

    private Trial() {}

    /** Why this cannot be measured at all, if so: a path of no such name, or one that cannot do this. */
    public static Optional<String> whyNot(Setting setting) {
        if (setting.measure() == Measure.IDLE) {
            return IdleProcess.whyNot(setting.path());
        }
        PathKind kind;
        try {
            kind = PathKind.of(setting.path());
        } catch (RunException e) {
            return Optional.of("no path '" + setting.path() + "' here");
        }
        String unavailable = kind.unavailable();
        if (unavailable != null) {
            return Optional.of(unavailable);
        }
        if (setting.queuePairs() > kind.maxQueuePairs()) {
            return Optional.of("queue pairs " + setting.queuePairs() + " > maximum " + kind.maxQueuePairs());
        }
        if (setting.producers() > kind.maxProducers()) {
            return Optional.of("producers " + setting.producers() + " > maximum " + kind.maxProducers());
        }
        if (!setting.threads() && !kind.isBetweenProcesses()) {
            return Optional.of(setting.path() + " is a path within one process");
        }
        return Optional.empty();
    }

    /** Measures, both ends pinned to these cores. */
    public static TrialOutcome run(Setting setting, Pace pace, CorePair cores) {
        Optional<String> obstacle = whyNot(setting);
        if (obstacle.isPresent()) {
            return TrialOutcome.notAvailable(obstacle.get());
        }
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        long begin = System.nanoTime();
        Path errors = null;
        List<JavaProcess> busy = new ArrayList<>();
        try {
            errors = Files.createTempFile("verbena-bench-", ".err");
            double limit = MARGIN_SECONDS + 2 * pace.longest(setting.warmUpFactor());
            for (int i = 0; i < setting.busy(); i++) {
                busy.add(startBusy((int) Math.ceil(limit)));
            }
            Report report = setting.measure() == Measure.IDLE
                    ? idle(setting, pace)
                    : runEnds(setting, pace, cores, errors, limit);
            return new TrialOutcome(report.kind(), report.slices(), report.reason(), load, since(begin), cores);
        } catch (RunException | IOException e) {
            String reason = errors == null ? "" : lastLine(errors);
            return new TrialOutcome(
                    TrialOutcome.Kind.FAILED,
                    List.of(),
                    e.getMessage() + (reason.isEmpty() ? "" : "; " + reason),
                    load,
                    since(begin),
                    cores);
        } finally {
            busy.forEach(JavaProcess::close);
            if (errors != null) {
                errors.toFile().delete();
            }
        }
    }

    private static double since(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private static JavaProcess startBusy(int seconds) throws IOException {
        JavaProcess made = new JavaProcess(BusyProcess.class, List.of(String.valueOf(seconds)));
        // From its first line on it burns a core.
        String line = made.process().inputReader(StandardCharsets.UTF_8).readLine();
        if (!BusyProcess.READY.equals(line)) {
            made.close();
            throw new RunException("a busy process says '" + line + "'");
        }
        return made;
    }

    private static Report idle(Setting setting, Pace pace) {
        return Report.of(List.of(new Slice<>(Tag.UNPINNED, 0, 0, 0, IdleProcess.measure(setting.path(), pace))));
    }

    private static Report runEnds(Setting setting, Pace pace, CorePair cores, Path errors, double limit) {
        List<String> arguments = List.of(
                setting.threads() ? EndProcess.BOTH : EndProcess.NEAR,
                Json.line(setting),
                "--warmup",
                String.valueOf(pace.warmupSeconds()),
                "--seconds",
                String.valueOf(pace.seconds()),
                "--cores",
                cores.text());
        JavaProcess process = new JavaProcess(EndProcess.class, arguments, errors);
        boolean ended = false;
        try {
            Report report = process.result(Report.class, limit);
            ended = true;
            return report;
        } finally {
            List<ProcessHandle> children = process.process().descendants().toList();
            process.close();
            if (!ended) {
                Waits.end(process.process(), 5);
                Leftovers.delete(process.process().pid());
                children.forEach(child -> Leftovers.delete(child.pid()));
            }
        }
    }

    /** The last line of the error stream is an end's own word on its failure. */
    private static String lastLine(Path errors) {
        try {
            List<String> lines = Files.readAllLines(errors, StandardCharsets.UTF_8);
            for (int i = lines.size() - 1; i >= 0; i--) {
                if (!lines.get(i).isBlank()) {
                    return lines.get(i).strip();
                }
            }
        } catch (IOException e) {
            return "";
        }
        return "";
    }
}
