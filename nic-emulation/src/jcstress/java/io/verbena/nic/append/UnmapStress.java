package io.verbena.nic.append;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * An initiator that appends to a chunk while its owner leaves it, drains it, and unmaps it. Memory that is unmapped
 * here has no length any more, and is full of a pattern: whoever comes too late meets an exception, or leaves a trace.
 */
public class UnmapStress {
    private static final int CHUNK = AppendQueueAttributes.MIN_CHUNK_LENGTH;
    private static final int LENGTH = 24;
    private static final int FILLER = 1000;
    private static final byte POISON = 0x5A;
    private static final long SURPLUS = 1_000_000;
    private static final long NEVER = 1_000_000_000_000L;

    private static final class PoisonedMemory implements MemoryProvider {
        private final List<Segment> segments = new ArrayList<>();
        private final List<byte[]> bytes = new ArrayList<>();
        private AtomicBuffer control = new UnsafeBuffer(new byte[0]);
        private int unmapped;

        @Override
        public AtomicBuffer allocateControl(int length) {
            control = new UnsafeBuffer(new byte[length]);
            return control;
        }

        @Override
        public AtomicBuffer control() {
            return control;
        }

        @Override
        public synchronized Segment allocate(int length) {
            byte[] memory = new byte[length];
            Segment segment = new Segment(segments.size(), new UnsafeBuffer(memory));
            segments.add(segment);
            bytes.add(memory);
            return segment;
        }

        @Override
        public void release(Segment segment) {}

        @Override
        public synchronized void unmap(Segment segment) {
            segments.set(segment.id(), null);
            segment.buffer().wrap(new byte[0]);
            Arrays.fill(bytes.get(segment.id()), POISON);
            unmapped++;
        }

        @Override
        public synchronized AtomicBuffer segment(int id) {
            Segment segment = id < 0 || id >= segments.size() ? null : segments.get(id);
            return segment == null ? null : segment.buffer();
        }

        /** Chunks that are unmapped; -1 if one of them was written to afterwards. */
        synchronized int unmapped() {
            for (int id = 0; id < segments.size(); id++) {
                if (segments.get(id) == null) {
                    for (byte each : bytes.get(id)) {
                        if (each != POISON) {
                            return -1;
                        }
                    }
                }
            }
            return unmapped;
        }

        @Override
        public void close() {}
    }

    /** A queue whose chunk has room for one message more, and not for a longer one. */
    private static final class LeavingQueue {
        private final PoisonedMemory memory = new PoisonedMemory();
        private final ControlBlock control = ControlBlock.create(memory, 42, new ControlLimits(2, 16, 16, 1, 8));
        private long now = 1;
        private final TailPointerTable queues;
        private final ChunkAllocator allocator;
        private final AppendQueue queue;
        private final Appender initiator;
        private final Appender owner;
        private int seen;
        private int torn;

        LeavingQueue() {
            for (int qp = 0; qp < 16; qp++) {
                control.setQpWord(qp, QueuePairWord.pack(3, 0, 0, 1));
            }
            queues = new TailPointerTable(control, memory, () -> now);
            allocator = new ChunkAllocator(queues);
            queue = queues.create(
                    new AppendQueueAttributes()
                            .chunkLength(CHUNK)
                            .maxMessage(FILLER)
                            .reserveChunks(2)
                            .holeTimeoutNanos(NEVER)
                            .surplusNanos(SURPLUS),
                    1,
                    1);
            // one chunk more than it wants from now on: the next that is drained is given back
            queue.modify(new AppendQueueAttributes(queue.attributes()).reserveChunks(1));
            initiator = new Appender(ControlBlock.map(control.buffer()), new OwnMemory(memory));
            owner = queues.appender(0);
            int room = CHUNK - RecordDescriptor.alignedLength(LENGTH);
            append(3); // the initiator knows the chunk
            while (room >= RecordDescriptor.alignedLength(FILLER)) {
                claimFiller();
                room -= RecordDescriptor.alignedLength(FILLER);
            }
            poll();
            settle();
            seen = 0;
        }

        private void claimFiller() {
            StressQueue.pad(owner, queue, FILLER);
        }

        private void settle() {
            while (allocator.doWork() > 0) {}
        }

        private void poll() {
            queue.poll(
                    (buffer, offset, length, qpNumber, immediate, flags) -> {
                        seen++;
                        for (int i = 0; i < LENGTH; i += 8) {
                            if (length != LENGTH || buffer.getLong(offset + i) != immediate) {
                                torn++;
                            }
                        }
                    },
                    100);
        }

        /** Appends; false if there is no room now. */
        boolean append(int number) {
            return StressQueue.claim(initiator, queue, LENGTH, number, 1)
                    && StressQueue.commit(initiator, LENGTH, number);
        }

        /**
         * Moves the tail to the next chunk, takes what has come, and lets time go by until drained chunks are unmapped.
         */
        void leaveAndUnmap() {
            claimFiller();
            for (int i = 0; i < 4; i++) {
                poll();
                settle();
                now += SURPLUS;
            }
            poll();
            settle();
        }
    }

    /** An append against the end of its chunk. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "there, once and whole; its chunk was unmapped untouched")
    @Outcome(expect = FORBIDDEN, desc = "lost, torn, in memory that is gone, or nothing was unmapped")
    @State
    public static class AppendAndUnmap {
        private final LeavingQueue queue = new LeavingQueue();
        private volatile boolean late;

        /** Claims, writes, commits. */
        @Actor
        public void initiator() {
            try {
                while (!queue.append(7)) {
                    Thread.onSpinWait();
                }
            } catch (IndexOutOfBoundsException e) {
                late = true;
            }
        }

        /** Leaves the chunk and unmaps it. */
        @Actor
        public void owner() {
            queue.leaveAndUnmap();
        }

        /** What came of it. */
        @Arbiter
        public void after(II_Result r) {
            for (int i = 0; i < 4; i++) {
                queue.poll();
                queue.settle();
                queue.now += SURPLUS;
            }
            r.r1 = late || queue.torn > 0 ? -1 : queue.seen;
            r.r2 = queue.memory.unmapped();
        }
    }
}
