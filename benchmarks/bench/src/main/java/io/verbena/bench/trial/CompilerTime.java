package io.verbena.bench.trial;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the threads of the JIT compiler C2 have run in some JVMs, as Linux counts it; 0 elsewhere. The JVM ends such
 * threads and starts new ones, so what each has had is kept. For one thread.
 */
final class CompilerTime {
    private static final String C2 = "C2 CompilerThre"; // 15 characters are what the kernel keeps of a name

    private final List<Path> processes = new ArrayList<>();
    private final Map<Path, Long> nanos = new HashMap<>();

    /** Of the JVMs with these process ids. */
    CompilerTime(long... pids) {
        for (long pid : pids) {
            processes.add(Path.of("/proc", String.valueOf(pid), "task"));
        }
    }

    CompilerTime(Path tasks) {
        processes.add(tasks);
    }

    /** Nanoseconds so far, of all. */
    long nanos() {
        processes.forEach(this::look);
        return nanos.values().stream().mapToLong(Long::longValue).sum();
    }

    private void look(Path tasks) {
        if (!Files.isDirectory(tasks)) {
            return;
        }
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                lookAt(thread);
            }
        } catch (IOException e) {
            return; // the process has ended, which others say
        }
    }

    private void lookAt(Path thread) {
        try {
            if (text(thread, "comm").startsWith(C2)) {
                nanos.put(thread, Long.parseLong(text(thread, "schedstat").split(" ", -1)[0]));
            }
        } catch (IOException e) {
            return; // the thread has ended
        }
    }

    private static String text(Path thread, String file) throws IOException {
        return Files.readString(thread.resolve(file), StandardCharsets.UTF_8).strip();
    }
}
