package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.append;
import static io.verbena.nic.append.AppendFixture.attributes;
import static io.verbena.nic.append.AppendFixture.claim;
import static io.verbena.nic.append.AppendFixture.commit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendFixture.Collector;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryQuota;
import io.verbena.nic.port.MemoryExhaustedException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queues that share the NIC's reserve: an idle one maps nothing, and none takes what another needs. */
@Timeout(180)
class SharedReserveTest {
    private static final int MESSAGE = 1024 - 16;
    private static final int PER_CHUNK = CHUNK / 1024;

    /** Three chunks of it, and one that is kept for queues without any. */
    private static final long SHARED = 2 * CHUNK;

    private final DirectMemoryProvider memory = new DirectMemoryProvider(64L << 20);
    private final AppendFixture nic = new AppendFixture(memory, SHARED);
    private final Appender engine = nic.queues.appender(0);
    private final Collector collector = new Collector();
    private int number;

    private int send(AppendQueue queue, int messages) {
        int sent = 0;
        while (sent < messages && append(engine, queue, 1, number, MESSAGE, Appender.OWNER) == Appender.OK) {
            number++;
            sent++;
        }
        return sent;
    }

    private long mapped() {
        return memory.allocated() - nic.control.buffer().capacity();
    }

    private void idle(AppendQueue queue) {
        for (int i = 0; i < 6; i++) {
            nic.clock.addAndGet(queue.attributes().surplusNanos());
            nic.settle();
            queue.poll(collector, 1);
        }
        nic.settle();
    }

    @Test
    void idleQueuesMapOneReserveTogether() {
        int count = 256;
        ControlLimits limits = new ControlLimits(2, 16, AppendFixture.QPS, count, 64);
        long own = mappedBy(limits, count, 0);
        long shared = mappedBy(limits, count, 8 * CHUNK);
        assertThat(own).isEqualTo(3L * CHUNK * count);
        assertThat(shared).isEqualTo(12L * CHUNK); // 11 hold as much as 8 full ones, whatever fits into their rest
    }

    private static long mappedBy(ControlLimits limits, int count, long shared) {
        DirectMemoryProvider memory = new DirectMemoryProvider();
        ControlBlock control = ControlBlock.create(memory, 1, limits);
        long[] key = new long[1];
        TailPointerTable queues = new TailPointerTable("n", control, memory, shared, () -> 1, () -> ++key[0]);
        for (int i = 0; i < count; i++) {
            queues.create(attributes(), 1, 0);
        }
        ChunkAllocator allocator = new ChunkAllocator(queues);
        while (allocator.doWork() > 0) {}
        return memory.allocated() - control.buffer().capacity();
    }

    @Test
    void aSingleQueueHasNoMoreThanItWouldHaveAlone() {
        AppendQueue queue = nic.create(attributes());
        nic.settle();
        assertThat(queue.query().footprint()).isZero();
        assertThat(mapped()).isEqualTo(3L * CHUNK);
        assertThat(nic.queues.querySharedReserve().clean()).isEqualTo(3L * CHUNK);
    }

    /**
     * A burst at line rate into an idle queue while the allocator is away for so many chunks' time: RNR if and only if
     * the reserve is less than rate x latency.
     */
    @ParameterizedTest
    @CsvSource({"1.0, false", "2.0, false", "2.9, false", "3.2, true", "4.0, true"})
    void aBurstIntoAnIdleQueueMeetsNoRnrIfTheReserveCoversIt(double chunks, boolean expectRnr) {
        AppendQueue queue = nic.create(attributes());
        nic.create(attributes());
        nic.create(attributes());
        nic.settle();
        int messages = (int) (chunks * PER_CHUNK);
        int sent = send(queue, messages);
        assertThat(sent < messages).isEqualTo(expectRnr);
        assertThat(queue.query().rnr() > 0).isEqualTo(expectRnr);
        assertThat(queue.poll(collector, Integer.MAX_VALUE)).isEqualTo(sent);
    }

    @Test
    void aQueueThatFillsUpTakesNoOtherQueuesFirstChunk() {
        AppendQueue greedy = nic.create(attributes());
        AppendQueue idle = nic.create(attributes());
        nic.settle();
        send(greedy, Integer.MAX_VALUE);
        assertThat(greedy.query().rnr()).isPositive();
        assertThat(nic.queues.querySharedReserve().drained()).isPositive();
        assertThat(send(idle, PER_CHUNK)).as("of the idle one").isEqualTo(PER_CHUNK);
        assertThat(idle.query().rnr()).isZero();
        nic.settle(); // what was refused is made up for
        assertThat(send(greedy, PER_CHUNK)).isEqualTo(PER_CHUNK);
    }

