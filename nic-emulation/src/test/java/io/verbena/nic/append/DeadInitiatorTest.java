package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.abort;
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
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.sim.SteppedMemory;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An initiator dies, or stalls and comes back, between any two accesses to the owner's memory. */
@Timeout(180)
class DeadInitiatorTest {
    private static final int SLOT = 5;
    private static final long TIMEOUT = 1_000_000;

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Counts accesses; at the given one it does something. */
    private static final class Trap implements Runnable {
        int steps;
        int at = -1;
        Runnable action = () -> {};

        @Override
        public void run() {
            if (steps++ == at) {
                action.run();
            }
        }
    }

    private final Trap trap = new Trap();
    private final Collector collector = new Collector();
    private AppendFixture nic = new AppendFixture();
    private AppendQueue queue = nic.create(attributes());

    private Appender victim() {
        PeerMemory stepped = SteppedMemory.peer(nic.memory, trap);
        return new Appender(ControlBlock.map(stepped.control()), stepped);
    }

    private void fresh(int before) {
        nic = new AppendFixture();
        queue = nic.create(attributes().holeTimeoutNanos(TIMEOUT));
        collector.messages.clear();
        Appender early = nic.peer();
        int number = 0;
        long room = before;
        while (room >= 16) {
            int length = (int) Math.min(room, 8016) - 16;
            assertThat(append(early, queue, 1, number++, length, 1)).isEqualTo(Appender.OK);
            room -= length + 16;
        }
        assertThat(queue.poll(collector, 1000)).isEqualTo(number);
        collector.messages.clear();
        trap.steps = 0;
        trap.at = -1;
    }

    /** How many accesses an undisturbed append of the victim makes. */
    private int steps(int before) {
        fresh(before);
        Appender victim = victim();
        trap.steps = 0;
        append(victim, queue, SLOT, 100, 200, SLOT);
        return trap.steps;
    }

    private void killAt(int step, Appender victim) {
        trap.steps = 0;
        trap.at = step;
        trap.action = () -> {
            throw new Killed();
        };
        boolean killed = false;
        try {
            append(victim, queue, SLOT, 100, 200, SLOT);
        } catch (Killed e) {
            killed = true;
        }
        assertThat(killed).as("killed at step " + step).isTrue();
    }

    /** Positions of the chunk at which the victim meets another case: middle, exact end, 8 bytes left, does not fit. */
    private static final int[] POSITIONS = {0, 4096, CHUNK - 216, CHUNK - 8, CHUNK - 16, CHUNK - 100, CHUNK};

    @Test
    void laterMessagesComeThroughAfterTheTimeout() {
        for (int before : POSITIONS) {
            int steps = steps(before);
            assertThat(steps).isGreaterThan(200);
            for (int step = 0; step < steps; step++) {
                fresh(before);
                Appender other = nic.peer();
                killAt(step, victim());
                for (int i = 0; i < 10; i++) {
                    assertThat(append(other, queue, 2, i, 50, 2)).isEqualTo(Appender.OK);
                }
                assertThat(append(nic.queues.appender(0), queue, 2, 10, 50, -1)).isEqualTo(Appender.OK);
                nic.settle();
                List<Message> early = polled();
                boolean committed = early.contains(new Message(SLOT, 100, 200));
                boolean hole = early.size() == 0;
                if (hole) {
                    // Not before its time, then at once, and told to the engine of the consumer.
                    nic.clock.addAndGet(TIMEOUT - 1);
                    nic.settle();
                    assertThat(polled()).as("before %d step %d", before, step).isEmpty();
                    nic.clock.addAndGet(1);
                    nic.settle();
                    assertThat(nic.engineWakes).contains(1);
                    early = polled();
                }
                List<Message> expected = new ArrayList<>();
                if (committed) {
                    expected.add(new Message(SLOT, 100, 200));
                }
                for (int i = 0; i <= 10; i++) {
                    expected.add(new Message(2, i, 50));
                }
                assertThat(early).as("before %d step %d", before, step).isEqualTo(expected);
                assertThat(queue.query().holes()).isBetween(hole ? 1L : 0L, hole ? 2L : 0L);
                assertThat(queue.depth()).isZero();
                abandonAndRunOn(other);
            }
        }
    }

    @Test
    void knownDeathNeedsNoTimeout() {
        for (int before : POSITIONS) {
            int steps = steps(before);
            for (int step = 0; step < steps; step++) {
                fresh(before);
                Appender other = nic.peer();
                killAt(step, victim());
                nic.abandon(SLOT);
                assertThat(append(other, queue, 2, 0, 50, 2)).isEqualTo(Appender.OK);
                nic.settle();
                List<Message> messages = polled();
                messages.remove(new Message(SLOT, 100, 200));
                assertThat(messages).as("before %d step %d", before, step).containsExactly(new Message(2, 0, 50));
                abandonAndRunOn(other);
            }
        }
    }

