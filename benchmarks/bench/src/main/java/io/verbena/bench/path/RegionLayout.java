package io.verbena.bench.path;

import io.verbena.nic.SharedReceiveQueue;
import org.agrona.BitUtil;

/**
 * How an initiator divides its region:
 * <pre>
 *   sources: queue pairs x slots | targets: as many | receives: queue pairs x depth (SEND) | scratch
 * </pre>
 *
 * @param queuePairs that have slots in it
 * @param slots of a queue pair
 * @param slotLength bytes of a slot, of a receive and of the scratch
 * @param depth requests that a queue pair may have outstanding
 * @param receiveDepth receives of a queue pair
 */
record RegionLayout(int queuePairs, int slots, int slotLength, int depth, int receiveDepth) {
    private static final int MIN_DEPTH = 16;
    private static final int SINGLE_DEPTH = 512;
    private static final int SOURCE_MEMORY = 1 << 20;
    private static final int SHARED_SOURCE_MEMORY = 16 << 20;
    private static final int RECEIVE_MEMORY = 64 << 20;
    private static final int WORD_LENGTH = BitUtil.CACHE_LINE_LENGTH;

    /** The layout for a verb, of as many queue pairs as are created. */
    static RegionLayout of(PathVerb verb, PathSettings settings, int queuePairs) {
        int slotLength = verb == PathVerb.FETCH_ADD ? WORD_LENGTH : settings.slotLength();
        int senders = settings.queuePairs();
        int wanted = senders == 1
                ? Math.max(SINGLE_DEPTH, settings.depth())
                : Math.max(MIN_DEPTH, Math.max(2 * settings.batch(), settings.depth() / senders));
        int depth = BitUtil.findNextPositivePowerOfTwo(wanted);
        int slots = slots(verb, settings, depth);
        depth = verb.isMessage() ? depth : slots;
        int receives = verb.isSend() ? receives(verb, depth, slotLength, queuePairs) : 1;
        return new RegionLayout(queuePairs, slots, slotLength, depth, receives);
    }

    /** Slots of a queue pair: the settings' for one-sided verbs; for messages no more than stay in a core's cache. */
    private static int slots(PathVerb verb, PathSettings settings, int depth) {
        int senders = settings.queuePairs();
        int memory = senders == 1 ? SOURCE_MEMORY : SHARED_SOURCE_MEMORY;
        int wanted = verb.isMessage() ? memory / settings.slotLength() / senders : settings.slots() / senders;
        int least = verb.isMessage() ? 2 : 1;
        return Math.min(depth, Integer.highestOneBit(Math.max(least, wanted)));
    }

    /** Receives of a queue pair: as many as sends can be outstanding, as far as memory goes. */
    private static int receives(PathVerb verb, int depth, int slotLength, int queuePairs) {
        int fitting = RECEIVE_MEMORY / slotLength / queuePairs;
        if (verb == PathVerb.SEND_SRQ) {
            fitting = Math.min(fitting, SharedReceiveQueue.MAX_DEPTH / queuePairs);
        }
        return Math.min(depth, Integer.highestOneBit(Math.max(2, fitting)));
    }

    /** Completions that may wait to be taken, if a queue pair has so many sends. */
    int completions(int sends) {
        return Math.max(SINGLE_DEPTH, 2 * Math.max(sends, receiveDepth) * queuePairs);
    }

    /** The slot of a queue pair's message. */
    int slotOf(int qp, long number) {
        return qp * slots + (int) (number & slots - 1);
    }

    /** Where the data of a slot is. */
    int source(int slot) {
        return slot * slotLength;
    }

    /** Where a slot is in the other's region. */
    int target(int slot) {
        return (queuePairs * slots + slot) * slotLength;
    }

    /** Where a receive's message comes. */
    int receive(int index) {
        return receiveBase() + index * slotLength;
    }

    private int receiveBase() {
        return 2 * slots * slotLength * queuePairs;
    }

    /** Where there is room for one message that is in no slot. */
    int scratch() {
        return Math.addExact(receiveBase(), Math.multiplyExact(receiveDepth * queuePairs, slotLength));
    }

    /** Bytes of the region. */
    int length() {
        return Math.addExact(scratch(), slotLength);
    }
}
