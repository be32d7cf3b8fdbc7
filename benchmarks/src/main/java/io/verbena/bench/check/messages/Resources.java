package io.verbena.bench.check.messages;

import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What this process holds at a moment, from {@code /proc/self}, the JVM and Netty. */
final class Resources {
    private static final Path SELF = Path.of("/proc/self");
    private static final Path SHARED = Path.of("/dev/shm");
    private static final long KIB = 1024;

    /** What may grow, and by how much beyond a twentieth before it counts: what comes and goes is not there at each look. */
    enum Kind {
        /** Memory that is resident, in bytes. */
        RESIDENT("resident MB", 64 << 20, 1 << 20),
        /** The heap's objects after a collection, in bytes. */
        HEAP("heap MB", 16 << 20, 1 << 20),
        /** Direct and mapped buffers of the JVM and Netty's pools, in bytes. */
        DIRECT("direct MB", 32 << 20, 1 << 20),
        /** Mappings. */
        MAPS("maps", 64, 1),
        /** Of them, those of files that are deleted. */
        DELETED("deleted maps", 16, 1),
        /** Files in /dev/shm. */
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
    }

    private final Map<Kind, Long> values = new EnumMap<>(Kind.class);

    private Resources() {}

    /** Looks, after a collection of garbage. */
    static Resources now() {
        System.gc();
        Resources made = new Resources();
        try {
            List<String> maps = Files.readAllLines(SELF.resolve("maps"));
            made.values.put(Kind.RESIDENT, status("VmRSS:") * KIB);
            made.values.put(Kind.THREADS, status("Threads:"));
            made.values.put(Kind.MAPS, (long) maps.size());
            made.values.put(
                    Kind.DELETED,
                    maps.stream().filter(line -> line.endsWith("(deleted)")).count());
            made.values.put(Kind.DESCRIPTORS, files(SELF.resolve("fd"), 1));
            made.values.put(Kind.SHARED_FILES, files(SHARED, Integer.MAX_VALUE));
        } catch (IOException e) {
            throw new IllegalStateException("no look at /proc/self: " + e.getMessage(), e);
        }
        Runtime runtime = Runtime.getRuntime();
        made.values.put(Kind.HEAP, runtime.totalMemory() - runtime.freeMemory());
        long direct = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getMemoryUsed();
        }
        made.values.put(Kind.DIRECT, direct);
        return made;
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
