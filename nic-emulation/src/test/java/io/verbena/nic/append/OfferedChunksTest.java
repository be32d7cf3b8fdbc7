package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.memory.ControlDescriptor;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryQuota;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Direct peers take chunks of the shared reserve themselves: an idle queue takes what they send, and nobody waits. */
@Timeout(60)
class OfferedChunksTest {
    private static final int MESSAGE = 1024 - 16;
    private static final int PER_CHUNK = CHUNK / 1024;

    /** Three chunks of it, and one that is kept for queues without any. */
    private static final long SHARED = 2 * CHUNK;

    private final DirectMemoryProvider memory = new DirectMemoryProvider(64L << 20);
    private final AppendFixture nic = new AppendFixture(memory, SHARED);
    private final Appender engine = nic.queues.appender(0);
    private final Collector collector = new Collector();

    private long mapped() {
        return memory.allocated() - nic.control.buffer().capacity();
    }

    @Test
    void aDirectPeerTakesAChunkItself() {
        AppendQueue queue = nic.create(attributes());
        Appender peer = nic.peer(); // nobody of the owner has done anything since
        assertThat(queue.isEmpty()).isTrue();
        assertThat(append(peer, queue, 2, 0, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.query().footprint()).as("as far as the owner has seen").isZero();
        assertThat(queue.isEmpty()).isFalse();
        assertThat(append(engine, queue, 2, 1, MESSAGE, Appender.OWNER)).isEqualTo(Appender.OK);
        assertThat(append(peer, queue, 2, 2, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(3);
        assertThat(collector.messages).extracting(AppendFixture.Message::number).containsExactly(0, 1, 2);
        assertThat(queue.query().footprint()).isEqualTo(CHUNK);
        assertThat(queue.query().rnr()).isZero();
    }

    /** As with a reserve of its own: the first chunk and two more, though nobody of the owner does anything. */
    @Test
    void aDirectPeersBurstFindsRoomWithoutTheOwner() {
        AppendQueue queue = nic.create(attributes());
        nic.create(attributes());
        nic.settle();
        Appender peer = nic.peer();
        int sent = 0;
        int status;
        while ((status = append(peer, queue, 2, sent, MESSAGE, 2)) == Appender.OK) {
            sent++;
        }
        assertThat(status).isEqualTo(Appender.NOT_ANNOUNCED);
        assertThat(nic.control.isSlotIdle(2)).isTrue();
        assertThat(sent).isEqualTo(3 * PER_CHUNK);
        assertThat(queue.query().rnr()).isZero();
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(sent);
        nic.settle();
        assertThat(append(peer, queue, 2, sent, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
    }

    @Test
    void twoPeersTakeTheSameChunk() {
        AppendQueue queue = nic.create(attributes());
        nic.settle();
        Appender first = nic.peer();
        Appender second = nic.peer();
        for (int i = 0; i < PER_CHUNK; i++) {
            assertThat(append((i & 1) == 0 ? first : second, queue, 2 + (i & 1), i, MESSAGE, 2 + (i & 1)))
                    .isEqualTo(Appender.OK);
        }
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(PER_CHUNK);
        assertThat(queue.query().footprint()).isEqualTo(CHUNK);
        assertThat(nic.queues.querySharedReserve().taken()).isEqualTo(1);
    }

    @Test
    void aDirectPeerTakesNoOtherQueuesFirstChunk() {
        AppendQueue greedy = nic.create(attributes());
        AppendQueue idle = nic.create(attributes());
        nic.settle();
        Appender peer = nic.peer();
        int sent = 0;
        while (append(peer, greedy, 2, sent, MESSAGE, 2) == Appender.OK) {
            sent++;
        }
        Appender other = nic.peer();
        for (int i = 0; i < PER_CHUNK; i++) {
            assertThat(append(other, idle, 3, i, MESSAGE, 3))
                    .as("%d of the idle one", i)
                    .isEqualTo(Appender.OK);
        }
    }

    @Test
    void aQueueNearItsLimitLendsNothing() {
        int longest = 1 << 20;
        AppendQueue queue = nic.create(attributes().maxMessage(longest).memoryLimit(2L * CHUNK + longest));
        nic.settle();
        Appender peer = nic.peer();
        for (int i = 0; i < PER_CHUNK; i++) {
            assertThat(append(peer, queue, 2, i, MESSAGE, 2)).isEqualTo(Appender.OK);
        }
        nic.settle();
        assertThat(append(peer, queue, 2, PER_CHUNK, MESSAGE, 2))
                .as("a longest message needs what is left")
                .isEqualTo(Appender.NOT_ANNOUNCED);
        assertThat(append(engine, queue, 2, PER_CHUNK, MESSAGE, Appender.OWNER)).isEqualTo(Appender.OK);
        assertThat(queue.query().footprint()).isEqualTo(2L * CHUNK);
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(PER_CHUNK + 1);
    }

    @Test
    void aQueueWhoseTenantHasNoMemoryLendsNothing() {
        MemoryQuota quota = new MemoryQuota("tin", CHUNK - 1);
        AppendQueue queue = nic.queues.create(attributes(), 1, 1, quota);
        nic.settle();
        Appender peer = nic.peer();
        assertThat(append(peer, queue, 2, 0, MESSAGE, 2)).isEqualTo(Appender.NOT_ANNOUNCED);
        quota.limit(CHUNK);
        nic.settle();
        assertThat(append(peer, queue, 2, 0, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        assertThat(quota.used()).isEqualTo(CHUNK);
    }

    @Test
    void whatAPeerHasTakenOfAQueueThatIsDestroyedComesBack() {
        AppendQueue queue = nic.create(attributes());
        AppendQueue other = nic.create(attributes());
        nic.settle();
        assertThat(append(nic.peer(), queue, 2, 0, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.destroy(true)).isTrue();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(mapped()).isEqualTo(3L * CHUNK);
        assertThat(nic.queues.querySharedReserve().clean()).isEqualTo(3L * CHUNK);
        AppendQueue again = nic.create(attributes());
        assertThat(again.id()).isEqualTo(queue.id());
        assertThat(append(nic.peer(), again, 2, 0, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(again.poll(collector, 10)).isEqualTo(1);
        assertThat(other.isEmpty()).isTrue();
    }

    /** Who has the control block mapped can write anything there: what it says it has taken is given up. */
    @Test
    void whatIsTakenForNoQueueIsReplaced() {
        AppendQueue queue = nic.create(attributes());
        nic.settle();
        int first = OfferedChunks.first(CHUNK);
        for (int i = 0; i < ControlDescriptor.OFFERS_PER_LENGTH; i++) {
            nic.control.buffer().putLong(nic.control.offerOffset(first + i), (i & 1) == 0 ? -1 : Long.MIN_VALUE);
        }
        nic.settle();
        assertThat(nic.queues.querySharedReserve().clean()).isEqualTo(3L * CHUNK);
        assertThat(append(nic.peer(), queue, 2, 0, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
    }
}
