package io.verbena.bench.overflow;

import io.verbena.bench.trial.JavaProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An {@link OverflowServer} in a process of its own, which has a memory cgroup of its own if that is asked for. */
final class LimitedServer implements AutoCloseable {
    private static final int MIB = 1 << 20;
    private static final long MIN_HEAP = 64L * MIB;
    private static final long HEAP_PART = 128; // of the data: PagedMemory takes 4.25 MiB for each GiB of it
    private static final long DIRECT = 1024L * MIB; // beside the data
    private static final long GROWTH = 256L * MIB; // of a JVM that has no pages of files which could make room for it

    private final @Nullable MemoryGroup group;
    private final JavaProcess process;
    private final long room;

    /**
     * What all servers have the same.
     *
     * @param data bytes of all values
     * @param memory bytes of it that a server may have in memory
     * @param limited whether each has a memory cgroup
     */
    record Sizes(long data, long memory, boolean limited) {}

    private LimitedServer(String name, Sizes sizes, List<String> options, List<String> arguments, long room) {
        this.room = room;
        List<String> all = new ArrayList<>(jvmOptions(sizes.data));
        all.addAll(options);
        MemoryGroup made = sizes.limited ? MemoryGroup.create(name) : null;
        try {
            process = new JavaProcess(made == null ? List.of() : made.launcher(), all, OverflowServer.class, arguments);
        } catch (RuntimeException e) {
            if (made != null) {
                made.close();
            }
            throw e;
        }
        group = made;
    }

    /** Starts one that moves what is beyond its memory to donors. */
    static LimitedServer overflowing(String name, Sizes sizes, long frames, long far, List<String> donors) {
        List<String> arguments = new ArrayList<>(
                List.of(Long.toString(sizes.memory - frames), Long.toString(frames), Long.toString(far)));
        arguments.addAll(donors);
        return new LimitedServer(name, sizes, List.of(), arguments, GROWTH);
    }

    /** Starts one that evicts what is beyond its memory. */
    static LimitedServer evicting(String name, Sizes sizes) {
        return new LimitedServer(name, sizes, List.of(), List.of(Long.toString(sizes.memory), "0", "0"), GROWTH);
    }

    /** Starts one all of whose memory is a mapping of a file, of which the kernel keeps as much as it may. */
    static LimitedServer mapping(String name, Sizes sizes, Path file) {
        List<String> arguments = new ArrayList<>(List.of("--mapped=" + file, "0", "0", "0"));
        if (!MappingAdvice.isAvailable()) {
            return new LimitedServer(name, sizes, List.of(), arguments, sizes.memory);
        }
        arguments.add(0, "--random");
        return new LimitedServer(name, sizes, MappingAdvice.jvmOptions(), arguments, sizes.memory);
    }

    /** The heap has its length from the start: what a JVM holds beside the data changes as little as can be. */
    private static List<String> jvmOptions(long data) {
        long heap = MIN_HEAP + data / HEAP_PART / MIB * MIB;
        return List.of(
                "-Xms" + heap, "-Xmx" + heap, "-XX:+AlwaysPreTouch", "-XX:MaxDirectMemorySize=" + (2 * data + DIRECT));
    }

    JavaProcess process() {
        return process;
    }

    /** Limits the memory to what is held now, and room for the pages of a file or for growth. */
    void limit() {
        group().limit(group().usage().held() + room);
    }

    /** What is held and cached. */
    MemoryGroup.Usage usage() {
        return group().usage();
    }

    /** Whether it was ended because it needed more than its limit. */
    boolean wasKilled() {
        return group != null && group.kills() > 0;
    }

    private MemoryGroup group() {
        if (group == null) {
            throw new IllegalStateException("the server has no memory cgroup");
        }
        return group;
    }

    @Override
    public void close() {
        process.close();
        if (group != null) {
            group.close();
        }
    }
}
