package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.append.AppendFixture.Message;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that arrive in parts, and the buffers in which they wait until they are whole. */
@Timeout(180)
class StagedMessageTest {
    private final Collector collector = new Collector();
    private final AppendFixture nic = new AppendFixture();
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
    void messageInPartsHoldsUpNobodyAndTakesItsPlaceAtCommit() {
        long slow = claim(5000, 3);
        append(owner, queue, 2, 0, 10, -1);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        fill(owner.large().buffer(slow), 0, 5000, 3, 1);
        assertThat(owner.large().commit(slow, 3, 1, true)).isEqualTo(Appender.OK);
        append(owner, queue, 2, 2, 10, -1);
        queue.poll(collector, 10);
        assertThat(collector.messages)
                .containsExactly(new Message(2, 0, 10), new Message(3, 1, 5000), new Message(2, 2, 10));
        assertThat(queue.query().footprint()).isEqualTo(idle + queue.query().stagedBytes());
        assertThat(queue.query().stagedBytes()).isEqualTo(8192);
        assertThat(owner.large().openClaims()).isZero();
    }

    @Test
    void messagesInPartsStayWithinTheQueuesLimit() {
        create(attributes().reserveChunks(1).maxMessage(CHUNK / 4).memoryLimit(8 * CHUNK));
        int open = 0;
        long[] claims = new long[1000];
        while (owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK / 4, open, LargeAppender.NEVER)
                == Appender.OK) {
            claims[open++] = owner.large().claimed();
        }
        assertThat(open).as("four to each of the chunks that are not mapped").isEqualTo(4 * 6);
        assertThat(queue.query().footprint()).isEqualTo(8 * CHUNK);
        assertThat(queue.query().stagedBytes()).isEqualTo(6 * CHUNK);
        assertThat(queue.query().rnr()).isEqualTo(1);
        owner.large().abort(claims[--open]);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), CHUNK / 8 + 1, 0, 0))
                .isEqualTo(Appender.OK);
        owner.large().abort(owner.large().claimed());
        int rnr = 0;
        int sent = open;
        while (open > 0) {
            long claim = claims[--open];
            fill(owner.large().buffer(claim), 0, CHUNK / 4, 3, open);
            int status;
            while ((status = owner.large().commit(claim, 3, open, true)) == Appender.RNR) {
                rnr++;
                queue.poll(collector, Integer.MAX_VALUE);
                nic.settle();
            }
            assertThat(status).isEqualTo(Appender.OK);
        }
        assertThat(rnr).isPositive();
        queue.poll(collector, Integer.MAX_VALUE);
        assertThat(collector.messages).hasSize(sent);
        assertThat(owner.large().openClaims()).isZero();
        for (int i = 0; i < 3; i++) {
            nic.clock.addAndGet(1_000_000_000L);
            nic.settle();
        }
        assertThat(queue.query().stagedBytes()).isZero();
        assertThat(queue.query().footprint()).isEqualTo(2 * CHUNK);
    }

    @Test
    void buffersForPartsAreMadeByTheAllocator() {
        long again = 10_000_000;
        create(attributes().reserveChunks(1).surplusNanos(1_000));
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 3, again))
                .isEqualTo(Appender.RNR);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 3, again))
                .isEqualTo(Appender.RNR);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 4, again))
                .isEqualTo(Appender.RNR);
        assertThat(queue.query().stagedBytes()).isZero();
        nic.settle();
        assertThat(queue.query().stagedBytes()).as("one for each that asks").isEqualTo(2 * 8192);
        assertThat(queue.query().footprint()).isEqualTo(idle + 2 * 8192);
        nic.clock.addAndGet(2 * again);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 5, again))
                .as("they are not for others")
                .isEqualTo(Appender.RNR);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 8192, 3, again))
                .as("longer, but it fits")
                .isEqualTo(Appender.OK);
        owner.large().abort(owner.large().claimed());
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 8193, 4, again))
                .as("too long for it")
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 8193, 4, again))
                .isEqualTo(Appender.OK);
        owner.large().abort(owner.large().claimed());
        for (int i = 0; i < 4; i++) {
            nic.clock.addAndGet(3 * again);
            nic.settle();
        }
        assertThat(queue.query().stagedBytes())
                .as("what nobody has fetched too")
                .isZero();
        assertThat(queue.query().footprint()).isEqualTo(idle);
    }

    @Test
    void aBufferThatThereIsNoRoomForIsMadeWhenThereIs() {
        create(attributes().reserveChunks(1).maxMessage(CHUNK / 4).memoryLimit(3 * CHUNK));
        for (int qp = 0; qp < 4; qp++) {
            claim(CHUNK / 4, qp);
        }
        long last = owner.large().claimed();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 5, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 5, 0))
                .isEqualTo(Appender.RNR);
        owner.large().abort(last);
        nic.settle(); // what was given back goes, for memory was refused
        nic.settle();
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 5, 0))
                .isEqualTo(Appender.OK);
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 16_000, 6, 0))
                .isEqualTo(Appender.RNR);
        nic.settle();
        nic.clock.addAndGet(1_000_000_000L); // it is given up
        nic.settle();
        assertThat(queue.query().footprint()).isLessThanOrEqualTo(3 * CHUNK);
    }

    @Test
    void whoDoesNotComeAgainGetsItsBufferAtOnce() {
        assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 5000, 3, LargeAppender.NEVER))
                .isEqualTo(Appender.OK);
        assertThat(queue.query().stagedBytes()).isEqualTo(8192);
        owner.large().abort(owner.large().claimed());
    }

    @Test
    void buffersForPartsAreKeptWhileTheyAreUsed() {
        owner.large().abort(claim(5000, 3));
        for (int i = 0; i < 5; i++) {
            assertThat(queue.query().stagedBytes()).isEqualTo(8192);
            assertThat(owner.large().claim(queue.id(), queue.key(), queue.pd(), 8192, 3, 0))
                    .isEqualTo(Appender.OK);
            owner.large().abort(owner.large().claimed());
            nic.clock.addAndGet(1_000_000_000L);
            nic.settle();
        }
        nic.clock.addAndGet(1_000_000_000L);
        nic.settle();
        assertThat(queue.query().stagedBytes()).isZero();
    }

    @Test
    void stagingRoundsUpToPowersOfTwo() {
        create(attributes().chunkLength(64 << 20).maxMessage(16 << 20).reserveChunks(1));
        Staging staging = queue.staging();
        for (int length : new int[] {0, 1, 4096, 4097, 8192, 100_000, 16 << 20}) {
            AtomicBuffer buffer = staging.take(length, 3, LargeAppender.NEVER);
            assertThat(buffer.capacity()).isEqualTo(Math.max(4096, Integer.highestOneBit(Math.max(1, length) * 2 - 1)));
            assertThat(Staging.capacity(length)).isEqualTo(buffer.capacity());
            staging.give(buffer);
            assertThat(staging.take(length, 3, LargeAppender.NEVER)).isSameAs(buffer);
            assertThat(staging.drained()).isFalse();
            staging.give(buffer);
        }
        assertThat(staging.drained()).isTrue();
        assertThat(staging.bytes()).isZero();
        assertThat(queue.query().footprint()).isEqualTo(idle);
        assertThat(queue.destroy(false)).isTrue();
        assertThat(staging.take(1, 3, LargeAppender.NEVER))
                .as("a queue that is gone lends nothing")
                .isNull();
    }
}
