package io.verbena.nic;

import io.verbena.nic.memory.ControlBlock;

/**
 * Numbers of queue pairs: a slot in the low bits, and a generation, so that a late packet finds no queue pair.
 *
 * <p>Under the NIC's lock.
 */
final class QueuePairNumbers {
    private static final int FIRST = 2; // 0 and 1 are for management, as InfiniBand has it
    private static final int GENERATIONS = 1 << 24;

    private final ControlBlock control;
    private final NumberPool slots;
    private final int[] generations;

    /**
     * All are free.
     *
     * @param count slots, a power of two
     * @param control knows the slots in which a peer is in the middle of an operation
     */
    QueuePairNumbers(int count, ControlBlock control) {
        this.control = control;
        this.slots = new NumberPool(FIRST, count - 1);
        this.generations = new int[count];
    }

    /**
     * A free number. A slot in which an initiator of the previous queue pair has left an operation is not used, because
     * its contents are needed to end that operation.
     *
     * @throws IllegalStateException if none is free
     */
    int take() {
        int slot = slots.take(control::isSlotIdle);
        if (slot == NumberPool.NONE) {
            throw new IllegalStateException("queue pairs " + (generations.length - FIRST)
                    + " is the maximum, those counted that a peer is in the middle of an "
                    + "operation on; raise maxQueuePairs");
        }
        int generation = generations[slot]++;
        return slot | (int) ((long) generation * generations.length % GENERATIONS);
    }

    void give(int number) {
        slots.give(number & generations.length - 1);
    }
}
