package io.verbena.kv.store;

/**
 * The nodes that a {@link QuickList} is a chain of: their layout, how they are linked, and how they get room. A node
 * has up to 8 KiB, or one larger element.
 *
 * <pre>
 *   list                  node
 *    0 first node (8)      0 previous (8)
 *    8 last node (8)       8 next (8)
 *   16 elements (4)       16 elements (4)
 *   20 nodes (4)          20 start of the run (4)
 *                         24 end of the run (4), both counted from the node's address
 *                         28 bytes of the node (4)
 *                         32 {@link Packed} elements
 * </pre>
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class QuickListNodes {
    static final int FIRST = 0;
    static final int LAST = 8;
    static final int COUNT = 16;
    static final int NODES = 20;
    static final int LIST_LENGTH = 24;

    static final int PREVIOUS = 0;
    static final int NEXT = 8;
    static final int NODE_COUNT = 16;
    static final int START = 20;
    static final int END = 24;
    static final int SIZE = 28;
    static final int DATA = 32;

    /** Bytes of a full node. */
    static final int MAX_NODE = BlockClasses.MAX_SMALL;
    /** Bytes of the only node of a short list. */
    static final int MIN_NODE = 128;

    private final Memory memory;
    private final Allocator allocator;

    QuickListNodes(Memory memory, Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    private int run(long where) {
        return memory.getInt(where + END) - memory.getInt(where + START);
    }

    boolean fitsIn(long where, int needed) {
        return DATA + run(where) + needed <= MAX_NODE;
    }

    /** Makes a node behind another, or in front of all if that is {@link Memory#NULL}. */
    long insertNode(long list, long after, int needed) {
        boolean only = memory.getInt(list + NODES) == 0;
        int wanted = Math.max(DATA + needed, only ? MIN_NODE : MAX_NODE);
        long fresh = allocator.allocate(wanted);
        long next = after == Memory.NULL ? memory.getLong(list + FIRST) : memory.getLong(after + NEXT);
        memory.putLong(fresh + PREVIOUS, after);
        memory.putLong(fresh + NEXT, next);
        memory.putInt(fresh + NODE_COUNT, 0);
        memory.putInt(fresh + START, DATA);
        memory.putInt(fresh + END, DATA);
        memory.putInt(fresh + SIZE, allocator.usable(fresh));
        relink(list, fresh);
        memory.putInt(list + NODES, memory.getInt(list + NODES) + 1);
        return fresh;
    }

    /** Makes the neighbours of a node, or the list, point to it. */
    private void relink(long list, long where) {
        long previous = memory.getLong(where + PREVIOUS);
        long next = memory.getLong(where + NEXT);
        memory.putLong(previous == Memory.NULL ? list + FIRST : previous + NEXT, where);
        memory.putLong(next == Memory.NULL ? list + LAST : next + PREVIOUS, where);
    }

    void removeNode(long list, long where) {
        long previous = memory.getLong(where + PREVIOUS);
        long next = memory.getLong(where + NEXT);
        memory.putLong(previous == Memory.NULL ? list + FIRST : previous + NEXT, next);
        memory.putLong(next == Memory.NULL ? list + LAST : next + PREVIOUS, previous);
        memory.putInt(list + NODES, memory.getInt(list + NODES) - 1);
        allocator.free(where);
    }

    void addCount(long list, long where, int difference) {
        memory.putInt(list + COUNT, memory.getInt(list + COUNT) + difference);
        memory.putInt(where + NODE_COUNT, memory.getInt(where + NODE_COUNT) + difference);
    }

    /** Gives the run of a node room at one end, by moving it within its node or into a larger one; returns the node. */
    long makeRoom(long list, long where, int needed, boolean inFront) {
        int run = run(where);
        int size = memory.getInt(where + SIZE);
        long target = where;
        // Moving within the node is worth it if that leaves half of it free; so each byte is moved once on average.
        if (DATA + 2 * (run + needed) > size) {
            int wanted = Math.min(MAX_NODE, DATA + 2 * (run + needed));
            if (Allocator.rounded(wanted) > size) {
                target = allocator.allocate(wanted);
                memory.putLong(target + PREVIOUS, memory.getLong(where + PREVIOUS));
                memory.putLong(target + NEXT, memory.getLong(where + NEXT));
                memory.putInt(target + NODE_COUNT, memory.getInt(where + NODE_COUNT));
                memory.putInt(target + SIZE, allocator.usable(target));
            }
        }
        int start = inFront ? memory.getInt(target + SIZE) - run : DATA;
        memory.copy(where + memory.getInt(where + START), target + start, run);
        memory.putInt(target + START, start);
        memory.putInt(target + END, start + run);
        if (target != where) {
            relink(list, target);
            allocator.free(where);
        }
        return target;
    }
}