    @Test
    void aQueueThatGoesThroughChunksKeepsOneAhead() {
        AppendQueue queue = nic.create(attributes());
        nic.settle();
        for (int i = 0; i < 40; i++) {
            assertThat(send(queue, PER_CHUNK)).isEqualTo(PER_CHUNK);
            assertThat(queue.poll(collector, PER_CHUNK)).isEqualTo(PER_CHUNK);
            nic.settle();
        }
        assertThat(queue.query().announcedFree()).isBetween((long) CHUNK, 2L * CHUNK);
        long taken = nic.queues.querySharedReserve().taken();
        assertThat(taken).as("its own chunks go round").isLessThan(10);
        assertThat(queue.query().rnr()).isZero();
    }

    @Test
    void aQueueThatIsIdleAgainGivesAllBackAndItIsClean() {
        AppendQueue queue = nic.create(attributes());
        AppendQueue other = nic.create(attributes());
        nic.settle();
        assertThat(send(queue, 2 * PER_CHUNK)).isEqualTo(2 * PER_CHUNK);
        assertThat(queue.query().footprint()).isEqualTo(2L * CHUNK);
        queue.poll(collector, Integer.MAX_VALUE);
        nic.engineWakes.clear();
        idle(queue);
        assertThat(nic.engineWakes).as("its consumer is told").isNotEmpty();
        assertThat(queue.query().footprint()).isZero();
        assertThat(queue.depth()).isZero();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(mapped()).isEqualTo(nic.queues.querySharedReserve().target());
        assertThat(send(queue, 1)).isEqualTo(1);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            nic.clock.addAndGet(queue.attributes().surplusNanos());
            nic.settle(); // from now on it may rest
        }
        assertThat(send(other, 1)).isEqualTo(1); // takes one, so that the reserve has room
        queue.poll(collector, 1);
        nic.settle();
        assertThat(queue.query().footprint()).isZero();
        // All that lies in the reserve is used, and the kept chunk by the one that rests.
        int quarters = takeAllClean(other) + takeAllClean(queue);
        assertThat(nic.queues.querySharedReserve().mapped()).isZero();
        assertThat(quarters).isGreaterThan(8);
    }

    /** Takes chunks until there are none for the queue; returns how many claims of a quarter there were. */
    private int takeAllClean(AppendQueue queue) {
        int claims = 0;
        while (claim(engine, queue, CHUNK / 4, Appender.OWNER) == Appender.OK) {
            claims++;
            for (int at = 0; at < CHUNK / 4; at += 8) {
                assertThat(engine.roomBuffer().getLong(AppendFixture.payload(engine) + at))
                        .isZero();
            }
            AppendFixture.abort(engine, CHUNK / 4);
        }
        return claims;
    }

    @Test
    void aMessageThatIsUnreadKeepsItsQueueAwake() {
        AppendQueue queue = nic.create(attributes());
        send(queue, 1);
        for (int i = 0; i < 5; i++) {
            nic.clock.addAndGet(queue.attributes().surplusNanos());
            nic.settle();
        }
        assertThat(queue.query().footprint()).isEqualTo(CHUNK);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
    }

    @Test
    void aClaimThatComesBeforeItRestsIsNotPassedOver() {
        AppendQueue queue = nic.create(attributes());
        send(queue, 1);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            nic.clock.addAndGet(queue.attributes().surplusNanos());
            nic.settle(); // from now on it may rest
        }
        Appender peer = nic.peer();
        assertThat(claim(peer, queue, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isZero();
        AppendFixture.fill(peer.roomBuffer(), AppendFixture.payload(peer), MESSAGE, 2, 7);
        assertThat(commit(peer, MESSAGE, 2, 7)).isTrue();
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        idle(queue);
        assertThat(queue.query().footprint()).isZero();
    }

    @Test
    void aDirectPeerSendsWhatFindsNoChunkAsPacketsAndTheRestDirectly() {
        AppendQueue queue = nic.create(attributes());
        nic.settle();
        Appender peer = nic.peer();
        assertThat(append(peer, queue, 2, 0, MESSAGE, 2)).isEqualTo(Appender.NOT_ANNOUNCED);
        assertThat(nic.control.isSlotIdle(2)).isTrue();
        assertThat(queue.query().rnr()).isZero();
        assertThat(append(engine, queue, 2, 0, MESSAGE, Appender.OWNER)).isEqualTo(Appender.OK);
        assertThat(append(peer, queue, 2, 1, MESSAGE, 2)).isEqualTo(Appender.OK);
        assertThat(queue.poll(collector, 10)).isEqualTo(2);
        assertThat(collector.messages).extracting(AppendFixture.Message::number).containsExactly(0, 1);
    }

    @Test
    void aStalledPeersChunkStaysOutOfTheReserve() {
        AppendQueue queue = nic.create(attributes().holeTimeoutNanos(1000));
        AppendQueue other = nic.create(attributes());
        nic.settle();
        send(queue, 1);
        assertThat(queue.poll(collector, 10)).isEqualTo(1);
        Appender stalled = nic.peer();
        assertThat(claim(stalled, queue, MESSAGE, 2)).isEqualTo(Appender.OK);
        AtomicBuffer its = stalled.roomBuffer();
        int at = AppendFixture.payload(stalled);
        nic.settle();
        nic.clock.addAndGet(1000);
        nic.settle();
        assertThat(queue.query().holes()).isEqualTo(1);
        queue.poll(collector, 10);
        idle(queue);
        nic.abandon(2);
        idle(queue);
        assertThat(queue.query().footprint()).isZero();
        List<AtomicBuffer> rooms = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            assertThat(claim(engine, other, CHUNK / 4, Appender.OWNER)).isEqualTo(Appender.OK);
            rooms.add(engine.roomBuffer());
            AppendFixture.abort(engine, CHUNK / 4);
            nic.settle();
        }
        its.putLong(at, 4711); // the end of its copy
        assertThat(rooms).as("the chunk is nobody else's").noneMatch(room -> room == its);
        assertThat(commit(stalled, MESSAGE, 2, 0)).isFalse();
    }

    @Test
    void whatLiesInTheReserveIsNobodysAndWhatIsTakenIsTheTenants() {
        MemoryQuota quota = new MemoryQuota("tin", CHUNK + 1000);
        AppendQueue queue = nic.queues.create(attributes(), 1, 1, quota);
        nic.settle();
        assertThat(quota.used()).isZero();
        assertThat(send(queue, PER_CHUNK)).isEqualTo(PER_CHUNK);
        assertThat(quota.used()).isEqualTo(CHUNK);
        long clean = nic.queues.querySharedReserve().clean();
        assertThat(send(queue, 1)).as("beyond the tenant's memory").isZero();
        assertThat(nic.queues.querySharedReserve().clean()).isEqualTo(clean);
        queue.poll(collector, Integer.MAX_VALUE);
        idle(queue);
        assertThat(quota.used()).isZero();
        assertThat(send(queue, 1)).isEqualTo(1);
    }

    @Test
    void theReserveGoesWithTheLastQueue() {
        AppendQueue first = nic.create(attributes());
        AppendQueue second = nic.create(attributes());
        nic.settle();
        send(first, PER_CHUNK / 2);
        assertThat(first.destroy(true)).isTrue();
        nic.settle();
        assertThat(first.isFreed()).isTrue();
        assertThat(mapped()).isEqualTo(nic.queues.querySharedReserve().mapped()).isEqualTo(3L * CHUNK);
        assertThat(second.destroy(false)).isTrue();
        nic.settle();
        assertThat(second.isFreed()).isTrue();
        assertThat(mapped()).isZero();
    }

    @Test
    void whatADestroyedQueueHasWrittenIsNotSeenByAnother() {
        AppendQueue queue = nic.create(attributes());
        AppendQueue other = nic.create(attributes());
        AppendQueue third = nic.create(attributes());
        nic.settle();
        send(queue, PER_CHUNK / 2);
        assertThat(queue.destroy(true)).isTrue();
        long mapped = mapped();
        nic.settle();
        assertThat(queue.isFreed()).isTrue();
        assertThat(mapped()).as("its chunk is in the reserve again").isEqualTo(mapped);
        int quarters = takeAllClean(other) + takeAllClean(third);
        assertThat(nic.queues.querySharedReserve().mapped()).isZero();
        assertThat(quarters).isGreaterThan(8);
    }

    @Test
    void aQueueWithAReserveOfItsOwnHasIt() {
        AppendQueue queue = nic.create(attributes().reserveChunks(2));
        assertThat(queue.query().footprint()).isEqualTo(3L * CHUNK);
        assertThat(queue.query().announcedFree()).isEqualTo(3L * CHUNK);
        queue.modify(attributes());
        nic.settle();
        nic.create(attributes());
        idle(queue);
        assertThat(queue.query().footprint()).as("it shares from now on").isZero();
        queue.modify(attributes().reserveChunks(3));
        nic.settle();
        assertThat(queue.query().announcedFree()).isEqualTo(3L * CHUNK);
        assertThat(nic.queues.querySharedReserve().target())
                .as("one queue shares it")
                .isEqualTo(3L * CHUNK);
    }

    @Test
    void memoryThatIsShortTakesTheReserveButWhatIsKept() {
        long before = memory.allocated();
        DirectMemoryProvider little = new DirectMemoryProvider(before + 7L * CHUNK);
        AppendFixture small = new AppendFixture(little, SHARED);
        AppendQueue queue = small.create(attributes().maxMessage(4 * CHUNK));
        small.create(attributes());
        small.create(attributes());
        small.settle();
        long target = small.queues.querySharedReserve().target();
        assertThat(target).isEqualTo(4L * CHUNK);
        Appender appender = small.queues.appender(0);
        assertThat(appender.large().claim(queue.id(), queue.key(), queue.pd(), 4 * CHUNK, 1, 0))
                .isEqualTo(Appender.RNR);
        for (int i = 0; i < 6; i++) {
            small.allocator.doWork();
        }
        assertThat(appender.large().claim(queue.id(), queue.key(), queue.pd(), 4 * CHUNK, 1, 0))
                .isEqualTo(Appender.OK);
        assertThat(small.queues.querySharedReserve().mapped()).isBetween((long) CHUNK, target - CHUNK);
        assertThat(append(appender, queue, 1, 0, MESSAGE, Appender.OWNER)).isEqualTo(Appender.OK);
    }

    @Test
    void aQueueIsRefusedIfThereIsNoChunkForIt() {
        AppendFixture none =
                new AppendFixture(new DirectMemoryProvider(nic.control.buffer().capacity() + CHUNK - 1), SHARED);
        assertThatThrownBy(() -> none.create(attributes())).isInstanceOf(MemoryExhaustedException.class);
        assertThat(none.queues.querySharedReserve().target()).isZero();
    }

    /** Bytes of a message for which a mapping of its own is made. */
    private static final int LARGE = CHUNK;

    private int claimLarge(AppendQueue queue, int qp) {
        LargeAppender large = engine.large();
        large.claim(queue.id(), queue.key(), queue.pd(), LARGE, qp, 0); // asks for the mapping
        nic.settle();
        return large.claim(queue.id(), queue.key(), queue.pd(), LARGE, qp, 0);
    }

    private void finishes(AppendQueue queue, long claim, int qp) {
        for (int tries = 0; engine.large().commit(claim, qp, 0, false) != Appender.OK; tries++) {
            assertThat(tries).as("a message in parts that never ends").isLessThan(10);
            nic.settle();
        }
        assertThat(queue.poll(
                        (buffer, offset, length, source, immediate, flags) ->
                                assertThat(length).isEqualTo(LARGE),
                        1))
                .isOne();
    }

    @Test
    void messagesInPartsLeaveRoomForTheFirstChunkOfAQueueThatRests() {
        AppendQueue queue = nic.create(attributes().maxMessage(LARGE).memoryLimit(2L * CHUNK + LARGE - 1));
        nic.settle();
        assertThat(claimLarge(queue, 3)).isEqualTo(Appender.OK);
        long first = engine.large().claimed();
        assertThat(claimLarge(queue, 4)).as("no chunk has room beside both").isEqualTo(Appender.RNR);
        finishes(queue, first, 3);
        for (int tries = 0; claimLarge(queue, 4) != Appender.OK; tries++) {
            assertThat(tries).as("a message in parts that never begins").isLessThan(10);
            idle(queue);
        }
        finishes(queue, engine.large().claimed(), 4);
        assertThat(queue.query().highWater())
                .isLessThanOrEqualTo(queue.attributes().memoryLimit());
    }

    @Test
    void aLimitThatIsLoweredBelowMessagesInPartsStopsNoneOfThem() {
        AppendQueue queue = nic.create(attributes().maxMessage(LARGE));
        nic.settle();
        assertThat(claimLarge(queue, 3)).isEqualTo(Appender.OK);
        long first = engine.large().claimed();
        assertThat(claimLarge(queue, 4)).isEqualTo(Appender.OK);
        long second = engine.large().claimed();
        queue.modify(new AppendQueueAttributes(queue.attributes()).memoryLimit(CHUNK + LARGE));
        nic.settle();
        finishes(queue, first, 3);
        finishes(queue, second, 4);
    }
}
