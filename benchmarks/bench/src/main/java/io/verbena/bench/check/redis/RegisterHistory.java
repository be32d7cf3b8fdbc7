package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What happened to one register, every value of which is written once, and whether some order of it all explains it.
 *
 * <p>The algorithm is Gibbons and Korach's for reads that name their writes ("Testing Shared Memories", SIAM Journal on
 * Computing 26, 1997), with exchanges added. A write and the reads of its value are a cluster; in any legal order a
 * cluster stands together, its write first. An exchange reads a value and writes the next with nothing in between, so
 * its cluster stands right behind the one that it read: such clusters are joined to a block with a fixed order inside.
 *
 * <p>Blocks follow one another. A must come before B if an operation of A ended before one of B began, that is if
 * {@code f(A) < g(B)}, where f is the earliest end and g the latest beginning of a block. Only if both must come before
 * the other is there no order: a longer circle always holds such a pair, since the block with the circle's smallest f
 * must come before all others of it, and the one before it in the circle must come before it. So looking at pairs is
 * enough, and together with the order inside each block it is sound and complete.
 *
 * <p>A write in doubt has no end; if nobody read its value it is left out, which is the order in which it comes last or
 * not at all. What an exchange in doubt has read is not known, so it counts as a write.
 */
final class RegisterHistory {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long BEFORE_ALL = Long.MIN_VALUE;
    private static final String NIL = "nil";

    /** An operation. */
    static final class Operation {
        private final String who;
        private final long begin;
        private final @Nullable String written;
        private @Nullable String read;
        private long end = NEVER;

        /**
         * Creates one under way.
         *
         * @param written what it writes, null for a read
         */
        Operation(String who, long begin, @Nullable String written) {
            this.who = who;
            this.begin = begin;
            this.written = written;
        }

        /** It is over; {@code value} is what it read, null for nothing there or a mere write, see {@code reads}. */
        void end(long at, boolean reads, @Nullable String value) {
            end = at;
            read = !reads ? null : value == null ? NIL : value;
        }

        @Override
        public String toString() {
            return who + (written == null ? "" : " wrote " + written) + (read == null ? "" : " read " + read) + " in ["
                    + begin + ", " + (end == NEVER ? "never" : end) + "]";
        }
    }

    /** A write and its reads; the initial value has no write. */
    private static final class Cluster {
        private @Nullable Operation write;
        private final List<Operation> reads = new ArrayList<>();
        private @Nullable Cluster next;
        private boolean behindAnother;
        private long firstEnd = NEVER;
        private long lastBegin = BEFORE_ALL;

        void add(Operation operation) {
            firstEnd = Math.min(firstEnd, operation.end);
            lastBegin = Math.max(lastBegin, operation.begin);
        }
    }

    /** Clusters in their order. */
    private record Block(Cluster first, long firstEnd, long lastBegin) {}

    private final List<Operation> operations = new ArrayList<>();

    void add(Operation operation) {
        operations.add(operation);
    }

    int size() {
        return operations.size();
    }

    /** Why there is no order, or null if there is one. */
    @Nullable
    String violation() {
        Map<String, Cluster> clusters = new LinkedHashMap<>();
        Cluster initial = new Cluster();
        initial.firstEnd = BEFORE_ALL;
        clusters.put(NIL, initial);
        for (Operation each : operations) {
            if (each.written != null) {
                Cluster cluster = new Cluster();
                cluster.write = each;
                cluster.add(each);
                clusters.put(each.written, cluster);
            }
        }
        for (Operation each : operations) {
            String wrong = each.read == null ? null : read(each, clusters);
            if (wrong != null) {
                return wrong;
            }
        }
        List<Block> blocks = new ArrayList<>();
        int joined = 0;
        for (Cluster cluster : clusters.values()) {
            if (cluster.behindAnother || isUnseen(cluster)) {
                continue;
            }
            String wrong = order(cluster, blocks);
            if (wrong != null) {
                return wrong;
            }
            for (Cluster each = cluster; each != null; each = each.next) {
                joined++;
            }
        }
        long unseen =
                clusters.values().stream().filter(RegisterHistory::isUnseen).count();
        if (joined + unseen < clusters.size()) {
            return "exchanges read one another's values in a circle";
        }
        return pairs(blocks);
    }

    private static boolean isUnseen(Cluster cluster) {
        return cluster.write != null && cluster.write.end == NEVER && cluster.reads.isEmpty() && cluster.next == null;
    }

    private static @Nullable String read(Operation operation, Map<String, Cluster> clusters) {
        Cluster source = clusters.get(operation.read);
        if (source == null) {
            return "nobody wrote what " + operation;
        }
        if (source.write != null && operation.end < source.write.begin) {
            return operation + ", before " + source.write;
        }
        if (operation.written == null) {
            source.reads.add(operation);
            source.add(operation);
            return null;
        }
        Cluster own = clusters.get(operation.written);
        if (own == null || own == source) {
            return "its own value is what " + operation;
        }
        if (source.next != null) {
            return "two exchanges took the same value: " + operation + ", and " + source.next.write;
        }
        source.next = own;
        own.behindAnother = true;
        return null;
    }

    private static @Nullable String order(Cluster first, List<Block> blocks) {
        long firstEnd = NEVER;
        long lastBegin = BEFORE_ALL;
        for (Cluster each = first; each != null; each = each.next) {
            if (each.firstEnd < lastBegin) {
                return "an exchange put " + each.write + " behind operations that began after it was read: "
                        + each.reads;
            }
            firstEnd = Math.min(firstEnd, each.firstEnd);
            lastBegin = Math.max(lastBegin, each.lastBegin);
        }
        blocks.add(new Block(first, firstEnd, lastBegin));
        return null;
    }

    private static @Nullable String pairs(List<Block> blocks) {
        for (int i = 0; i < blocks.size(); i++) {
            Block a = blocks.get(i);
            for (int j = i + 1; j < blocks.size(); j++) {
                Block b = blocks.get(j);
                if (a.firstEnd < b.lastBegin && b.firstEnd < a.lastBegin) {
                    return "each must come before the other: " + text(a) + "; and " + text(b);
                }
            }
        }
        return null;
    }

    private static String text(Block block) {
        StringBuilder text = new StringBuilder();
        Map<Cluster, Boolean> shown = new HashMap<>();
        for (Cluster each = block.first; each != null && shown.put(each, true) == null; each = each.next) {
            text.append(text.length() == 0 ? "" : ", then ")
                    .append(each.write == null ? "the initial value" : each.write)
                    .append(each.reads.isEmpty() ? "" : " and " + each.reads);
        }
        return text.toString();
    }
}
