package io.verbena.bench.check.messages;

import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/** What this process holds at a moment, from {@code /proc/self}, the JVM and Netty. */
final class Resources {
    private static final Path SELF = Path.of("/proc/self");
    private static final long KIB = 1024;

    /** What may grow, and by how much beyond a twentieth before it counts: what comes and goes is not there at each look. */
    enum Kind {
        /** Memory outside of the heap that is resident, but for what the C library keeps of what was freed, in bytes. */
        RESIDENT("native MB", 64 << 20, 1 << 20),
        /** The heap's objects as the last collection has left them, in bytes. */
        HEAP("heap MB", 16 << 20, 1 << 20),
        /** Direct and mapped buffers of the JVM and Netty's pools, in bytes. */
        DIRECT("direct MB", 32 << 20, 1 << 20),
        /** Mappings. */
        MAPS("maps", 64, 1),
        /** Of them, those of files that are deleted. */
        DELETED("deleted maps", 16, 1),
        /** Files of the run in shared memory. */
        SHARED_FILES("shm files", 32, 1),
        /** Open descriptors. */
        DESCRIPTORS("descriptors", 32, 1),
        /** Threads. */
        THREADS("threads", 8, 1);

        private final String title;
        private final long slack;
        private final long unit;

        Kind(String title, long slack, long unit) {
            this.title = title;
            this.slack = slack;
            this.unit = unit;
        }

        /** In a table's head. */
        String title() {
            return title;
        }

        /** In what the table counts. */
        long units(long value) {
            return value / unit;
        }

        /** Whether a value is more than an earlier one was. */
        boolean hasGrown(long before, long now) {
            return now > before + before / 20 + slack;
        }

        /** As {@link #hasGrown}, for values over so long that what comes and goes does not count. */
        boolean hasGrownSlowly(long before, long now) {
            return now > before + before / 50 + slack / 8;
        }
    }

    private final Map<Kind, Long> values = new EnumMap<>(Kind.class);

    private Resources() {}

    /** A look at what somebody else has seen. */
    Resources(Map<Kind, Long> seen) {
        values.putAll(seen);
    }

    /**
     * Looks, after a collection of garbage on the heap, and of what was freed outside of it.
     *
     * @param shared directory of the run's shared memory
     */
    static Resources now(Path shared) {
        System.gc();
        trim();
        Resources made = new Resources();
        try {
            List<String> maps = Files.readAllLines(SELF.resolve("maps"));
            long heap = Runtime.getRuntime().totalMemory(); // as large as the collector likes
            made.values.put(Kind.RESIDENT, Math.max(0, status("VmRSS:") * KIB - heap));
            made.values.put(Kind.THREADS, status("Threads:"));
            made.values.put(Kind.MAPS, (long) maps.size());
            made.values.put(
                    Kind.DELETED,
                    maps.stream().filter(line -> line.endsWith("(deleted)")).count());
            made.values.put(Kind.DESCRIPTORS, files(SELF.resolve("fd"), 1));
            made.values.put(Kind.SHARED_FILES, files(shared, Integer.MAX_VALUE));
        } catch (IOException e) {
            throw new IllegalStateException("no look at /proc/self: " + e.getMessage(), e);
        }
        made.values.put(Kind.HEAP, heap());
        long direct = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getMemoryUsed();
        }
        made.values.put(Kind.DIRECT, direct);
        return made;
    }

    /**
     * Lets the C library give freed memory back to the system. Its arenas, one for each few threads, keep what was freed in them and may
     * not use it for another thread's: what a process has resident then tells of its past.
     */
    private static void trim() {
        try {
            ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "systemTrimNativeHeap",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException(
                    "this JVM cannot trim the C library's memory (jcmd System.trim_native_heap), so that what is resident says"
                            + " nothing; take a later one, on Linux with glibc",
                    e);
        }
    }

    /** Allocations since the collection do not count. */
    private static long heap() {
        long bytes = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage left = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
            bytes += left == null ? 0 : left.getUsed();
        }
        return bytes;
    }

    private static long status(String field) throws IOException {
        for (String line : Files.readAllLines(SELF.resolve("status"))) {
            if (line.startsWith(field)) {
                return Long.parseLong(
                        line.substring(field.length()).replace("kB", "").trim());
            }
        }
        throw new IOException("no " + field + " in /proc/self/status");
    }

    private static long files(Path folder, int depth) throws IOException {
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> each = Files.walk(folder, depth)) {
            return each.count() - 1;
        } catch (UncheckedIOException e) { // one went while it was looked at
            return files(folder, 1);
        }
    }

    /** Of a kind. */
    long of(Kind kind) {
        return values.getOrDefault(kind, 0L);
    }

    /** The lesser of each kind. */
    Resources least(Resources other) {
        return join(other, true);
    }

    /** The greater of each kind. */
    Resources most(Resources other) {
        return join(other, false);
    }

    private Resources join(Resources other, boolean less) {
        Resources made = new Resources();
        Arrays.stream(Kind.values())
                .forEach(kind -> made.values.put(
                        kind, less ? Math.min(of(kind), other.of(kind)) : Math.max(of(kind), other.of(kind))));
        return made;
    }
}