    @Test
    void twoVictimsAtTheSamePlace() {
        int steps = steps(CHUNK - 100);
        int holes = 0;
        for (int before : new int[] {4096, CHUNK - 100}) {
            for (int first = 0; first < steps; first += first < 30 ? 1 : 50) {
                for (int second = 0; second < steps; second += second < 30 ? 1 : 50) {
                    fresh(before);
                    Appender other = nic.peer();
                    Trap secondTrap = new Trap();
                    PeerMemory stepped = SteppedMemory.peer(nic.memory, secondTrap);
                    Appender rival = new Appender(ControlBlock.map(stepped.control()), stepped);
                    secondTrap.steps = 0;
                    secondTrap.at = second;
                    secondTrap.action = () -> {
                        throw new Killed();
                    };
                    // The rival overtakes the victim between two of its steps, with another length, and dies as well.
                    trap.steps = 0;
                    trap.at = first;
                    int length = first % 2 == 0 ? 64 : 300;
                    trap.action = () -> {
                        try {
                            append(rival, queue, 7, 7, length, 7);
                        } catch (Killed expected) {
                            // it died
                        }
                        throw new Killed();
                    };
                    try {
                        append(victim(), queue, SLOT, 100, 200, SLOT);
                    } catch (Killed expected) {
                        // it died
                    }
                    for (int i = 0; i < 3; i++) {
                        assertThat(append(other, queue, 2, i, 50, 2)).isEqualTo(Appender.OK);
                    }
                    for (int i = 0; i < 5; i++) {
                        nic.settle();
                        nic.clock.addAndGet(TIMEOUT);
                        nic.settle();
                        queue.poll(collector, 1000);
                    }
                    List<Message> messages = polled();
                    messages.removeIf(message -> message.sender() != 2);
                    assertThat(messages)
                            .as("before %d first %d second %d", before, first, second)
                            .containsExactly(new Message(2, 0, 50), new Message(2, 1, 50), new Message(2, 2, 50));
                    holes += (int) queue.query().holes();
                    nic.abandon(7);
                    abandonAndRunOn(other);
                }
            }
        }
        assertThat(holes).isPositive();
    }

    /** The dead initiator's slot becomes free, no chunk stays set aside, and no garbage is left in recycled chunks. */
    private void abandonAndRunOn(Appender other) {
        nic.abandon(SLOT);
        nic.settle();
        queue.poll(collector, 1000);
        nic.settle();
        assertThat(nic.control.isSlotIdle(SLOT)).isTrue();
        assertThat(queue.query().setAside()).isZero();
        collector.messages.clear();
        for (int i = 0; i < 40; i++) {
            assertThat(append(other, queue, 2, i, 16_000, 2)).isEqualTo(Appender.OK);
            assertThat(queue.poll(collector, 10)).isEqualTo(1);
            nic.settle();
        }
    }

    private List<Message> polled() {
        queue.poll(collector, 1000);
        List<Message> messages = new ArrayList<>(collector.messages);
        collector.messages.clear();
        return messages;
    }

    @Test
    void lateCommitFailsAndItsChunkIsSetAsideUntilThen() {
        for (int before : new int[] {0, CHUNK - 100}) {
            fresh(before);
            Appender stalled = nic.peer();
            Appender other = nic.peer();
            assertThat(claim(stalled, queue, 200, SLOT)).isEqualTo(Appender.OK);
            int number = 0;
            append(other, queue, 2, number++, 100, 2);
            nic.settle();
            nic.clock.addAndGet(TIMEOUT);
            nic.settle();
            assertThat(polled()).containsExactly(new Message(2, 0, 100));
            assertThat(queue.query().holes()).isEqualTo(1);

            // Many rounds later its chunk still belongs to nobody else.
            for (int i = 0; i < 100; i++) {
                assertThat(append(other, queue, 2, number++, 16_000, 2)).isEqualTo(Appender.OK);
                assertThat(polled()).hasSize(1);
                nic.settle();
            }
            assertThat(queue.query().setAside()).isBetween(1, 2);
            fill(stalled.roomBuffer(), payload(stalled), 200, SLOT, 100);
            assertThat(commit(stalled, 200, SLOT, 100)).isFalse();
            nic.settle();
            assertThat(queue.query().setAside()).isZero();
            for (int i = 0; i < 100; i++) {
                assertThat(append(other, queue, 2, number++, 16_000, 2)).isEqualTo(Appender.OK);
                assertThat(polled()).hasSize(1);
                nic.settle();
            }
        }
    }

