package io.verbena.bench.trial;

import io.verbena.bench.scale.IdleNode;
import io.verbena.verification.RunException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@link Measure#IDLE}: what a process takes that does nothing. */
public final class IdleProcess {
    /** A node that listens. */
    public static final String NODE = "idle-node";

    /** A JVM without one. */
    public static final String EMPTY = "empty-jvm";

    /** Processor time is counted in hundredths of a second: shorter would not see one percent. */
    private static final long LEAST_SECONDS = 2;

    private IdleProcess() {}

    static Optional<String> whyNot(String name) {
        if (!name.equals(NODE) && !name.equals(EMPTY)) {
            return Optional.of("no idle process '" + name + "'");
        }
        return Files.isReadable(Path.of("/proc/self/smaps_rollup"))
                ? Optional.empty()
                : Optional.of("this system has no /proc/<pid>/smaps_rollup");
    }

    static Figures measure(String name, Pace pace) {
        long seconds = Math.max(LEAST_SECONDS, Math.round(2 * pace.seconds()));
        IdleNode.Taken taken;
        switch (name) {
            case NODE:
                taken = IdleNode.ofNode(seconds);
                break;
            case EMPTY:
                taken = IdleNode.ofEmpty(seconds);
                break;
            default:
                throw new RunException("no idle process '" + name + "'");
        }
        Map<Figure, Double> values = new EnumMap<>(Figure.class);
        values.put(Figure.PROCESSOR, taken.processorShare());
        values.put(Figure.MEMORY, (double) taken.residentBytes());
        return new Figures(values, List.of(), 0);
    }
}
