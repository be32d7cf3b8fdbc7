package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.QPS;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.claim;
import static io.verbena.nic.append.AppendFixture.commit;
import static io.verbena.nic.append.AppendFixture.fill;
import static io.verbena.nic.append.AppendFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.append.AppendFixture.Message;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.sim.SteppedMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An empty queue starts at the top of a clean chunk, while an initiator comes between any two accesses of the consumer
 * to shared memory: each place is tried, so that no luck is needed to meet the one between the look at the tail and its
 * change.
 */
@Timeout(180)
class ResetTest {
    private static final int SENDER = 2;
    private static final int LENGTH = 200;
    private static final int POLLS = 40; // the tail is looked at now and then only

    /** A queue of which more than half a chunk was used and which is empty; its consumer's accesses are counted. */
    private static final class Run {
        final DirectMemoryProvider memory = new DirectMemoryProvider();
        final Collector collector = new Collector();
        final ChunkAllocator allocator;
        final AppendQueue queue;
        final Appender initiator;
        int steps;
        int at = -1;
        Runnable action = () -> {};

        Run() {
            var stepped = SteppedMemory.owner(memory, this::step);
            ControlBlock control = ControlBlock.create(stepped, 1, new ControlLimits(2, 16, QPS, 2, 8));
            for (int qp = 0; qp < QPS; qp++) {
                control.setQpWord(qp, QueuePairWord.pack(3, 0, 0, 1));
            }
            TailPointerTable queues = new TailPointerTable(control, stepped, () -> 1);
            allocator = new ChunkAllocator(queues);
            queue = queues.create(attributes().reserveChunks(2), 1, 0);
            initiator = new Appender(ControlBlock.map(memory.control()), new OwnMemory(memory));
            int used = 0;
            for (int number = 0; used <= CHUNK / 2; number++) {
                assertThat(append(initiator, queue, 1, number, 8000, 1)).isEqualTo(Appender.OK);
                used += 8016;
                assertThat(queue.poll(collector, 10)).isEqualTo(1);
            }
            collector.messages.clear();
            allocator.doWork();
            steps = 0;
        }

        private void step() {
            if (steps++ == at) {
                action.run();
            }
        }

        void poll() {
            for (int i = 0; i < POLLS; i++) {
                queue.poll(collector, 10);
            }
        }

        /** All that comes, the queue going round its chunks some times more. */
        List<Message> goOn(int first) {
            for (int number = first; number < first + 30; number++) {
                assertThat(append(initiator, queue, SENDER, number, 16_000, SENDER))
                        .isEqualTo(Appender.OK);
                poll();
                while (allocator.doWork() > 0) {}
            }
            return new ArrayList<>(collector.messages);
        }
    }

    private static List<Message> expected() {
        List<Message> messages = new ArrayList<>();
        messages.add(new Message(SENDER, 0, LENGTH));
        for (int number = 1; number <= 30; number++) {
            messages.add(new Message(SENDER, number, 16_000));
        }
        return messages;
    }

    private static int undisturbedSteps() {
        Run run = new Run();
        run.poll();
        int steps = run.steps;
        assertThat(steps).isGreaterThan(POLLS);
        assertThat(run.queue.query().resets()).isEqualTo(1);
        return steps;
    }

    @Test
    void nothingIsLostThatIsAppendedWhileAnEmptyQueueIsReset() {
        int steps = undisturbedSteps();
        for (int at = 0; at < steps; at++) {
            Run run = new Run();
            run.at = at;
            run.action = () -> assertThat(append(run.initiator, run.queue, SENDER, 0, LENGTH, SENDER))
                    .isEqualTo(Appender.OK);
            run.poll();
            assertThat(run.steps).isGreaterThan(at);
            assertThat(run.goOn(1)).as("appended at access %d of %d", at, steps).isEqualTo(expected());
        }
    }

    @Test
    void aClaimThatStandsOpenMeanwhileKeepsItsPlace() {
        int steps = undisturbedSteps();
        for (int at = 0; at < steps; at++) {
            Run run = new Run();
            run.at = at;
            run.action = () ->
                    assertThat(claim(run.initiator, run.queue, LENGTH, SENDER)).isEqualTo(Appender.OK);
            run.poll();
            assertThat(run.collector.messages).isEmpty();
            fill(run.initiator.roomBuffer(), payload(run.initiator), LENGTH, SENDER, 0);
            assertThat(commit(run.initiator, LENGTH, SENDER, 0)).isTrue();
            assertThat(run.goOn(1)).as("claimed at access %d of %d", at, steps).isEqualTo(expected());
        }
    }
}