    @Test
    void initiatorThatStallsAnywhereNeitherLiesNorHarms() {
        for (int before : POSITIONS) {
            int steps = steps(before);
            for (int step = 0; step < steps; step++) {
                fresh(before);
                Appender other = nic.peer();
                List<Message> seen = new ArrayList<>();
                Appender victim = victim();
                trap.steps = 0;
                trap.at = step;
                trap.action = () -> {
                    // Meanwhile the owner loses patience, and the ring goes round.
                    for (int i = 0; i < 20; i++) {
                        assertThat(append(other, queue, 2, i, 16_000, 2)).isEqualTo(Appender.OK);
                        nic.settle();
                        nic.clock.addAndGet(TIMEOUT);
                        nic.settle();
                        seen.addAll(polled());
                    }
                };
                int status = claim(victim, queue, 200, SLOT);
                assertThat(status).isEqualTo(Appender.OK);
                fill(victim.roomBuffer(), payload(victim), 200, SLOT, 100);
                boolean committed = commit(victim, 200, SLOT, 100);
                append(other, queue, 2, 20, 100, 2);
                nic.settle();
                nic.clock.addAndGet(TIMEOUT);
                nic.settle();
                seen.addAll(polled());
                int deliveries = 0;
                int next = 0;
                for (Message message : seen) {
                    if (message.sender() == SLOT) {
                        deliveries++;
                    } else {
                        assertThat(message.number()).isEqualTo(next++);
                    }
                }
                assertThat(next).isEqualTo(21);
                assertThat(deliveries).as("before %d step %d", before, step).isEqualTo(committed ? 1 : 0);
                assertThat(nic.control.isSlotIdle(SLOT)).isTrue();
                abandonAndRunOn(other);
            }
        }
    }

    /**
     * What {@link #initiatorThatStallsAnywhereNeitherLiesNorHarms} checks, for records that become visible together.
     */
    @Test
    void runIsThereWholeOrNotAtAllWhereverItsInitiatorStalls() {
        int[] lengths = {24, 0, 100};
        for (int before : POSITIONS) {
            fresh(before);
            appendRun(victim(), lengths);
            int steps = trap.steps;
            assertThat(steps).isGreaterThan(100);
            for (int step = 0; step < steps; step++) {
                fresh(before);
                Appender other = nic.peer();
                List<Message> seen = new ArrayList<>();
                Appender victim = victim();
                trap.steps = 0;
                trap.at = step;
                trap.action = () -> {
                    for (int i = 0; i < 20; i++) {
                        assertThat(append(other, queue, 2, i, 16_000, 2)).isEqualTo(Appender.OK);
                        nic.settle();
                        nic.clock.addAndGet(TIMEOUT);
                        nic.settle();
                        seen.addAll(polled());
                    }
                };
                boolean committed = appendRun(victim, lengths);
                nic.settle();
                nic.clock.addAndGet(TIMEOUT);
                nic.settle();
                seen.addAll(polled());
                List<Message> expected = new ArrayList<>();
                for (int i = 0; committed && i < lengths.length; i++) {
                    expected.add(new Message(SLOT, 100 + i, lengths[i]));
                }
                seen.removeIf(message -> message.sender() != SLOT);
                assertThat(seen).as("before %d step %d", before, step).isEqualTo(expected);
                assertThat(nic.control.isSlotIdle(SLOT)).isTrue();
                abandonAndRunOn(other);
            }
        }
    }

    private boolean appendRun(Appender victim, int[] lengths) {
        int bytes = 0;
        for (int length : lengths) {
            bytes += RecordDescriptor.alignedLength(length);
        }
        assertThat(victim.claimRun(queue.id(), queue.key(), queue.pd(), 100, bytes, SLOT))
                .isEqualTo(Appender.OK);
        AtomicBuffer room = victim.roomBuffer();
        int at = victim.room();
        long first = 0;
        for (int i = 0; i < lengths.length; i++) {
            fill(room, at + RecordDescriptor.PAYLOAD_OFFSET, lengths[i], SLOT, 100 + i);
            room.putLong(at + RecordDescriptor.QP_NUMBER_OFFSET, RecordDescriptor.source(SLOT, 100 + i));
            long word = RecordDescriptor.committed(lengths[i], RecordDescriptor.HAS_IMMEDIATE);
            if (i == 0) {
                first = word;
            } else {
                room.putLong(at, word);
            }
            at += RecordDescriptor.alignedLength(lengths[i]);
        }
        return victim.commitRun(first);
    }

    @Test
    void ownersOwnClaimIsNeverAHole() {
        fresh(0);
        Appender owner = nic.queues.appender(0);
        assertThat(claim(owner, queue, 200, Appender.OWNER)).isEqualTo(Appender.OK);
        append(nic.peer(), queue, 2, 0, 100, 2);
        for (int i = 0; i < 100; i++) {
            nic.clock.addAndGet(TIMEOUT);
            nic.settle();
            assertThat(polled()).isEmpty();
        }
        abort(owner, 200);
        assertThat(polled()).containsExactly(new Message(2, 0, 100));
        assertThat(queue.query().holes()).isZero();
    }
}
