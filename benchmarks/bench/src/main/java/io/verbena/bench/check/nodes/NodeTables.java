package io.verbena.bench.check.nodes;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RemoteRegion;
import io.verbena.SendResult;
import io.verbena.bench.check.nodes.NodeTally.Event;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What must be true of the regions that nodes share: each who attaches has a slot that nobody else writes, and a
 * counter is everybody's. Operations end in their order; a read finds what was written before it, or what was posted
 * behind it; additions add up; and what ended closed was done or not.
 *
 * <pre>
 *   0        counter
 *   64 ...   slots: word (swapped), bytes (written and read)
 * </pre>
 *
 * <p>Thread-safe, under itself.
 */
final class NodeTables {
    private static final int SLOTS = 12;
    private static final int FIRST_SLOT = 64;
    private static final int WORD = 0;
    private static final int BYTES = 8;
    private static final int DATA = 6 << 10;
    private static final int SLOT = BYTES + DATA;
    /** Bytes of a region. */
    static final int LENGTH = FIRST_SLOT + SLOTS * SLOT;

    /** A region of one life. */
    private static final class Table {
        final NodeHost.Opening opening;
        final List<Slot> slots = new ArrayList<>();
        final Set<Long> found = new HashSet<>(); // by additions that are done
        long doubtful;

        Table(NodeHost.Opening opening) {
            this.opening = opening;
        }
    }

    /** One who is attached, and the slot that is its own. */
    final class Slot {
        private final Table table;
        private final RemoteRegion region;
        private final int at;
        private final UnsafeBuffer model = new UnsafeBuffer(new byte[SLOT]);
        private final ArrayDeque<Operation> outstanding = new ArrayDeque<>();
        private final List<Operation> doubtful = new ArrayList<>();
        private final UnsafeBuffer source = new UnsafeBuffer(new byte[DATA]);
        private boolean failed;
        /** This side has closed it, or is about to. */
        boolean closed;

        private Slot(Table table, RemoteRegion region) {
            this.table = table;
            this.region = region;
            at = FIRST_SLOT + table.slots.size() * SLOT;
        }

        RemoteRegion region() {
            return region;
        }

        boolean isQuiet() {
            synchronized (NodeTables.this) {
                return outstanding.isEmpty();
            }
        }

        NodeHost owner() {
            return table.opening.host;
        }

        @Override
        public String toString() {
            return "slot " + at + " of " + table.opening + ", " + region.closeReason() + ", outstanding " + outstanding;
        }
    }

    /** Kinds of operations. */
    static final int KINDS = Kind.values().length;

    private enum Kind {
        WRITE,
        READ,
        ADD,
        SWAP
    }

    private static final class Operation {
        final long id;
        final Kind kind;
        final int offset;
        final int length;
        final UnsafeBuffer result;
        long expected;
        long desired;

        Operation(long id, Kind kind, int offset, int length) {
            this.id = id;
            this.kind = kind;
            this.offset = offset;
            this.length = length;
            result = new UnsafeBuffer(new byte[kind == Kind.READ ? length : 0]);
        }

        @Override
        public String toString() {
            return kind + " #" + id + " at " + offset + " of " + length;
        }
    }

    private final NodeTally tally;
    private final Consumer<Runnable> guard;
    private final long seed;
    private final Map<NodeHost.Opening, Table> tables = new HashMap<>();
    private long operations;

    /**
     * No tables.
     *
     * @param guard runs what handlers do, and keeps its failure
     */
    NodeTables(NodeTally tally, long seed, Consumer<Runnable> guard) {
        this.guard = guard;
        this.tally = tally;
        this.seed = seed;
    }

    synchronized void shared(NodeHost.Opening opening) {
        tables.put(opening, new Table(opening));
    }

    /** Whether another may attach. */
    synchronized boolean hasSlot(NodeHost.Opening opening) {
        Table table = tables.get(opening);
        return table != null && table.slots.size() < SLOTS;
    }

    synchronized Slot attached(NodeHost.Opening opening, RemoteRegion region) {
        Table table = tables.get(opening);
        if (table == null || region.length() != LENGTH) {
            throw new WalkFailure("attached to " + opening + " of length " + region.length());
        }
        Slot slot = new Slot(table, region);
        table.slots.add(slot);
        return slot;
    }

    // ---- posting ----------------------------------------------------------------------------------------------------

