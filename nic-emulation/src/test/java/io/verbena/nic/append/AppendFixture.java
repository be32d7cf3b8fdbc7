package io.verbena.nic.append;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** A NIC's append queues without the NIC: own memory, a clock that the test moves, a peer's view. */
final class AppendFixture {
    static final int CHUNK = AppendQueueAttributes.MIN_CHUNK_LENGTH;
    static final int QPS = 16;

    final DirectMemoryProvider memory;
    final ControlBlock control;
    final TailPointerTable queues;
    final ChunkAllocator allocator;
    final AtomicLong clock = new AtomicLong(1);
    final AtomicInteger allocatorWakes = new AtomicInteger();
    final List<Integer> engineWakes = new ArrayList<>();

    AppendFixture() {
        this(new DirectMemoryProvider());
    }

    AppendFixture(DirectMemoryProvider memory) {
        this.memory = memory;
        control = ControlBlock.create(memory, 42, new ControlLimits(2, 16, QPS, 4, 8));
        for (int qp = 0; qp < QPS; qp++) {
            control.setQpWord(qp, QueuePairWord.pack(3, 0, 0, qp, 1));
        }
        queues = new TailPointerTable(control, memory, clock::get);
        queues.onWork(allocatorWakes::incrementAndGet, engineWakes::add);
        allocator = new ChunkAllocator(queues);
    }

    static AppendQueueAttributes attributes() {
        return new AppendQueueAttributes().chunkLength(CHUNK).maxMessage(1 << 20);
    }

    AppendQueue create(AppendQueueAttributes attributes) {
        AppendQueue queue = queues.create(attributes, 1, 1);
        queue.staging().makeAtOnce(0); // messages of tests are short
        return queue;
    }

    Appender peer() {
        return new Appender(ControlBlock.map(memory.control()), new OwnMemory(memory));
    }

    /** Runs the allocator until it has nothing to do. */
    void settle() {
        while (allocator.doWork() > 0) {}
    }

    /** One message of a sender: its number, its length and a checksum; the rest is derived from them. */
    record Message(int sender, int number, int length) {}

    static void fill(MutableDirectBuffer buffer, int offset, int length, int sender, int number) {
        int seed = sender * 31 + number * 17 + length;
        for (int i = 0; i < length; i++) {
            buffer.putByte(offset + i, (byte) (seed + i * 7));
        }
    }

    static boolean intact(DirectBuffer buffer, int offset, int length, int sender, int number) {
        int seed = sender * 31 + number * 17 + length;
        for (int i = 0; i < length; i++) {
            if (buffer.getByte(offset + i) != (byte) (seed + i * 7)) {
                return false;
            }
        }
        return true;
    }

    /** Appends a message; the sender's number is the queue pair, the message's number the immediate value. */
    static int append(Appender appender, AppendQueue queue, int sender, int number, int length, int slot) {
        int status = appender.claim(queue.id(), queue.key(), length, slot);
        if (status == Appender.OK) {
            fill(appender.buffer(), appender.payloadOffset(), length, sender, number);
            if (!appender.commit(appender.claimed(), sender, number, true)) {
                throw new AssertionError("claim was taken away");
            }
        }
        return status;
    }

    /** Collects what it is given; a message that is not what its sender wrote is an error. */
    static final class Collector implements AppendHandler {
        final ArrayDeque<Message> messages = new ArrayDeque<>();

        @Override
        public void onMessage(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
            if (flags != RecordDescriptor.HAS_IMMEDIATE) {
                throw new AssertionError("flags " + flags);
            }
            if (offset % 8 != 0) {
                throw new AssertionError("offset " + offset);
            }
            if (!intact(buffer, offset, length, qpNumber, immediate)) {
                throw new AssertionError("message " + immediate + " of " + qpNumber + " is torn");
            }
            messages.add(new Message(qpNumber, immediate, length));
        }
    }
}
