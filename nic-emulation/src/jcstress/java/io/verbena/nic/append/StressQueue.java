package io.verbena.nic.append;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.memory.StressMemory;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;

/**
 * An append queue without its NIC, and two peers that append to it. Taken from a pool and given back empty, so that the
 * states of a stress test go through all of a chunk, its end too.
 */
final class StressQueue {
    private static final ConcurrentLinkedQueue<StressQueue> POOL = new ConcurrentLinkedQueue<>();
    private static final ConcurrentLinkedQueue<StressQueue> FOR_CONSUMERS = new ConcurrentLinkedQueue<>();
    private static final int HOLE_TIMEOUT = 1_000_000;

    /** Bytes of each message: 64 KiB hold 1638 records, and 16 bytes that a message does not fit into. */
    static final int LENGTH = 24;

    private static final int MAX_MESSAGE = 1000;

    private final StressMemory memory = new StressMemory();
    private final ControlBlock control = ControlBlock.create(memory, 42, new ControlLimits(2, 16, 16, 1, 8));
    private final AtomicLong clock = new AtomicLong(1);
    private final TailPointerTable queues;
    private final ChunkAllocator allocator;
    private final AppendQueue queue;
    private final Appender[] peers = new Appender[2];
    private final Appender owner;
    private final AppendConsumer[] consumers;
    private final int[] polled = new int[2 * 32]; // of each consumer, on lines of their own
    private volatile boolean woken;

    private StressQueue(boolean several) {
        for (int qp = 0; qp < 16; qp++) {
            control.setQpWord(qp, QueuePairWord.pack(3, 0, 0, 1));
        }
        queues = new TailPointerTable(control, memory, clock::get);
        queues.onWork(() -> woken = true, engine -> {});
        allocator = new ChunkAllocator(queues);
        queue = queues.create(
                new AppendQueueAttributes()
                        .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                        .maxMessage(MAX_MESSAGE)
                        .reserveChunks(1)
                        .holeTimeoutNanos(HOLE_TIMEOUT),
                1,
                1);
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new Appender(ControlBlock.map(control.buffer()), new OwnMemory(memory));
        }
        owner = queues.appender(0);
        consumers = several ? new AppendConsumer[] {queue.consumer(), queue.consumer()} : new AppendConsumer[0];
        maintain();
    }

    static StressQueue take() {
        StressQueue queue = POOL.poll();
        return queue == null ? new StressQueue(false) : queue;
    }

    /** A queue with two consumers. */
    static StressQueue takeForConsumers() {
        StressQueue queue = FOR_CONSUMERS.poll();
        return queue == null ? new StressQueue(true) : queue;
    }

    /** Gives the queue back; it must be empty and nothing claimed. */
    void giveBack() {
        maintain();
        if (queue.isEmpty()) {
            (consumers.length == 0 ? POOL : FOR_CONSUMERS).add(this);
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

    /** Claims room for one message and fills it. */
    static boolean claim(Appender appender, AppendQueue queue, int length, int number, int slot) {
        int bytes = RecordDescriptor.alignedLength(length);
        if (appender.claimRun(queue.id(), queue.key(), queue.pd(), length, bytes, slot) != Appender.OK) {
            return false;
        }
        int payload = appender.room() + RecordDescriptor.PAYLOAD_OFFSET;
        for (int i = 0; i < length; i += 8) {
            appender.roomBuffer().putLong(payload + i, number);
        }
        return true;
    }

    /** Commits what was claimed last. */
    static boolean commit(Appender appender, int length, int number) {
        appender.roomBuffer()
                .putLong(appender.room() + RecordDescriptor.QP_NUMBER_OFFSET, RecordDescriptor.source(number, number));
        return appender.commitRun(RecordDescriptor.committed(length, RecordDescriptor.HAS_IMMEDIATE));
    }

    /** Claims room for one message as the owner and gives it up. */
    static void pad(Appender owner, AppendQueue queue, int length) {
        int bytes = RecordDescriptor.alignedLength(length);
        if (owner.claimRun(queue.id(), queue.key(), queue.pd(), length, bytes, Appender.OWNER) != Appender.OK) {
            throw new IllegalStateException("no room for a claim");
        }
        owner.commitRun(RecordDescriptor.padding(bytes));
    }

    boolean claim(Appender appender, int number, int slot) {
        return claim(appender, queue, LENGTH, number, slot);
    }

    boolean append(Appender appender, int number, int slot) {
        return claim(appender, number, slot) && commit(appender, LENGTH, number);
    }

    Appender peer(int index) {
        return peers[index];
    }

    Appender owner() {
        return owner;
    }

    /** One turn of the background. */
    void turn() {
        allocator.doWork();
    }

    /** Whether the background was asked for since {@link #forgetWakes}. */
    boolean isWoken() {
        return woken;
    }

    void forgetWakes() {
        woken = false;
    }

    int heldChunks() {
        return queue.query().heldChunks();
    }

    /** Polls the next message, which stays. */
    void hold(AppendRecord into) {
        queue.poll((buffer, offset, length, qpNumber, immediate, flags) -> queue.hold(into), 1);
    }

    /** Claims and gives up until the tail, and with it the head, is in the next chunk. */
    void leaveChunk() {
        int chunk = tailChunk();
        do {
            pad(owner, queue, MAX_MESSAGE);
        } while (tailChunk() == chunk);
        poll();
    }

    private int tailChunk() {
        int tail = control.queueOffset(queue.id()) + AppendQueueDescriptor.TAIL_OFFSET;
        return AppendQueueDescriptor.sequence(control.buffer().getLongVolatile(tail));
    }

    /** The number of a message, -1 if it is torn. */
    static int number(AppendRecord record) {
        int number = record.qpNumber();
        for (int i = 0; i < LENGTH; i += 8) {
            if (record.length() != LENGTH
                    || record.immediate() != number
                    || record.buffer().getLong(record.offset() + i) != number) {
                return -1;
            }
        }
        return number;
    }

    /** The number of the next message, 0 if there is none, -1 if it is torn. */
    int poll() {
        polled[0] = 0;
        queue.poll((b, o, l, q, i, f) -> look(0, b, o, l, q, i), 1);
        return polled[0];
    }

    /** As the other, by one consumer of two. */
    int poll(int consumer) {
        int at = consumer * 32;
        polled[at] = 0;
        consumers[consumer].poll((b, o, l, q, i, f) -> look(at, b, o, l, q, i), 1);
        return polled[at];
    }

    private void look(int at, DirectBuffer buffer, int offset, int length, int qpNumber, int immediate) {
        polled[at] = qpNumber;
        for (int i = 0; i < LENGTH; i += 8) {
            if (length != LENGTH || immediate != qpNumber || buffer.getLong(offset + i) != qpNumber) {
                polled[at] = -1;
            }
        }
    }
}
