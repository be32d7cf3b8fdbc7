package io.verbena.nic.append;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** A NIC's append queues without the NIC: own memory, a clock that the test moves, a peer's view. */
final class AppendFixture {
    static final int CHUNK = AppendQueueAttributes.MIN_CHUNK_LENGTH;
    static final int QPS = 16;

    private static final int SHORT = 1000;
    private static final int PERIOD = 256;
    private static volatile byte[] pattern = {};

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
        this(memory, 0);
    }

    AppendFixture(DirectMemoryProvider memory, long sharedReserve) {
        this.memory = memory;
        control = ControlBlock.create(memory, 42, new ControlLimits(2, 16, QPS, 4, 8));
        for (int qp = 0; qp < QPS; qp++) {
            control.setQpWord(qp, QueuePairWord.pack(3, 0, 0, 1));
        }
        long[] key = new long[1];
        queues = new TailPointerTable("test", control, memory, sharedReserve, clock::get, () -> ++key[0]);
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

    /** The process of a slot's initiator is known to have ended. */
    void abandon(int slot) {
        abandon(queues, slot, true);
    }

    /** The initiator of a slot has left; whether its process has ended is known or not. */
    static void abandon(TailPointerTable queues, int slot, boolean gone) {
        queues.initiators().connected(slot, 1000 + slot, 0);
        queues.initiators().abandonAll(1000 + slot, 0, () -> gone);
    }

    /** Runs the allocator until it has nothing to do. */
    void settle() {
        while (allocator.doWork() > 0) {}
    }

    /** Lets so much time pass, with nothing used, that what is kept for the next message is given back. */
    void rest() {
        for (int i = 0; i < 2; i++) {
            settle();
            clock.addAndGet(1_000_000_000L);
        }
        settle();
    }

    /** One message of a sender: its number, its length and a checksum; the rest is derived from them. */
    record Message(int sender, int number, int length) {}

    /**
     * Writes a message: a short one byte by byte, so that its writer can be stopped between any two, a long one at
     * once.
     */
    static void fill(MutableDirectBuffer buffer, int offset, int length, int sender, int number) {
        byte[] pattern = pattern(length);
        int from = phase(sender, number, length);
        if (length > SHORT) {
            buffer.putBytes(offset, pattern, from, length);
            return;
        }
        for (int i = 0; i < length; i++) {
            buffer.putByte(offset + i, pattern[from + i]);
        }
    }

    static boolean intact(DirectBuffer buffer, int offset, int length, int sender, int number) {
        byte[] found = new byte[length];
        buffer.getBytes(offset, found);
        int from = phase(sender, number, length);
        return Arrays.equals(found, 0, length, pattern(length), from, from + length);
    }

    /** Where in the pattern a message begins. */
    private static int phase(int sender, int number, int length) {
        return (sender * 31 + number * 17 + length) & PERIOD - 1;
    }

    /** Long enough for a message of any phase; no two phases are alike. */
    private static byte[] pattern(int length) {
        byte[] made = pattern;
        if (made.length < length + PERIOD) {
            made = new byte[length + PERIOD];
            for (int i = 0; i < made.length; i++) {
                made[i] = (byte) (i * 7);
            }
            pattern = made;
        }
        return made;
    }

    /** Appends a message; the sender's number is the queue pair, the message's number the immediate value. */
    static int append(Appender appender, AppendQueue queue, int sender, int number, int length, int slot) {
        int status = claim(appender, queue, length, slot);
        if (status == Appender.OK) {
            fill(appender.roomBuffer(), payload(appender), length, sender, number);
            if (!commit(appender, length, sender, number)) {
                throw new AssertionError("claim was taken away");
            }
        }
        return status;
    }

    /** Claims room for one message, from a queue pair of the queue's protection domain. */
    static int claim(Appender appender, AppendQueue queue, int length, int slot) {
        return appender.claimRun(
                queue.id(), queue.key(), queue.pd(), length, RecordDescriptor.alignedLength(length), slot);
    }

    /** Where the payload of the message that was claimed last goes, in the appender's {@link Appender#roomBuffer}. */
    static int payload(Appender appender) {
        return appender.room() + RecordDescriptor.PAYLOAD_OFFSET;
    }

    /** Commits the message that was claimed last. */
    static boolean commit(Appender appender, int length, int sender, int immediate) {
        appender.roomBuffer()
                .putLong(
                        appender.room() + RecordDescriptor.QP_NUMBER_OFFSET,
                        RecordDescriptor.source(sender, immediate));
        return appender.commitRun(RecordDescriptor.committed(length, RecordDescriptor.HAS_IMMEDIATE));
    }

    /** Gives the message that was claimed last up. */
    static boolean abort(Appender appender, int length) {
        return appender.commitRun(RecordDescriptor.padding(RecordDescriptor.alignedLength(length)));
    }

    /** Sequence of the chunk that the queue's tail is in. */
    int tailChunk(AppendQueue queue) {
        return AppendQueueDescriptor.sequence(
                control.buffer().getLongVolatile(control.queueOffset(queue.id()) + AppendQueueDescriptor.TAIL_OFFSET));
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
