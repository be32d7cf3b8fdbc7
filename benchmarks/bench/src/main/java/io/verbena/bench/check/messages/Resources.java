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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/** What this process holds at a moment, from {@code /proc/self}, the JVM and Netty. */
final class Resources {
    private static final Path SELF = Path.of("/proc/self");
    private static final long KIB = 1024;
    private static final Pattern ADDRESS = Pattern.compile("0x([0-9a-f]{16})");
    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-[0-9a-f]+ [-r][-w][-x][-sp] ");

    /**
     * What may grow, and by how much beyond a twentieth before it counts: what comes and goes is not there at each
     * look.
     */
    enum Kind {
        /**
         * Memory outside of the heap that is resident, but for what the C library keeps of what was freed, in bytes.
         */
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
            made.values.put(Kind.RESIDENT, residentOutside(heapRange()));
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
     * Lets the C library give freed memory back to the system. Its arenas, one for each few threads, keep what was
     * freed in them and may not use it for another thread's: what a process has resident then tells of its past.
     */
    private static void trim() {
        diagnose("systemTrimNativeHeap", "jcmd System.trim_native_heap", (Object) new String[0]);
    }

    /** Where the heap's addresses begin and end; how much of that is resident is the collector's choice. */
    private static long[] heapRange() {
        String text = String.valueOf(diagnose("gcHeapInfo", "jcmd GC.heap_info"));
        long[] range = {Long.MAX_VALUE, 0};
        ADDRESS.matcher(text).results().forEach(found -> {
            long address = Long.parseUnsignedLong(found.group(1), 16);
            range[0] = Math.min(range[0], address);
            range[1] = Math.max(range[1], address);
        });
        if (range[1] == 0) {
            throw new IllegalStateException("this JVM does not say where its heap is, so that what is resident "
                    + "says nothing; take the collector G1,"
                    + " Parallel or Serial");
        }
        return range;
    }

    /** Bytes that are resident, but for those of mappings that begin in a range of addresses. */
    private static long residentOutside(long[] range) throws IOException {
        long bytes = 0;
        boolean counts = true;
        for (String line : Files.readAllLines(SELF.resolve("smaps"))) {
            Matcher mapping = MAPPING.matcher(line);
            if (mapping.lookingAt()) {
                long from = Long.parseUnsignedLong(mapping.group(1), 16);
                counts = from < range[0] || from >= range[1];
            } else if (counts && line.startsWith("Rss:")) {
                bytes += number(line, "Rss:") * KIB;
            }
        }
        return bytes;
    }

    private static Object diagnose(String operation, String command, Object... arguments) {
        String[] signature = arguments.length == 0 ? new String[0] : new String[] {String[].class.getName()};
        try {
            return ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            operation,
                            arguments,
                            signature);
        } catch (JMException e) {
            throw new IllegalStateException(
                    "this JVM does not know " + command
                            + ", so that what is resident says nothing; take a later one, on" + " Linux with glibc",
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
                return number(line, field);
            }
        }
        throw new IOException("no " + field + " in /proc/self/status");
    }

    private static long number(String line, String field) {
        return Long.parseLong(line.substring(field.length()).replace("kB", "").trim());
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
