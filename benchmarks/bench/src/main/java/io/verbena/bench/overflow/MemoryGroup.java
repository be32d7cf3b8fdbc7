package io.verbena.bench.overflow;

import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A memory cgroup of processes that this one starts. What they map, and the page cache of the files that they read,
 * count in it. It is removed with all that still runs in it when it is closed, or when this process is ended before.
 *
 * <p>With cgroups of version 1 it lies below this process' group, so that the limits of that hold, too. With version 2
 * a group that has processes passes no controller on: there it lies in the nearest group above that does.
 */
final class MemoryGroup implements AutoCloseable {
    private static final String PROCESSES = "cgroup.procs";
    private static final String PASSED_ON = "cgroup.subtree_control";
    private static final double NAP_SECONDS = 0.02;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int MIB = 1 << 20;

    private final Path directory;
    private final int version;
    private final AtEnd removal;
    private long limit = Long.MAX_VALUE;

    /**
     * Bytes.
     *
     * @param held memory that is not the page cache of files: it has to stay while the processes need it
     * @param cached page cache of files, mapped or not: the kernel takes it back at the limit
     */
    record Usage(long held, long cached) {}

    private MemoryGroup(Path directory, int version) {
        this.directory = directory;
        this.version = version;
        this.removal = new AtEnd(this::remove);
    }

    /**
     * Creates a group.
     *
     * @throws RunException that says what is missing, if this process may not
     */
    static MemoryGroup create(String name) {
        List<String> mounts = lines(Path.of("/proc/self/mountinfo"));
        List<String> groups = lines(Path.of("/proc/self/cgroup"));
        MemoryController controller = MemoryController.find(mounts, groups)
                .orElseThrow(() -> new RunException("no memory cgroup: /proc/self/mountinfo shows neither the memory"
                        + " controller of version 1 nor version 2 at the group of this process, " + groups));
        return create(controller, name);
    }

    static MemoryGroup create(MemoryController controller, String name) {
        Path parent = parent(controller);
        Path directory =
                parent.resolve("verbena-bench-" + ProcessHandle.current().pid() + "-" + name);
        try {
            Files.createDirectory(directory);
        } catch (IOException e) {
            throw new RunException(
                    "no right to make a memory cgroup in " + parent + " (" + e + "): run as root, or in a group that is"
                            + " delegated, such as by systemd-run --user --scope -p Delegate=yes",
                    e);
        }
        MemoryGroup group = new MemoryGroup(directory, controller.version());
        try {
            group.expectAdmission();
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
        return group;
    }

    /** The group in which new ones have the controller. */
    static Path parent(MemoryController controller) {
        if (controller.version() == 1) {
            return controller.group();
        }
        Path top = controller.mount();
        for (Path each = controller.group(); each != null && each.startsWith(top); each = each.getParent()) {
            Path passedOn = each.resolve(PASSED_ON);
            if (Files.exists(passedOn)
                    && List.of(String.join(" ", lines(passedOn)).split(" ")).contains("memory")) {
                return each;
            }
        }
        throw new RunException("no memory cgroup: " + PASSED_ON + " of no group from " + controller.group() + " up to "
                + top + " has 'memory'");
    }

    /** A command that enters the group, and executes in its own place the command that follows. */
    List<String> launcher() {
        return List.of(
                "/bin/sh",
                "-c",
                "echo $$ > \"$0\" && exec \"$@\"",
                directory.resolve(PROCESSES).toString());
    }

    private void expectAdmission() {
        List<String> command = new ArrayList<>(launcher());
        command.add("true");
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!Waits.end(process, 10) || process.exitValue() != 0) {
                throw new RunException("a process may not enter the memory cgroup " + directory + ": " + said);
            }
        } catch (IOException e) {
            throw new RunException("a process cannot enter the memory cgroup " + directory + ": " + e.getMessage(), e);
        }
    }

    /**
     * Limits the group, swap included, and waits until the kernel has taken page cache back for it.
     *
     * @param bytes at most from now on
     * @throws RunException if the group holds more than that
     */
    void limit(long bytes) {
        long held = usage().held();
        if (held > bytes) {
            throw new RunException(text(held) + " in " + directory + " cannot be limited to " + text(bytes));
        }
        if (version == 2) {
            write("memory.swap.max", 0);
            write("memory.max", bytes);
        } else if (bytes > limit) { // with swap it may not be less than without
            write("memory.memsw.limit_in_bytes", bytes);
            write("memory.limit_in_bytes", bytes);
        } else {
            write("memory.limit_in_bytes", bytes);
            write("memory.memsw.limit_in_bytes", bytes);
        }
        limit = bytes;
    }

    /** Writes a limit; none of swap where the kernel does not count it. */
    private void write(String name, long bytes) {
        Path file = directory.resolve(name);
        if (name.contains("sw") && !Files.exists(file)) {
            return;
        }
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                Files.writeString(file, Long.toString(bytes), StandardOpenOption.WRITE);
                return;
            } catch (IOException e) { // version 1 says that it is busy while pages are being written back
                if (System.nanoTime() - deadline > 0) {
                    throw new RunException(file + " cannot be " + bytes + ": " + e, e);
                }
                Waits.sleep(NAP_SECONDS);
            }
        }
    }

    /** What the group has now. */
    Usage usage() {
        long all = Long.parseLong(lines(directory.resolve(version == 1 ? "memory.usage_in_bytes" : "memory.current"))
                .get(0));
        Path statistics = directory.resolve("memory.stat");
        long cached = field(statistics, "active_file") + field(statistics, "inactive_file");
        return new Usage(Math.max(0, all - cached), cached);
    }

    /** Processes that the kernel has ended because the group was at its limit. */
    long kills() {
        return field(directory.resolve(version == 1 ? "memory.oom_control" : "memory.events"), "oom_kill");
    }

    private static long field(Path file, String name) {
        for (String line : lines(file)) {
            if (line.startsWith(name + " ")) {
                return Long.parseLong(line.substring(name.length() + 1));
            }
        }
        throw new RunException(file + " has no '" + name + "'");
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new RunException("cannot read " + file + ": " + e, e);
        }
    }

    /** Megabytes of 1024 * 1024 bytes. */
    static String text(long bytes) {
        return (bytes + MIB / 2) / MIB + " MiB";
    }

    /** A group can be removed when the last of its processes is gone, which takes a moment. */
    private void remove() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                for (String pid : Files.readAllLines(directory.resolve(PROCESSES))) {
                    ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
                }
                Files.delete(directory);
                return;
            } catch (NoSuchFileException e) {
                return;
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw new RunException("the memory cgroup " + directory + " stays: " + e, e);
                }
                Waits.sleep(NAP_SECONDS);
            }
        }
    }

    @Override
    public void close() {
        removal.close();
    }
}
