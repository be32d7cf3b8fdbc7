package io.verbena.kv.store;

import static io.verbena.kv.store.QuickListNodes.COUNT;
import static io.verbena.kv.store.QuickListNodes.DATA;
import static io.verbena.kv.store.QuickListNodes.END;
import static io.verbena.kv.store.QuickListNodes.FIRST;
import static io.verbena.kv.store.QuickListNodes.LAST;
import static io.verbena.kv.store.QuickListNodes.LIST_LENGTH;
import static io.verbena.kv.store.QuickListNodes.NEXT;
import static io.verbena.kv.store.QuickListNodes.NODES;
import static io.verbena.kv.store.QuickListNodes.NODE_COUNT;
import static io.verbena.kv.store.QuickListNodes.PREVIOUS;
import static io.verbena.kv.store.QuickListNodes.SIZE;
import static io.verbena.kv.store.QuickListNodes.START;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Lists: a chain of nodes, each a run of packed elements with room at either end, so that a push or pop at either end
 * moves nothing. See {@link QuickListNodes} for the
 * layout.
 *
 * <p>This object also holds one position, which the seeks set and the walks move. Single-threaded, as the shard that
 * owns it.
 */
final class QuickList {
    private final Memory memory;
    private final Allocator allocator;
    private final QuickListNodes nodes;

    private long node;
    private int at;

    QuickList(Memory memory, Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
        nodes = new QuickListNodes(memory, allocator);
    }

    long create() {
        long list = allocator.allocate(LIST_LENGTH);
        memory.clear(list, LIST_LENGTH);
        return list;
    }

    int size(long list) {
        return memory.getInt(list + COUNT);
    }

    int nodes(long list) {
        return memory.getInt(list + NODES);
    }

    void pushFirst(long list, UnsafeBuffer source, int offset, int length) {
        int needed = Packed.size(length);
        long first = memory.getLong(list + FIRST);
        if (first == Memory.NULL || !nodes.fitsIn(first, needed)) {
            first = nodes.insertNode(list, Memory.NULL, needed);
            int end = memory.getInt(first + SIZE);
            memory.putInt(first + START, end);
            memory.putInt(first + END, end);
        } else if (memory.getInt(first + START) - needed < DATA) {
            first = nodes.makeRoom(list, first, needed, true);
        }
        int start = memory.getInt(first + START) - needed;
        Packed.write(memory.buffer(first), Memory.offset(first) + start, source, offset, length);
        memory.putInt(first + START, start);
        nodes.addCount(list, first, 1);
    }

    void pushLast(long list, UnsafeBuffer source, int offset, int length) {
        int needed = Packed.size(length);
        long last = memory.getLong(list + LAST);
        if (last == Memory.NULL || !nodes.fitsIn(last, needed)) {
            last = nodes.insertNode(list, last, needed);
        } else if (memory.getInt(last + END) + needed > memory.getInt(last + SIZE)) {
            last = nodes.makeRoom(list, last, needed, false);
        }
        int end = memory.getInt(last + END);
        Packed.write(memory.buffer(last), Memory.offset(last) + end, source, offset, length);
        memory.putInt(last + END, end + needed);
        nodes.addCount(list, last, 1);
    }

    /** Sets the position to the first element; false if there is none. */
    boolean seekFirst(long list) {
        node = memory.getLong(list + FIRST);
        if (node == Memory.NULL) {
            return false;
        }
        at = memory.getInt(node + START);
        return true;
    }

    /** Sets the position to the last element; false if there is none. */
    boolean seekLast(long list) {
        node = memory.getLong(list + LAST);
        if (node == Memory.NULL) {
            return false;
        }
        at = lastOf(node);
        return true;
    }

    private int lastOf(long where) {
        return Packed.previous(memory.buffer(where), Memory.offset(where) + memory.getInt(where + END))
                - Memory.offset(where);
    }

    /** Sets the position to an element by its index from the front, which must be within the list. */
    void seek(long list, int index) {
        int size = size(list);
        int rest = index;
        if (index < size / 2) {
            node = memory.getLong(list + FIRST);
            while (rest >= memory.getInt(node + NODE_COUNT)) {
                rest -= memory.getInt(node + NODE_COUNT);
                node = memory.getLong(node + NEXT);
            }
        } else {
            rest = size - 1 - index;
            node = memory.getLong(list + LAST);
            while (rest >= memory.getInt(node + NODE_COUNT)) {
                rest -= memory.getInt(node + NODE_COUNT);
                node = memory.getLong(node + PREVIOUS);
            }
            rest = memory.getInt(node + NODE_COUNT) - 1 - rest;
        }
        if (rest < memory.getInt(node + NODE_COUNT) / 2) {
            at = memory.getInt(node + START);
            for (; rest > 0; rest--) {
                at += elementSize();
            }
        } else {
            at = lastOf(node);
            for (int back = memory.getInt(node + NODE_COUNT) - 1 - rest; back > 0; back--) {
                at = before(at);
            }
        }
    }

