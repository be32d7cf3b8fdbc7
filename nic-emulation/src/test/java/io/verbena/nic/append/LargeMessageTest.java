package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.append.AppendFixture.Message;
import io.verbena.nic.memory.DirectMemoryProvider;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LargeMessageTest {
    private static final int LENGTH = 1 << 20;

    private final Collector collector = new Collector();
    private AppendFixture nic = new AppendFixture();
    private AppendQueue queue;
    private Appender owner;
    private long idle;

    @BeforeEach
    void create() {
        create(attributes().reserveChunks(1));
    }

    private void create(AppendQueueAttributes attributes) {
        queue = nic.create(attributes);
        owner = nic.queues.appender(0);
        idle = queue.query().footprint();
    }

    private long claim(int length, int qp) {
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), length, qp, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), length, qp, 0))
                .isEqualTo(Appender.OK);
        assertThat(owner.large().buffer().capacity()).isGreaterThanOrEqualTo(length);
        return owner.large().claimed();
    }

    @Test
    void hasAMappingOfItsOwnFromAllocatorToHandler() {
        int wakes = nic.allocatorWakes.get();
        long claim = claim(LENGTH, 3);
        assertThat(nic.allocatorWakes.get()).isGreaterThan(wakes);
        assertThat(queue.query().rnr()).isEqualTo(1);
        assertThat(queue.query().footprint()).isEqualTo(idle + LENGTH);
        assertThat(queue.depth()).isZero();
        fill(owner.large().buffer(claim), 0, LENGTH, 3, 1);
        assertThat(owner.large().commit(claim, 3, 1, true)).isEqualTo(Appender.OK);
        assertThatThrownBy(() -> owner.large().commit(claim, 3, 1, true)).isInstanceOf(IllegalStateException.class);
        assertThat(queue.depth()).isEqualTo(32);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        assertThat(collector.messages).containsExactly(new Message(3, 1, LENGTH));
        assertThat(queue.query().bytes()).isEqualTo(LENGTH);
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(idle);
        assertThat(queue.query().highWater()).isEqualTo(idle + LENGTH);
        assertThat(owner.large().openClaims()).isZero();
    }

    @Test
    void theNextOneTakesTheMappingOfOneThatIsDoneWith() {
        for (int number = 0; number < 5; number++) {
            long claim = number == 0 ? claim(LENGTH, 3) : claimed(LENGTH - number, 3 + number % 2);
            fill(owner.large().buffer(claim), 0, LENGTH - number, 3, number);
            assertThat(owner.large().commit(claim, 3, number, true)).isEqualTo(Appender.OK);
            assertThat(queue.poll(collector, 1)).isEqualTo(1);
            assertThat(collector.messages).containsExactly(new Message(3, number, LENGTH - number));
            collector.messages.clear();
            nic.settle();
        }
        assertThat(queue.query().rnr()).as("the first's").isEqualTo(1);
        assertThat(queue.query().footprint()).isEqualTo(idle + LENGTH);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH / 2 - 1, 3, 0))
                .as("by far too long for it")
                .isEqualTo(Appender.RNR);
        nic.rest();
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(idle);
    }

    private long claimed(int length, int qp) {
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), length, qp, 0))
                .isEqualTo(Appender.OK);
        return owner.large().claimed();
    }

    @Test
    void whatIsKeptMakesRoomForWhoNeedsIt() {
        create(attributes().reserveChunks(1).memoryLimit(2 * CHUNK + LENGTH));
        long claim = claim(LENGTH, 3);
        fill(owner.large().buffer(claim), 0, LENGTH, 3, 1);
        owner.large().commit(claim, 3, 1, true);
        assertThat(queue.poll(collector, 1)).isEqualTo(1);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(idle + LENGTH);
        owner.large().abort(claim(CHUNK, 4));
    }

    @Test
    void placeInTheQueueIsTheCommit() {
        long first = claim(LENGTH, 3);
        long second = claim(LENGTH - 1, 4);
        append(owner, queue, 2, 0, 10, -1);
        fill(owner.large().buffer(second), 0, LENGTH - 1, 4, 1);
        assertThat(owner.large().commit(second, 4, 1, true)).isEqualTo(Appender.OK);
        append(owner, queue, 2, 2, 10, -1);
        fill(owner.large().buffer(first), 0, LENGTH, 3, 3);
        assertThat(owner.large().commit(first, 3, 3, true)).isEqualTo(Appender.OK);
        append(owner, queue, 2, 4, 10, -1);
        queue.poll(collector, 10);
        assertThat(collector.messages.stream().map(Message::number)).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void abortAndForgottenRequestsGiveTheMemoryBack() {
        owner.large().abort(claim(LENGTH, 3));
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(idle);

        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(idle + LENGTH);
        nic.clock.addAndGet(1_000_000_000L);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(idle);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.RNR);
    }

    @Test
    void aSecondTryWithAnotherLengthIsServedToo() {
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, 3, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.OK);
        owner.large().abort(owner.large().claimed());
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(idle);
    }

    /** A sender that has one under way may not take the room of others: what was made for nothing is none. */
    @Test
    void aMappingThatIsTooShortAfterAllIsNotUnderWay() {
        nic.queues.initiators().connected(3, 77, 0);
        nic.queues.initiators().connected(4, 77, 0);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH / 2, 3, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(queue.unfinished().hasAnother(4)).isTrue();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.RNR);
        assertThat(queue.unfinished().hasAnother(4)).isFalse();
    }

    @Test
    void memoryLimitMakesTheNextOneWait() {
        create(attributes().reserveChunks(1).memoryLimit(2 * CHUNK + LENGTH));
        long first = claim(LENGTH, 3);
        for (int i = 0; i < 5; i++) {
            assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 4, 0))
                    .isEqualTo(Appender.RNR);
            nic.settle();
        }
        fill(owner.large().buffer(first), 0, LENGTH, 3, 1);
        owner.large().commit(first, 3, 1, true);
        assertThat(queue.poll(collector, 1)).isEqualTo(1);
        nic.settle();
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 4, 0))
                .isEqualTo(Appender.OK);
        owner.large().abort(owner.large().claimed());
    }

    /** Senders that have given up are not served one after another long after. */
    @Test
    void aWishThatFindsNoRoomForLongIsGivenUp() {
        create(attributes().reserveChunks(1).memoryLimit(2 * CHUNK + LENGTH));
        for (int qp = 3; qp < 9; qp++) {
            assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, qp, 1000))
                    .isEqualTo(Appender.RNR);
            nic.settle();
        }
        assertThat(queue.query().footprint()).isEqualTo(idle + LENGTH);
        nic.clock.addAndGet(1_000_000_000L);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(idle);
        for (int turn = 0; turn < 10; turn++) {
            nic.settle();
            assertThat(queue.query().footprint()).isEqualTo(idle);
        }
        owner.large().abort(claim(LENGTH, 5)); // it comes again after all
    }

    @Test
    void providerWithoutMemoryIsRnrNotFailure() {
        nic = new AppendFixture(new DirectMemoryProvider(nic.control.buffer().capacity() + 2L * CHUNK + 100));
        create(attributes().reserveChunks(1));
        for (int i = 0; i < 5; i++) {
            assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 4, 0))
                    .isEqualTo(Appender.RNR);
            nic.settle();
        }
        assertThat(queue.query().footprint()).isEqualTo(idle);
        assertThat(append(owner, queue, 1, 1, 100, -1)).isEqualTo(Appender.OK);
    }

    @Test
    void morePendingThanPlacesIsRnr() {
        create(attributes().reserveChunks(1).largeMessages(12).memoryLimit(30 * CHUNK));
        for (int qp = 0; qp < 17; qp++) {
            assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, qp, 0))
                    .isEqualTo(Appender.RNR);
        }
        nic.settle();
        int served = 0;
        for (int qp = 0; qp < 17; qp++) {
            served += owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, qp, 0) == Appender.OK ? 1 : 0;
        }
        assertThat(served).isEqualTo(12);
    }

    @Test
    void manyAreOpenAtATime() {
        int length = 16 << 20;
        int count = 40;
        create(attributes().reserveChunks(1).maxMessage(length).memoryLimit((count + 1L) * length));
        long[] claims = new long[count];
        for (int qp = 0; qp < count; qp++) {
            // From the second on there is a spare, but none for the last: no longest message would fit in beside it.
            boolean waits = qp < 2 || qp == count - 1;
            claims[qp] = waits ? claim(length, qp) : claimed(length, qp);
            nic.settle();
            owner.large().buffer(claims[qp]).putLong(0, qp);
            owner.large().buffer(claims[qp]).putLong(length - 8, qp);
        }
        assertThat(queue.query().footprint()).isEqualTo(idle + (long) count * length);
        for (int qp = count - 1; qp >= 0; qp--) {
            assertThat(owner.large().commit(claims[qp], qp, qp, true)).isEqualTo(Appender.OK);
        }
        int[] next = {count};
        int polled = queue.poll(
                (buffer, offset, size, qp, immediate, flags) -> {
                    assertThat(qp).isEqualTo(--next[0]);
                    assertThat(size).isEqualTo(length);
                    assertThat(buffer.getLong(offset)).isEqualTo(qp);
                    assertThat(buffer.getLong(offset + size - 8)).isEqualTo(qp);
                },
                count);
        assertThat(polled).isEqualTo(count);
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(idle);
        assertThat(queue.query().releases()).isEqualTo(count);
    }

    @Test
    void oneMappingIsMadeOrGivenBackATurn() {
        for (int qp = 0; qp < 3; qp++) {
            owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK, qp, 0);
        }
        for (int i = 1; i <= 3; i++) {
            assertThat(nic.allocator.doWork()).isPositive();
            assertThat(queue.query().footprint()).isEqualTo(idle + (long) i * CHUNK);
        }
        nic.clock.addAndGet(1_000_000_000L);
        for (int i = 2; i >= 0; i--) {
            assertThat(nic.allocator.doWork()).isPositive();
            assertThat(queue.query().footprint()).isEqualTo(idle + (long) i * CHUNK);
        }
        assertThat(nic.allocator.doWork()).isZero();
    }

    @Test
    void aGibibyteGoesThrough() {
        // Direct memory is bounded by what the heap may have.
        Assumptions.assumeTrue(Runtime.getRuntime().maxMemory() > 3L << 30, "needs a machine with 12 GiB");
        create(attributes().reserveChunks(1).maxMessage(AppendQueueAttributes.MAX_MESSAGE));
        int length = AppendQueueAttributes.MAX_MESSAGE;
        long claim = claim(length, 3);
        AtomicBuffer buffer = owner.large().buffer(claim);
        for (int at = 0; at < length; at += 1 << 20) {
            buffer.putLong(at, ~at);
        }
        buffer.putByte(length - 1, (byte) 77);
        assertThat(owner.large().commit(claim, 3, 1, false)).isEqualTo(Appender.OK);
        int polled = queue.poll(
                (memory, offset, size, qp, immediate, flags) -> {
                    assertThat(size).isEqualTo(length);
                    for (int at = 0; at < length; at += 1 << 20) {
                        assertThat(memory.getLong(offset + at)).isEqualTo(~at);
                    }
                    assertThat(memory.getByte(offset + length - 1)).isEqualTo((byte) 77);
                },
                1);
        assertThat(polled).isEqualTo(1);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), length, 3, 0))
                .as("what the last one lay in")
                .isEqualTo(Appender.OK);
        owner.large().abort(owner.large().claimed());
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(idle);
    }

    @Test
    void noRoomForTheReferenceIsRnrAndTheClaimStays() {
        long claim = claim(LENGTH, 3);
        fill(owner.large().buffer(claim), 0, LENGTH, 3, 1);
        int number = 0;
        while (append(owner, queue, 2, number, 16, -1) == Appender.OK) {
            number++;
        }
        assertThat(owner.large().commit(claim, 3, 1, true)).isEqualTo(Appender.RNR);
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(number);
        nic.settle();
        assertThat(owner.large().commit(claim, 3, 1, true)).isEqualTo(Appender.OK);
        collector.messages.clear();
        queue.poll(collector, 1);
        assertThat(collector.messages).containsExactly(new Message(3, 1, LENGTH));
    }

    @Test
    void refusals() {
        assertThat(owner.large().claim(queue.id(), queue.key() ^ 4, queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.BAD_KEY);
        assertThat(owner.large().claim(queue.id() + 1, queue.key(), queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.NO_QUEUE);
        assertThat(owner.large().claim(99, queue.key(), queue.pd(), LENGTH, 3, 0))
                .isEqualTo(Appender.NO_QUEUE);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH + 1, 3, 0))
                .isEqualTo(Appender.TOO_LONG);
        assertThat(AppendFixture.claim(owner, queue, LENGTH, Appender.OWNER)).isEqualTo(Appender.LARGE_MESSAGE);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(idle);
    }

    @Test
    void handlerThatThrowsReleasesTheMapping() {
        long claim = claim(LENGTH, 3);
        owner.large().commit(claim, 3, 1, true);
        assertThatThrownBy(() -> queue.poll(
                        (buffer, offset, length, qp, immediate, flags) -> {
                            throw new IllegalArgumentException("no");
                        },
                        1))
                .hasMessage("no");
        nic.rest();
        assertThat(queue.query().footprint()).isEqualTo(idle);
    }

    @Test
    void aMappingWaitsForASenderThatTakesLongerThanTheSurplusTime() {
        long again = 10_000_000;
        create(attributes().reserveChunks(1).surplusNanos(1_000));
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, again))
                .isEqualTo(Appender.RNR);
        nic.settle();
        nic.clock.addAndGet(2 * again);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, again))
                .isEqualTo(Appender.OK);
        owner.large().postpone(owner.large().claimed());
        assertThat(owner.large().openClaims()).isZero();
        nic.clock.addAndGet(2 * again);
        nic.settle();
        assertThat(queue.query().allocations()).isEqualTo(3);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), LENGTH, 3, again))
                .as("the same one")
                .isEqualTo(Appender.OK);
        assertThat(queue.query().allocations()).isEqualTo(3);
        owner.large().postpone(owner.large().claimed());
        nic.clock.addAndGet(3 * again);
        nic.settle();
        assertThat(queue.query().footprint()).isEqualTo(idle);
    }
}
