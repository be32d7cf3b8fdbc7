package io.verbena.bench.cores;

import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The cores that this process may use, and threads pinned to one of them, by util-linux's {@code taskset}. Linux only.
 */
public final class Cores {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path THREAD = Path.of("/proc/thread-self");
    private static final String FIELD = "Cpus_allowed_list:";
    private static final int SECONDS = 10;

    private Cores() {}

    /** The cores that a measurement may be pinned to, ascending; empty if {@link #whyNot} says why not. */
    public static List<Integer> pinnable() {
        return whyNot().isEmpty() ? allowed() : List.of();
    }

    /** Why two threads cannot be pinned to two cores here, if so. Tries it. */
    public static Optional<String> whyNot() {
        List<Integer> cores = allowed();
        if (cores.isEmpty()) {
            return Optional.of("this system has no " + STATUS + " with " + FIELD);
        }
        if (cores.size() < 2) {
            return Optional.of("there is one core");
        }
        AtomicReference<@Nullable String> reason = new AtomicReference<>();
        Thread trial = new Thread(
                () -> {
                    try {
                        pin(cores.get(0));
                    } catch (RunException e) {
                        reason.set(e.getMessage());
                    }
                },
                "pin-trial");
        trial.start();
        try {
            trial.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
        return Optional.ofNullable(reason.get());
    }

    private static List<Integer> allowed() {
        if (!Files.isReadable(STATUS)) {
            return List.of();
        }
        try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.UTF_8)) {
                if (line.startsWith(FIELD)) {
                    return parse(line.substring(FIELD.length()).strip());
                }
            }
        } catch (IOException e) {
            return List.of();
        }
        return List.of();
    }

    /** The cores of a list as the kernel writes it: {@code 0-2,5}. */
    static List<Integer> parse(String list) {
        List<Integer> cores = new ArrayList<>();
        for (String range : list.split(",", -1)) {
            String[] ends = range.strip().split("-", -1);
            try {
                int last = Integer.parseInt(ends[ends.length - 1]);
                for (int core = Integer.parseInt(ends[0]); core <= last; core++) {
                    cores.add(core);
                }
            } catch (NumberFormatException e) {
                throw new RunException("'" + list + "' is no list of cores", e);
            }
        }
        return cores;
    }

    /**
     * Pins the calling thread. Threads and processes that it starts from now on are pinned too.
     *
     * @throws RunException if that is not possible
     */
    static void pin(int core) {
        try {
            String thread = Files.readSymbolicLink(THREAD).getFileName().toString();
            Process taskset = new ProcessBuilder("taskset", "-pc", String.valueOf(core), thread)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!taskset.waitFor(SECONDS, TimeUnit.SECONDS) || taskset.exitValue() != 0) {
                throw new RunException("cannot pin a thread to core " + core + ": " + said);
            }
        } catch (IOException e) {
            throw new RunException("cannot pin a thread to core " + core + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }
}
