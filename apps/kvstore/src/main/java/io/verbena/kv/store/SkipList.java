package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The order of a sorted set: a skip list (Pugh, 1990) by score, then by the bytes of the member, in which each link
 * knows how many elements it spans, so that ranks take O(log n). Members lie in the entries of the set's dictionary,
 * whose values are the nodes.
 *
 * <pre>
 *   list                   node
 *    0 dictionary (8)       0 entry (8)
 *    8 head node (8)        8 score (8)
 *   16 last node (8)       16 previous node (8)
 *   24 elements (4)        24 levels (4)
 *   28 levels in use (4)   32 a level: next node (8), elements spanned (8)
 * </pre>
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class SkipList {
    private static final int DICTIONARY = 0;
    private static final int HEAD = 8;
    private static final int LAST = 16;
    private static final int COUNT = 24;
    private static final int LEVELS_IN_USE = 28;
    private static final int LIST_LENGTH = 32;

    private static final int ENTRY = 0;
    private static final int SCORE = 8;
    private static final int PREVIOUS = 16;
    private static final int LEVELS = 24;
    private static final int LINKS = 32;
    private static final int LINK_SHIFT = 4;
    private static final int SPAN = 8;

    private static final int MAX_LEVELS = 32;
    /** A node has one more level with probability 1/4. */
    private static final int LEVEL_MASK = 3;

    private final Memory memory;
    private final Allocator allocator;
    private final Dictionary dictionary;
    private final SplittableRandom random;
    private final long[] path = new long[MAX_LEVELS];
    private final long[] rankAt = new long[MAX_LEVELS];

    SkipList(Memory memory, Allocator allocator, Dictionary dictionary, SplittableRandom random) {
        this.memory = memory;
        this.allocator = allocator;
        this.dictionary = dictionary;
        this.random = random;
    }

    /** Makes an empty list with a dictionary for so many members. */
    long create(int members) {
        long list = allocator.allocate(LIST_LENGTH);
        memory.clear(list, LIST_LENGTH);
        try {
            memory.putLong(list + HEAD, newNode(MAX_LEVELS));
            memory.putLong(list + DICTIONARY, dictionary.create(members));
        } catch (AllocationFailedException failure) {
            allocator.free(memory.getLong(list + HEAD));
            allocator.free(list);
            throw failure;
        }
        memory.putInt(list + LEVELS_IN_USE, 1);
        return list;
    }

    private long newNode(int levels) {
        int length = LINKS + (levels << LINK_SHIFT);
        long node = allocator.allocate(length);
        memory.clear(node, length);
        memory.putInt(node + LEVELS, levels);
        return node;
    }

    long dictionary(long list) {
        return memory.getLong(list + DICTIONARY);
    }

    int size(long list) {
        return memory.getInt(list + COUNT);
    }

    long entry(long node) {
        return memory.getLong(node + ENTRY);
    }

    double score(long node) {
        return memory.getDouble(node + SCORE);
    }

    long first(long list) {
        return next(memory.getLong(list + HEAD), 0);
    }

    long next(long node) {
        return next(node, 0);
    }

    long previous(long node) {
        return memory.getLong(node + PREVIOUS);
    }

    private long next(long node, int level) {
        return memory.getLong(node + LINKS + ((long) level << LINK_SHIFT));
    }

    private void next(long node, int level, long to) {
        memory.putLong(node + LINKS + ((long) level << LINK_SHIFT), to);
    }

    private long span(long node, int level) {
        return memory.getLong(node + LINKS + SPAN + ((long) level << LINK_SHIFT));
    }

    private void span(long node, int level, long elements) {
        memory.putLong(node + LINKS + SPAN + ((long) level << LINK_SHIFT), elements);
    }

    /** Order of a node relative to a score and member. */
    private int compare(long node, double score, UnsafeBuffer member, int offset, int length) {
        double nodeScore = score(node);
        if (nodeScore != score) {
            return nodeScore < score ? -1 : 1;
        }
        return compareMember(node, member, offset, length);
    }

    private int compareMember(long node, UnsafeBuffer member, int offset, int length) {
        long entry = entry(node);
        long key = dictionary.keyAddress(entry);
        return Bytes.compare(
                memory.buffer(key), Memory.offset(key), dictionary.keyLength(entry), member, offset, length);
    }

    /** Adds a member that is not there. */
    void insert(long list, double score, UnsafeBuffer member, int offset, int length) {
        int levels = 1;
        while (levels < MAX_LEVELS && (random.nextInt() & LEVEL_MASK) == 0) {
            levels++;
        }
        long node = newNode(levels);
        long entry;
        try {
            entry = dictionary.insert(
                    dictionary(list), member, offset, length, dictionary.hash(member, offset, length));
        } catch (AllocationFailedException failure) {
            allocator.free(node);
            throw failure;
        }
        dictionary.value(entry, node);
        memory.putLong(node + ENTRY, entry);
        memory.putDouble(node + SCORE, score);
        link(list, node);
    }

    private void link(long list, long node) {
        long entry = entry(node);
        long key = dictionary.keyAddress(entry);
        findPath(list, score(node), memory.buffer(key), Memory.offset(key), dictionary.keyLength(entry));
        int levels = memory.getInt(node + LEVELS);
        long head = memory.getLong(list + HEAD);
        for (int level = memory.getInt(list + LEVELS_IN_USE); level < levels; level++) {
            path[level] = head;
            rankAt[level] = 0;
            span(head, level, size(list));
            memory.putInt(list + LEVELS_IN_USE, level + 1);
        }
        for (int level = 0; level < levels; level++) {
            long before = path[level];
            next(node, level, next(before, level));
            next(before, level, node);
            long passed = rankAt[0] - rankAt[level];
            span(node, level, span(before, level) - passed);
            span(before, level, passed + 1);
        }
        for (int level = levels; level < memory.getInt(list + LEVELS_IN_USE); level++) {
            span(path[level], level, span(path[level], level) + 1);
        }
        memory.putLong(node + PREVIOUS, path[0] == head ? Memory.NULL : path[0]);
        long behind = next(node, 0);
        memory.putLong(behind == Memory.NULL ? list + LAST : behind + PREVIOUS, node);
        memory.putInt(list + COUNT, size(list) + 1);
    }

    /** Finds for each level the last node before a score and member, and its rank, the first element having rank 1. */
    private void findPath(long list, double score, UnsafeBuffer member, int offset, int length) {
        long node = memory.getLong(list + HEAD);
        long rank = 0;
        for (int level = memory.getInt(list + LEVELS_IN_USE) - 1; level >= 0; level--) {
            long following = next(node, level);
            while (following != Memory.NULL && compare(following, score, member, offset, length) < 0) {
                rank += span(node, level);
                node = following;
                following = next(node, level);
            }
            path[level] = node;
            rankAt[level] = rank;
        }
    }

    private void unlink(long list, long node) {
        long entry = entry(node);
        long key = dictionary.keyAddress(entry);
        findPath(list, score(node), memory.buffer(key), Memory.offset(key), dictionary.keyLength(entry));
        int inUse = memory.getInt(list + LEVELS_IN_USE);
        for (int level = 0; level < inUse; level++) {
            long before = path[level];
            if (next(before, level) == node) {
                span(before, level, span(before, level) + span(node, level) - 1);
                next(before, level, next(node, level));
            } else {
                span(before, level, span(before, level) - 1);
            }
        }
        long behind = next(node, 0);
        memory.putLong(behind == Memory.NULL ? list + LAST : behind + PREVIOUS, previous(node));
        long head = memory.getLong(list + HEAD);
        int levels = inUse;
        while (levels > 1 && next(head, levels - 1) == Memory.NULL) {
            levels--;
        }
        memory.putInt(list + LEVELS_IN_USE, levels);
        memory.putInt(list + COUNT, size(list) - 1);
    }

    /** Removes a node with its member. */
    void remove(long list, long node) {
        unlink(list, node);
        long entry = entry(node);
        dictionary.unlink(dictionary(list), entry);
        dictionary.freeEntry(entry);
        allocator.free(node);
    }

    /** Gives a node another score. */
    void update(long list, long node, double score) {
        long before = previous(node);
        long behind = next(node);
        // Strictly between its neighbours it stays where it is.
        if ((before == Memory.NULL || score(before) < score) && (behind == Memory.NULL || score(behind) > score)) {
            memory.putDouble(node + SCORE, score);
            return;
        }
        unlink(list, node);
        memory.putDouble(node + SCORE, score);
        link(list, node);
    }

    /** Rank of a node, the first being 0. */
    int rank(long list, long node) {
        long entry = entry(node);
        long key = dictionary.keyAddress(entry);
        findPath(list, score(node), memory.buffer(key), Memory.offset(key), dictionary.keyLength(entry));
        return (int) rankAt[0];
    }

    /** The node of a rank, the first being 0; it must exist. */
    long byRank(long list, int rank) {
        long node = memory.getLong(list + HEAD);
        long passed = 0;
        long wanted = rank + 1L;
        for (int level = memory.getInt(list + LEVELS_IN_USE) - 1; level >= 0; level--) {
            while (next(node, level) != Memory.NULL && passed + span(node, level) <= wanted) {
                passed += span(node, level);
                node = next(node, level);
            }
            if (passed == wanted) {
                break;
            }
        }
        return node;
    }

    /** Number of elements whose score is less than one, or not more. */
    int countBelow(long list, double score, boolean orEqual) {
        long node = memory.getLong(list + HEAD);
        long rank = 0;
        for (int level = memory.getInt(list + LEVELS_IN_USE) - 1; level >= 0; level--) {
            long following = next(node, level);
            while (following != Memory.NULL && (orEqual ? score(following) <= score : score(following) < score)) {
                rank += span(node, level);
                node = following;
                following = next(node, level);
            }
        }
        return (int) rank;
    }

    /** Number of elements whose member is less than some bytes, or not more; all scores must be the same. */
    int countBelow(long list, UnsafeBuffer member, int offset, int length, boolean orEqual) {
        long node = memory.getLong(list + HEAD);
        long rank = 0;
        int bound = orEqual ? 1 : 0;
        for (int level = memory.getInt(list + LEVELS_IN_USE) - 1; level >= 0; level--) {
            long following = next(node, level);
            while (following != Memory.NULL
                    && Integer.signum(compareMember(following, member, offset, length)) < bound) {
                rank += span(node, level);
                node = following;
                following = next(node, level);
            }
        }
        return (int) rank;
    }

    /** Frees one node and its member; returns how far that has come, see {@link Values#freePart}. */
    long freePart(long list, long progress) {
        long node = progress == 0 ? first(list) : progress;
        if (node != Memory.NULL) {
            long following = next(node);
            dictionary.freeEntry(entry(node));
            allocator.free(node);
            if (following != Memory.NULL) {
                return following;
            }
        }
        dictionary.destroy(dictionary(list));
        allocator.free(memory.getLong(list + HEAD));
        allocator.free(list);
        return Values.FREED;
    }

    long fixedFootprint(long list) {
        return allocator.usable(list)
                + allocator.usable(memory.getLong(list + HEAD))
                + dictionary.tableFootprint(dictionary(list));
    }

    int elementFootprint(long node) {
        return allocator.usable(node) + dictionary.entryFootprint(entry(node));
    }
}
