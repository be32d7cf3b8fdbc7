package io.verbena.nic.append;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.memory.StressMemory;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An append queue without its NIC, and two peers that append to it. Taken from a pool and given back empty, so that the
 * states of a stress test go through all of a chunk, its end too.
 */
final class StressQueue {
    private static final ConcurrentLinkedQueue<StressQueue> POOL = new ConcurrentLinkedQueue<>();
    private static final int HOLE_TIMEOUT = 1_000_000;

    /** Bytes of each message: 64 KiB hold 1638 records, and 16 bytes that a message does not fit into. */
    static final int LENGTH = 24;

    private final StressMemory memory = new StressMemory();
    private final ControlBlock control = ControlBlock.create(memory, 42, new ControlLimits(2, 16, 16, 1, 8));
    private final AtomicLong clock = new AtomicLong(1);
    private final TailPointerTable queues;
    private final ChunkAllocator allocator;
    private final AppendQueue queue;
    private final Appender[] peers = new Appender[2];
    private final Appender owner;
    private int polled;

    private StressQueue() {
        for (int qp = 0; qp < 16; qp++) {
            control.setQpWord(qp, QueuePairWord.pack(3, 0, 0, qp, 1));
        }
        queues = new TailPointerTable(control, memory, clock::get);
        queues.onWork(() -> {}, engine -> {});
        allocator = new ChunkAllocator(queues);
        queue = queues.create(
                new AppendQueueAttributes()
                        .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                        .maxMessage(1000)
                        .reserveChunks(1)
                        .holeTimeoutNanos(HOLE_TIMEOUT),
                1,
                1);
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new Appender(ControlBlock.map(control.buffer()), new OwnMemory(memory));
        }
        owner = queues.appender(0);
        maintain();
    }

    static StressQueue take() {
        StressQueue queue = POOL.poll();
        return queue == null ? new StressQueue() : queue;
    }

    /** Gives the queue back; it must be empty and nothing claimed. */
    void giveBack() {
        maintain();
        if (queue.isEmpty()) {
            POOL.add(this);
        }
    }

    /** Background work until there is none. */
    void maintain() {
        while (allocator.doWork() > 0) {}
    }

    /** Lets a hole that was seen once be old enough to be closed. */
    void elapse() {
        clock.addAndGet(HOLE_TIMEOUT);
    }

    boolean claim(Appender appender, int number, int slot) {
        if (appender.claim(queue.id(), queue.key(), LENGTH, slot) != Appender.OK) {
            return false;
        }
        for (int i = 0; i < LENGTH; i += 8) {
            appender.buffer().putLong(appender.payloadOffset() + i, number);
        }
        return true;
    }

    boolean append(Appender appender, int number, int slot) {
        return claim(appender, number, slot) && appender.commit(appender.claimed(), number, number, true);
    }

    Appender peer(int index) {
        return peers[index];
    }

    Appender owner() {
        return owner;
    }

    /** The number of the next message, 0 if there is none, -1 if it is torn. */
    int poll() {
        polled = 0;
        queue.poll(
                (buffer, offset, length, qpNumber, immediate, flags) -> {
                    polled = qpNumber;
                    for (int i = 0; i < LENGTH; i += 8) {
                        if (length != LENGTH || immediate != qpNumber || buffer.getLong(offset + i) != qpNumber) {
                            polled = -1;
                        }
                    }
                },
                1);
        return polled;
    }
}
