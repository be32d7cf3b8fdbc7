package io.verbena.nic.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ChunkAllocatorTest {
    /** What is wrong when it is one queue's turn is not the next one's, which gets its chunks all the same. */
    @Test
    void anErrorOfOneQueueIsNotTheOthers() {
        AppendFixture nic = new AppendFixture();
        FailsOnce memory = new FailsOnce(nic.memory);
        TailPointerTable queues = new TailPointerTable(
                ControlBlock.create(new DirectMemoryProvider(), 43, nic.control.limits()), memory, nic.clock::get);
        AppendQueueAttributes attributes = AppendFixture.attributes().reserveChunks(1);
        AppendQueue first = queues.create(attributes, 1, 1);
        AppendQueue second = queues.create(attributes, 1, 1);
        ChunkAllocator allocator = new ChunkAllocator(queues);
        while (allocator.doWork() > 0) {}
        long before = second.query().announcedFree();
        first.modify(new AppendQueueAttributes(first.attributes()).reserveChunks(3));
        second.modify(new AppendQueueAttributes(second.attributes()).reserveChunks(3));
        memory.fails = true;
        allocator.doWork();
        assertThat(memory.fails).isFalse();
        assertThat(allocator.isActive()).as("the first one is tried again").isTrue();
        assertThat(first.query().announcedFree()).isEqualTo(before);
        assertThat(second.query().announcedFree()).isGreaterThan(before);
        while (allocator.doWork() > 0) {}
        assertThat(first.query().announcedFree())
                .isEqualTo(second.query().announcedFree())
                .isGreaterThan(before);
    }

    private static final class FailsOnce implements MemoryProvider {
        private final MemoryProvider memory;
        private boolean fails;

        FailsOnce(MemoryProvider memory) {
            this.memory = memory;
        }

        @Override
        public Segment allocate(int length) {
            if (fails) {
                fails = false;
                throw new OutOfMemoryError("of this test");
            }
            return memory.allocate(length);
        }

        @Override
        public AtomicBuffer allocateControl(int length) {
            return memory.allocateControl(length);
        }

        @Override
        public AtomicBuffer control() {
            return memory.control();
        }

        @Override
        public void release(Segment segment) {
            memory.release(segment);
        }

        @Override
        public AtomicBuffer segment(int id) {
            return memory.segment(id);
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