    private int before(int end) {
        return Packed.previous(buffer(), Memory.offset(node) + end) - Memory.offset(node);
    }

    /** Moves the position towards the back; false if it was at the last element. */
    boolean next() {
        int behind = at + elementSize();
        if (behind < memory.getInt(node + END)) {
            at = behind;
            return true;
        }
        return enterNext();
    }

    private boolean enterNext() {
        node = memory.getLong(node + NEXT);
        if (node == Memory.NULL) {
            return false;
        }
        at = memory.getInt(node + START);
        return true;
    }

    /** Moves the position towards the front; false if it was at the first element. */
    boolean previous() {
        if (at > memory.getInt(node + START)) {
            at = before(at);
            return true;
        }
        return enterPrevious();
    }

    private boolean enterPrevious() {
        node = memory.getLong(node + PREVIOUS);
        if (node == Memory.NULL) {
            return false;
        }
        at = lastOf(node);
        return true;
    }

    private int elementSize() {
        return Packed.size(elementLength());
    }

    /** The buffer that holds the element at the position. */
    UnsafeBuffer buffer() {
        return memory.buffer(node);
    }

    /** Address of the bytes of the element at the position. */
    long elementAddress() {
        return node - Memory.offset(node) + elementOffset();
    }

    int elementLength() {
        return Packed.length(memory.buffer(node), Memory.offset(node) + at);
    }

    /** Where the bytes of the element at the position begin in {@link #buffer()}. */
    int elementOffset() {
        return Packed.bytes(Memory.offset(node) + at, elementLength());
    }

    boolean elementEquals(UnsafeBuffer other, int offset, int length) {
        return elementLength() == length && Bytes.equal(buffer(), elementOffset(), other, offset, length);
    }

    /** Removes the element at the position, which is then at the next element; false if there is none. */
    boolean removeAndNext(long list) {
        boolean emptied = removeHere(list);
        if (emptied) {
            long gone = node;
            boolean more = enterNext();
            nodes.removeNode(list, gone);
            return more;
        }
        return at < memory.getInt(node + END) || enterNext();
    }

    /** Removes the element at the position, which is then at the previous element; false if there is none. */
    boolean removeAndPrevious(long list) {
        boolean emptied = removeHere(list);
        if (emptied) {
            long gone = node;
            boolean more = enterPrevious();
            nodes.removeNode(list, gone);
            return more;
        }
        if (at > memory.getInt(node + START)) {
            at = before(at);
            return true;
        }
        return enterPrevious();
    }

    /** Cuts the element at the position out of its run; true if the run is empty then. */
    private boolean removeHere(long list) {
        int size = elementSize();
        int start = memory.getInt(node + START);
        int end = memory.getInt(node + END);
        nodes.addCount(list, node, -1);
        // The shorter side moves.
        if (at - start < end - at - size) {
            memory.copy(node + start, node + start + size, at - start);
            memory.putInt(node + START, start + size);
            at += size;
        } else {
            memory.copy(node + at + size, node + at, end - at - size);
            memory.putInt(node + END, end - size);
        }
        return memory.getInt(node + NODE_COUNT) == 0;
    }

    /** Inserts an element in front of the position. The position is lost. */
    void insertBefore(long list, UnsafeBuffer source, int offset, int length) {
        insertHere(list, source, offset, length);
    }

    /** Inserts an element behind the position. The position is lost. */
    void insertAfter(long list, UnsafeBuffer source, int offset, int length) {
        at += elementSize();
        insertHere(list, source, offset, length);
    }

    /** Replaces the element at the position. The position is lost. */
    void replace(long list, UnsafeBuffer source, int offset, int length) {
        if (elementLength() == length && !allocator.isPinned(node)) {
            buffer().putBytes(elementOffset(), source, offset, length);
            return;
        }
        // Insert first, for only that can fail; the old element then is the next one.
        insertHere(list, source, offset, length);
        next();
        removeAndNext(list);
    }

    /** Inserts in front of {@link #at}, which may be the end of a run; the position is at the new element then. */
    private void insertHere(long list, UnsafeBuffer source, int offset, int length) {
        int needed = Packed.size(length);
        if (!nodes.fitsIn(node, needed)) {
            splitHere(list, needed);
        }
        int start = memory.getInt(node + START);
        int index = at - start;
        if (memory.getInt(node + END) + needed > memory.getInt(node + SIZE)) {
            node = nodes.makeRoom(list, node, needed, false);
            index += memory.getInt(node + START);
        } else {
            index = at;
        }
        int end = memory.getInt(node + END);
        memory.copy(node + index, node + index + needed, end - index);
        Packed.write(memory.buffer(node), Memory.offset(node) + index, source, offset, length);
        memory.putInt(node + END, end + needed);
        nodes.addCount(list, node, 1);
        at = index;
    }

