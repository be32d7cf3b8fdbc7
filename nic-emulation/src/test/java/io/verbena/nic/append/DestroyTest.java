package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.claim;
import static io.verbena.nic.append.AppendFixture.commit;
import static io.verbena.nic.append.AppendFixture.fill;
import static io.verbena.nic.append.AppendFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendFixture.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class DestroyTest {
    private static final long TIMEOUT = 1_000_000;

    private final AppendFixture nic = new AppendFixture();
    private final Collector collector = new Collector();
    private final AppendQueue queue = nic.create(attributes().holeTimeoutNanos(TIMEOUT));
    private final Appender peer = nic.peer();

    private long segments() {
        return nic.memory.allocated() - nic.control.buffer().capacity();
    }

    /** The allocator is another thread, and may be done with a queue before whoever destroys it goes on. */
    @Test
    void anAllocatorThatIsFasterThanTheDestroyerLeavesTheIdFree() {
        nic.queues.onWork(nic::settle, engine -> {});
        for (int i = 0; i < 2 * nic.queues.size(); i++) {
            AppendQueue brief = nic.create(attributes());
            assertThat(brief.isEmpty()).isTrue();
            assertThat(brief.destroy(true)).isTrue();
        }
        nic.queues.onWork(() -> {}, engine -> {});
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        assertThat(segments()).isZero();
    }

    @Test
    void unreadMessagesMakeItBusyUnlessForced() {
        append(peer, queue, 1, 1, 10, 1);
        assertThat(queue.destroy(false)).isFalse();
        assertThat(append(peer, queue, 1, 2, 10, 1)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(2);
        assertThat(queue.destroy(false)).isTrue();
        assertThat(queue.destroy(false)).isTrue();
        assertThat(queue.poll(collector, 10)).isZero();
        assertThat(queue.isEmpty()).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(segments()).isZero();

        AppendQueue other = nic.create(attributes());
        append(peer, other, 1, 1, 10, 1);
        assertThat(other.destroy(true)).isTrue();
        assertThat(other.depth()).isPositive();
        nic.settle();
        assertThat(other.isFreed()).isTrue();
        assertThat(segments()).isZero();
    }

    @Test
    void idIsReusedUnderAnotherKeyAndOldAppendersAreRefused() {
        append(peer, queue, 1, 1, 10, 1);
        queue.poll(collector, 1);
        assertThat(queue.destroy(false)).isTrue();
        assertThat(claim(peer, queue, 8, 1)).isEqualTo(Appender.NO_QUEUE);
        nic.settle();
        AppendQueue next = nic.create(attributes());
        assertThat(next.id()).isEqualTo(queue.id());
        assertThat(next.key()).isNotEqualTo(queue.key());
        assertThat(claim(peer, queue, 8, 1)).isEqualTo(Appender.BAD_KEY);
        // The chunks of the old queue that the appender remembers are not those of the new one.
        collector.messages.clear();
        for (int i = 0; i < 5000; i++) {
            assertThat(append(peer, next, 1, i, 100, 1)).isEqualTo(Appender.OK);
            assertThat(next.poll(collector, 1)).isEqualTo(1);
            assertThat(collector.messages.remove().number()).isEqualTo(i);
        }
    }

    @Test
    void memoryWaitsForAStalledInitiator() {
        assertThat(claim(peer, queue, 200, 1)).isEqualTo(Appender.OK);
        append(nic.peer(), queue, 2, 1, 10, 2);
        assertThat(queue.destroy(false)).isFalse();
        assertThat(queue.destroy(true)).isTrue();
        for (int i = 0; i < 10; i++) {
            nic.clock.addAndGet(TIMEOUT);
            nic.settle();
        }
        assertThat(queue.isFreed()).isFalse();
        assertThat(segments()).isPositive();
        assertThat(nic.create(attributes()).id()).isNotEqualTo(queue.id());

        fill(peer.roomBuffer(), payload(peer), 200, 1, 1);
        assertThat(commit(peer, 200, 1, 1)).isFalse();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
    }

    @Test
    void memoryWaitsForADeadInitiatorUntilItIsKnownToBeDead() {
        assertThat(claim(peer, queue, 200, 1)).isEqualTo(Appender.OK);
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isFalse();
        nic.abandon(1);
        assertThat(nic.control.isSlotIdle(1)).isFalse();
        nic.settle();
        nic.settle();
        assertThat(nic.control.isSlotIdle(1)).isTrue();
        assertThat(queue.isFreed()).isTrue();
        assertThat(segments()).isZero();
    }

    @Test
    void memoryWaitsForTheOwnersOpenClaims() {
        Appender owner = nic.queues.appender(0);
        assertThat(claim(owner, queue, 200, Appender.OWNER)).isEqualTo(Appender.OK);
        owner.large().claim(queue.id(), queue.key(), queue.pd(), 1 << 20, 3, 0);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 1 << 20, 3, 0))
                .isEqualTo(Appender.OK);
        long large = owner.large().claimed();
        append(peer, queue, 1, 1, 10, 1);

        assertThat(queue.destroy(true)).isTrue();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 1 << 20, 4, 0))
                .isEqualTo(Appender.NO_QUEUE);
        for (int i = 0; i < 10; i++) {
            nic.clock.addAndGet(TIMEOUT);
            nic.settle();
        }
        assertThat(queue.isFreed()).isFalse();
        assertThat(commit(owner, 200, 1, 1)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isFalse();
        assertThat(owner.large().commit(large, 3, 1, true)).isEqualTo(Appender.NO_QUEUE);
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(segments()).isZero();
    }

    @Test
    void aMemoryOperationOfTheDeadIsEnded() {
        nic.control.beginAccess(4, 77);
        nic.abandon(4);
        assertThat(nic.control.isKeyInFlight(77)).isTrue();
        nic.settle();
        assertThat(nic.control.isKeyInFlight(77)).isFalse();
        assertThat(nic.queues.initiators().isAbandoned(4)).isFalse();
    }
}
