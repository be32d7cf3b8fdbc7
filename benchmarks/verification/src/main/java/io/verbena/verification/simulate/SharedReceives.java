package io.verbena.verification.simulate;

import io.verbena.nic.PostResult;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A host's shared receive queue, and what must be true of it: each receive completes at most once, at one queue pair,
 * and is then no longer in the queue; a queue pair's come in the order in which they were posted; what is neither in
 * the queue nor complete is held by a queue pair in the middle of a message, one each; the limit is told once, when the
 * queue falls below it, and not before it is armed again.
 */
final class SharedReceives {
    /** Most receives that are posted and not complete. */
    static final int SLOTS = 48;

    private static final int DEPTH = 32;
    private static final int BAD_KEY = 1;
    private static final int MAX_SGE = 2;

    private final SimulatedHost host;
    private final WalkTally tally;
    private final Map<Integer, DirectionModel.Receive> posted = new LinkedHashMap<>(); // and not complete
    private final BitSet used = new BitSet(SLOTS);
    private SharedReceiveQueue queue;
    private int next;
    private int limit; // armed; 0: none is
    private int consumedWhenArmed;
    private int resets; // queue pairs that may have taken a receive with them

    SharedReceives(SimulatedHost host, WalkTally tally) {
        this.host = host;
        this.tally = tally;
        queue = host.memory().pd().createSharedReceiveQueue(DEPTH, MAX_SGE);
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    private WalkFailure wrong(String what) {
        return new WalkFailure(host.name() + ": " + queue + ": " + what);
    }

    /** Whether there are messages that a receive in it does not take. */
    boolean isTrapped() {
        return posted.values().stream().anyMatch(DirectionModel.Receive::isTrap);
    }

    /** Posts a receive if there is memory for it. */
    void post(int length, boolean bad) {
        int slot = used.nextClearBit(0);
        if (slot >= SLOTS) {
            return;
        }
        int at = host.memory().sharedSlot(slot);
        Pattern.guard(host.memory().local(), at, host.slot);
        boolean fails = bad && length > 0;
        int key = !fails
                ? host.memory().localKey()
                : next % 2 == 0 ? BAD_KEY : host.memory().otherKey();
        boolean full = queue.size() == queue.depth();
        PostResult[] result = new PostResult[1];
        host.node.act(() -> result[0] = queue.postReceive(next, key, at, length));
        if (result[0] != (full ? PostResult.QUEUE_FULL : PostResult.POSTED)) {
            throw wrong(result[0] + " with " + queue.size() + " posted of " + queue.depth());
        }
        if (full) {
            tally.add(Event.QUEUE_FULL);
            return;
        }
        DirectionModel.Receive v = DirectionModel.Receive.of(host, next, at, length, fails);
        used.set(slot);
        posted.put(next++, v);
        if (v.isTrap()) {
            host.trap();
        }
    }

    /** The local region was registered anew: what is posted may be bad now. */
    void moved() {
        posted.replaceAll((sequence, v) -> v.asMoved());
        if (!posted.isEmpty()) {
            host.trap();
        }
    }

    /** Posts as many as there is room for. */
    void fill() {
        while (queue.size() < queue.depth() && used.cardinality() < SLOTS) {
            post(host.slot, false);
        }
    }

    /** A receive has completed at an end. */
    DirectionModel.Receive take(KeptCompletion wc, PairEnd end) {
        int sequence = (int) wc.wrId();
        DirectionModel.Receive v = posted.remove(sequence);
        if (v == null || sequence <= end.lastShared) {
            throw wrong("receive " + sequence + " completed at " + end + ", after " + end.lastShared + "; it is " + v);
        }
        if (sequence >= next - queue.size()) {
            throw wrong("receive " + sequence + " completed, but the last " + queue.size() + " of " + next
                    + " are still there");
        }
        end.lastShared = sequence;
        used.clear((v.at() - host.memory().sharedSlot(0)) / host.memory().stride());
        tally.add(Event.SHARED, wc.isSuccess() ? 1 : 0);
        return v;
    }

    /** A queue pair was reset: a receive that it held is lost. */
    void reset() {
        resets++;
    }

    /** The limit's event has come. */
    void limitReached(int number) {
        if (number != queue.number() || limit == 0) {
            throw wrong("event of the limit of " + number + ", which is " + limit);
        }
        limit = 0;
        tally.add(Event.LIMITS);
    }

    /** Arms the limit, or makes the queue larger or smaller, or tries to destroy it while it is in use. */
    void disturb(SimRandom random) {
        host.drain(); // events too: what is armed now is known
        host.node.act(() -> {
            if (host.isAlive()) {
                disturbNow(random);
            }
        });
    }

    private void disturbNow(SimRandom random) {
        check(host.ends());
        if (!host.node.isAlive()) {
            return; // it has died in that
        }
        int what = random.nextInt(6);
        if (what < 4) {
            int armed = random.nextInt(Math.min(queue.depth(), 12) + 1);
            queue.modify(armed);
            limit = armed;
            consumedWhenArmed = next - queue.size();
        } else if (what == 4) {
            resize(8 << random.nextInt(4));
        } else if (host.isShared()) {
            closeInUse();
        }
    }

    private void resize(int depth) {
        int size = queue.size();
        boolean legal = depth >= size && depth >= limit;
        try {
            queue.resize(depth);
        } catch (IllegalStateException e) {
            if (legal) {
                throw e;
            }
            tally.add(Event.REFUSALS);
            return;
        }
        if (!legal || queue.depth() != depth || queue.size() != size) {
            throw wrong(
                    "resized to " + depth + ", is " + queue.depth() + ", of " + size + " are there " + queue.size());
        }
        tally.add(Event.SHARED_RESIZES);
    }

    private void closeInUse() {
        try {
            queue.close();
        } catch (IllegalStateException e) {
            tally.add(Event.REFUSALS);
            return;
        }
        throw wrong("closed while it is in use");
    }

    /** Destroys it, and makes another: no queue pair uses it. */
    void renew() {
        host.drain();
        check(0);
        queue.close();
        queue = host.memory().pd().createSharedReceiveQueue(DEPTH, MAX_SGE);
        posted.clear();
        used.clear();
        next = 0;
        limit = 0;
        resets = 0;
    }

    /**
     * Everything has been polled.
     *
     * @param holders queue pairs that may hold a receive
     */
    void check(int holders) {
        int left = queue.size();
        int held = posted.size() - left;
        if (held < 0 || held > holders + resets) {
            throw wrong(left + " are there, " + posted.size() + " are not complete, " + holders + " may be held and "
                    + resets + " lost");
        }
        if (queue.limit() != limit) {
            throw wrong("limit " + queue.limit() + ", expected " + limit);
        }
        if (left < limit && next - left > consumedWhenArmed) {
            throw wrong(left + " are there, which is below the limit " + limit + ", and that was not told");
        }
    }
}