    /** Cuts a full node in two at the position, which is then at the end of a node with room for an element. */
    private void splitHere(long list, int needed) {
        int end = memory.getInt(node + END);
        if (at > memory.getInt(node + START) && at < end) {
            long tail = nodes.insertNode(list, node, end - at);
            memory.copy(node + at, tail + DATA, end - at);
            memory.putInt(tail + END, DATA + end - at);
            int moved = 0;
            for (int i = at; i < end; i = Packed.next(buffer(), Memory.offset(node) + i) - Memory.offset(node)) {
                moved++;
            }
            memory.putInt(tail + NODE_COUNT, moved);
            memory.putInt(node + NODE_COUNT, memory.getInt(node + NODE_COUNT) - moved);
            memory.putInt(node + END, at);
        }
        if (at == memory.getInt(node + START)) {
            node = nodes.insertNode(list, memory.getLong(node + PREVIOUS), needed);
            at = DATA;
        } else if (!nodes.fitsIn(node, needed)) {
            node = nodes.insertNode(list, node, needed);
            at = DATA;
        }
    }

    /** Removes elements at the front. */
    void trimFirst(long list, int count) {
        int rest = count;
        while (rest > 0) {
            long first = memory.getLong(list + FIRST);
            int elements = memory.getInt(first + NODE_COUNT);
            if (elements <= rest) {
                memory.putInt(list + COUNT, memory.getInt(list + COUNT) - elements);
                nodes.removeNode(list, first);
                rest -= elements;
                continue;
            }
            UnsafeBuffer buffer = memory.buffer(first);
            int base = Memory.offset(first);
            int start = memory.getInt(first + START);
            for (int i = 0; i < rest; i++) {
                start = Packed.next(buffer, base + start) - base;
            }
            memory.putInt(first + START, start);
            nodes.addCount(list, first, -rest);
            return;
        }
    }

    /** Removes elements at the back. */
    void trimLast(long list, int count) {
        int rest = count;
        while (rest > 0) {
            long last = memory.getLong(list + LAST);
            int elements = memory.getInt(last + NODE_COUNT);
            if (elements <= rest) {
                memory.putInt(list + COUNT, memory.getInt(list + COUNT) - elements);
                nodes.removeNode(list, last);
                rest -= elements;
                continue;
            }
            UnsafeBuffer buffer = memory.buffer(last);
            int base = Memory.offset(last);
            int end = memory.getInt(last + END);
            for (int i = 0; i < rest; i++) {
                end = Packed.previous(buffer, base + end) - base;
            }
            memory.putInt(last + END, end);
            nodes.addCount(list, last, -rest);
            return;
        }
    }

    /** Copies a list; returns the copy. */
    long copy(long list) {
        long copy = create();
        try {
            for (boolean more = seekFirst(list); more; more = next()) {
                long source = node;
                int sourceAt = at;
                pushLast(copy, buffer(), elementOffset(), elementLength());
                node = source;
                at = sourceAt;
            }
        } catch (AllocationFailedException failure) {
            freeAll(copy);
            throw failure;
        }
        return copy;
    }

    /** Appends the elements of a list to a flat value; false if they have no room there. */
    boolean flatten(long list, FlatValue to) {
        for (boolean more = seekFirst(list); more; more = next()) {
            if (!to.add(buffer(), elementOffset(), elementLength())) {
                return false;
            }
        }
        return true;
    }

    /** Makes a list of a flat value; returns it. */
    long restore(FlatValue from) {
        long list = create();
        try {
            while (from.next()) {
                pushLast(list, from.buffer(), from.offset(), from.length());
            }
        } catch (AllocationFailedException failure) {
            freeAll(list);
            throw failure;
        }
        return list;
    }

    private void freeAll(long list) {
        for (long progress = 0; progress != Values.FREED; ) {
            progress = freePart(list, progress);
        }
    }

    /** Frees one node; returns how far that has come, see {@link Values#freePart}. */
    long freePart(long list, long progress) {
        long current = progress == 0 ? memory.getLong(list + FIRST) : progress;
        if (current != Memory.NULL) {
            long next = memory.getLong(current + NEXT);
            allocator.free(current);
            if (next != Memory.NULL) {
                return next;
            }
        }
        allocator.free(list);
        return Values.FREED;
    }

    /** Bytes of a list, estimated from so many nodes; 0 looks at all. */
    long footprint(long list, long samples) {
        long bytes = 0;
        long count = 0;
        long current = memory.getLong(list + FIRST);
        while (current != Memory.NULL && (samples == 0 || count < samples)) {
            bytes += memory.getInt(current + SIZE);
            count++;
            current = memory.getLong(current + NEXT);
        }
        return allocator.usable(list) + Values.extrapolate(bytes, count, nodes(list));
    }
}