    /** Posts a random operation, if there is room. By the walk's thread. */
    void post(Slot slot, SimRandom random) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        int length = random.nextInt(4) == 0 ? random.nextInt(DATA + 1) : random.nextInt(200);
        post(slot, kind, random.nextInt(DATA - length + 1), length, random);
    }

    /** Posts one operation of those that there are. @return whether there was room */
    boolean prove(Slot slot, int which, SimRandom random) {
        return post(slot, Kind.values()[which], 0, 100, random);
    }

    private boolean post(Slot slot, Kind kind, int offset, int length, SimRandom random) {
        Operation o;
        synchronized (this) {
            o = new Operation(++operations, kind, offset, length);
            if (kind == Kind.SWAP) {
                o.expected = random.nextInt(4) == 0 ? random.nextLong() : expectedWord(slot);
                o.desired = random.nextLong();
            }
            slot.outstanding.add(o);
        }
        RemoteRegion region = slot.region;
        OperationHandler handler = (id, how, v) -> guard.accept(() -> ended(slot, id, how, v));
        SendResult result;
        switch (kind) {
            case WRITE:
                Pattern.fill(slot.source, 0, seed + o.id, 0, length);
                result = region.write(slot.at + BYTES + offset, slot.source, 0, length, o.id, handler);
                break;
            case READ:
                result = region.read(slot.at + BYTES + offset, o.result, 0, length, o.id, handler);
                break;
            case ADD:
                result = region.fetchAndAdd(0, 1, o.id, handler);
                break;
            default:
                result = region.compareAndSwap(slot.at + WORD, o.expected, o.desired, o.id, handler);
        }
        if (result == SendResult.SENT) {
            tally.event(Event.OPERATIONS);
            return true;
        }
        synchronized (this) {
            if (!slot.outstanding.removeLastOccurrence(o)) {
                throw new WalkFailure(slot + ": " + o + " was not begun, " + result + ", and ended");
            }
        }
        return false;
    }

    private static long expectedWord(Slot slot) {
        long word = slot.model.getLong(WORD);
        for (Operation o : slot.outstanding) {
            if (o.kind == Kind.SWAP && o.expected == word) {
                word = o.desired;
            }
        }
        return word;
    }

    // ---- ends -------------------------------------------------------------------------------------------------------

    private synchronized void ended(Slot slot, long id, Outcome outcome, long value) {
        Operation o = slot.outstanding.poll();
        if (o == null || o.id != id) {
            throw new WalkFailure(slot + ": " + outcome + " of operation " + id + ", expected that of " + o);
        }
        if (outcome == Outcome.CLOSED) {
            if (slot.region.closeReason() == null) {
                throw new WalkFailure(slot + ": " + o + " ended closed, and the region has no reason");
            }
            slot.failed = true;
            slot.doubtful.add(o);
            if (o.kind == Kind.ADD) {
                slot.table.doubtful++;
            }
            tally.event(Event.OPERATIONS_CLOSED);
            return;
        }
        boolean merges = slot.region.statistics().window() > 0; // then what is on other bytes may have been done before
        if (outcome != Outcome.DONE || (slot.failed && !merges)) {
            throw new WalkFailure(slot + ": " + o + " ended " + outcome + (slot.failed ? " behind a closed one" : ""));
        }
        done(slot, o, value);
    }

    private void done(Slot slot, Operation o, long value) {
        switch (o.kind) {
            case WRITE:
                Pattern.fill(slot.model, BYTES + o.offset, seed + o.id, 0, o.length);
                break;
            case READ:
                for (int i = 0; i < o.length; i++) {
                    byte there = o.result.getByte(i);
                    int index = o.offset + i;
                    if (there != slot.model.getByte(BYTES + index) && !isOf(slot.outstanding, index, there)) {
                        throw new WalkFailure(slot + ": byte " + i + " of " + o + " is " + there + ", expected "
                                + slot.model.getByte(BYTES + index));
                    }
                }
                break;
            case ADD:
                if (value < 0 || !slot.table.found.add(value)) {
                    throw new WalkFailure(slot + ": " + o + " found " + value + ", as another did");
                }
                break;
            default:
                long word = slot.model.getLong(WORD);
                if (value != word) {
                    throw new WalkFailure(slot + ": " + o + " found " + value + ", expected " + word);
                }
                if (o.expected == word) {
                    slot.model.putLong(WORD, o.desired);
                }
        }
    }

    private boolean isOf(Iterable<Operation> writes, int index, byte value) {
        for (Operation w : writes) {
            if (w.kind == Kind.WRITE
                    && index >= w.offset
                    && index < w.offset + w.length
                    && Pattern.at(seed + w.id, index - w.offset) == value) {
                return true;
            }
        }
        return false;
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** A region is about to be taken back, or its node to close. */
    synchronized void closing(NodeHost.Opening opening) {
        tables.remove(opening);
    }

    /** All operations have ended: the owner's memory must be what they made it. */
    synchronized void judge(NodeHost.Opening opening) {
        Table table = tables.get(opening);
        if (table == null) {
            return;
        }
        var memory = opening.region().buffer();
        long counter = memory.getLong(0);
        long done = table.found.size();
        if (counter < done || counter > done + table.doubtful) {
            throw new WalkFailure(opening + ": counter " + counter + ", done " + done + ", doubtful " + table.doubtful);
        }
        for (Slot slot : table.slots) {
            long word = memory.getLong(slot.at + WORD);
            if (word != slot.model.getLong(WORD)
                    && slot.doubtful.stream().noneMatch(o -> o.kind == Kind.SWAP && o.desired == word)) {
                throw new WalkFailure(slot + ": word " + word + ", expected " + slot.model.getLong(WORD));
            }
            for (int i = 0; i < DATA; i++) {
                byte there = memory.getByte(slot.at + BYTES + i);
                if (there != slot.model.getByte(BYTES + i) && !isOf(slot.doubtful, i, there)) {
                    throw new WalkFailure(
                            slot + ": byte " + i + " is " + there + ", expected " + slot.model.getByte(BYTES + i));
                }
            }
        }
    }

    @Override
    public synchronized String toString() {
        return tables.keySet().toString();
    }
}
