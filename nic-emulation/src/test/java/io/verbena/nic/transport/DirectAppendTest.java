package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.wire.AppendEthFlyweight.MAX_STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;

/**
 * Appends to a peer's mapped queues: alone, in runs, without room, and when something goes between claim and commit.
 */
class DirectAppendTest {
    private static final int OVERHEAD = DirectPath.OVERHEAD;

    private final TransportPair pair = TransportPair.direct();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    private Wr append(long id, AppendQueue queue, int length) {
        return Wr.append(id, queue.id(), queue.key()).entry(a.region, 40, length);
    }

    private String message(int length, String immediate) {
        byte[] bytes = a.bytes(40, length);
        return length + "B" + immediate + " of 5 " + bytes[0] + ".." + bytes[length - 1];
    }

    @Test
    void appendIsDoneWithoutAPacket() {
        AppendQueue queue = b.appendQueue(10_000);
        a.post(qp, append(1, queue, 100).immediate(7));
        assertThat(a.visit(qp, 1)).isEqualTo(100 + OVERHEAD);
        assertThat(pair.ab.log).isEmpty();
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 100");
        assertThat(b.messages(queue)).containsExactly(message(100, " immediate=7"));
        assertThat(a.counted(NicCounter.MERGED_APPENDS)).isZero();
    }

    @Test
    void appendsThatAreThereTogetherShareAClaim() {
        AppendQueue queue = b.appendQueue(10_000);
        a.post(
                qp,
                append(1, queue, 10),
                append(2, queue, 20).immediate(7),
                append(3, queue, 5).unsignaled());
        assertThat(a.visit(qp, 1)).isEqualTo(35 + 3 * OVERHEAD);
        assertThat(qp.operations()).isEqualTo(3);
        assertThat(a.counted(NicCounter.MERGED_APPENDS)).isEqualTo(2);
        assertThat(a.counted(NicCounter.DIRECT_OPERATIONS)).isEqualTo(3);
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 10", "2 SUCCESS APPEND 20");
        assertThat(b.messages(queue)).containsExactly(message(10, ""), message(20, " immediate=7"), message(5, ""));
    }

    @Test
    void appendsOfSeveralStreamsShareAClaim() {
        AppendQueue queue = b.appendQueue(10_000);
        a.post(
                qp,
                append(1, queue, 10).stream(MAX_STREAM),
                append(2, queue, 20).stream(1).immediate(7),
                append(3, queue, 5));
        a.visit(qp, 1);
        assertThat(a.counted(NicCounter.MERGED_APPENDS)).isEqualTo(2);
        assertThat(b.messages(queue))
                .containsExactly(message(10, " stream=4095"), message(20, " immediate=7 stream=1"), message(5, ""));
    }

    @Test
    void inlineAppendIsTakenFromItsSlot() {
        AppendQueue queue = b.appendQueue(10_000);
        pair.run(
                Wr.append(1, queue.id(), queue.key()).inline(new byte[] {3, 4, 5}),
                Wr.append(2, queue.id(), queue.key()).inline(new byte[] {6, 7}));
        assertThat(b.messages(queue)).containsExactly("3B of 5 3..5", "2B of 5 6..7");
    }

    @Test
    void runEndsWhereItIsLongerThanARunMayBe() {
        AppendQueue queue = b.appendQueue(10_000);
        pair.run(append(1, queue, 2032), append(2, queue, 2032), append(3, queue, 1)); // records of 2048 bytes
        assertThat(a.counted(NicCounter.MERGED_APPENDS)).isOne();
        assertThat(b.messages(queue)).hasSize(3);
    }

    @Test
    void followerThatIsTooLongForTheQueueIsLeftToItsTurn() {
        AppendQueue queue = b.appendQueue(20);
        pair.run(append(1, queue, 10), append(2, queue, 21));
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 10", "2 REM_INV_REQ_ERR solicited");
        assertThat(b.messages(queue)).containsExactly(message(10, ""));
        assertThat(a.counted(NicCounter.DIRECT_OPERATIONS)).isOne();
    }

    @Test
    void wrongKeyOfAQueueTravelsAsAPacket() {
        AppendQueue queue = b.appendQueue(10_000);
        pair.run(Wr.append(1, queue.id(), queue.key() + 1).entry(a.region, 0, 1));
        assertThat(pair.ab.log).hasSize(1);
        assertThat(a.done()).containsExactly("1 REM_ACCESS_ERR solicited");
    }

    @Test
    void messageTooLongForAChunkTravelsAsPackets() {
        AppendQueue queue = b.appendQueue(40_000);
        pair.run(append(1, queue, 1)); // so that the queue is known
        assertThat(a.done()).hasSize(1);
        a.post(qp, append(2, queue, 30_000));
        assertThat(qp.isNextDirect()).isFalse();
        assertThat(qp.nextQueue()).isNull();
        qp.retries().rnrRetry(7);
        a.turn();
        assertThat(pair.ab.log.get(0)).hasToString("APPEND_FIRST 100 queue=0 length=30000 256B");
        assertThat(a.counted(NicCounter.DIRECT_OPERATIONS)).isOne();
    }

    @Test
    void queueWithoutSpaceIsAskedAgainLessAndLessOften() {
        AppendQueue queue = b.appendQueue(new AppendQueueAttributes()
                .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .memoryLimit(3L * AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .reserveChunks(1)
                .maxMessage(10_000));
        qp.retries().rnrRetry(7);
        int sent = 0;
        do {
            a.post(qp, append(sent++, queue, 9000));
            a.turn();
        } while (qp.outcome() != QpContext.REFUSED && sent < 100);
        assertThat(qp.outcome()).isEqualTo(QpContext.REFUSED);
        assertThat(qp.deadline()).isEqualTo(pair.now + 5_000);
        assertThat(a.done()).hasSize(sent - 1);
        assertThat(pair.ab.log).isEmpty();
        long delay = 5_000;
        for (int i = 0; i < 10; i++) {
            a.timers.clear();
            pair.now += delay;
            qp.onTimer(pair.now);
            a.turn();
            assertThat(qp.outcome()).isEqualTo(QpContext.REFUSED);
            delay = Math.min(2 * delay, 500_000);
            assertThat(qp.deadline()).isEqualTo(pair.now + delay);
        }
        assertThat(b.messages(queue)).hasSize(sent - 1);
        while (b.allocator.doWork() > 0) {}
        pair.advance(delay);
        assertThat(a.done()).containsExactly(sent - 1 + " SUCCESS APPEND 9000");
    }

    @Test
    void queueWithoutSpaceEndsTheRequestAfterTheRnrRetries() {
        AppendQueue queue = b.appendQueue(new AppendQueueAttributes()
                .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .memoryLimit(3L * AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .reserveChunks(1)
                .maxMessage(10_000));
        int sent = 0;
        do {
            a.post(qp, append(sent++, queue, 9000));
            a.turn();
        } while (qp.outcome() != QpContext.REFUSED && sent < 100);
        a.done();
        pair.advance(5_000 + 10_000 - 1);
        assertThat(a.done()).isEmpty();
        pair.advance(1);
        assertThat(a.done()).containsExactly(sent - 1 + " RNR_RETRY_EXC_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void appendWhoseOwnKeyHasGoneIsALocalErrorAndLeavesNoHole() {
        AppendQueue queue = b.appendQueue(10_000);
        MemoryRegion gone = a.region(64, Access.ALL);
        a.regions.deregister(gone);
        a.post(qp, append(1, queue, 10), Wr.append(2, queue.id(), queue.key()).entry(gone, 0, 8));
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 10", "2 LOC_PROT_ERR solicited");
        assertThat(b.messages(queue)).containsExactly(message(10, ""));
        assertThat(b.control.isSlotIdle(QP_B)).isTrue();
    }

    @Test
    void nextQueueIsTheOneThatTheNextRequestAppendsTo() {
        AppendQueue queue = b.appendQueue(10_000);
        append(1, queue, 10).post(qp.sendRing());
        MappedQueue mapped = qp.nextQueue();
        assertThat(mapped).isNotNull().isSameAs(a.path(NIC_B).queue(queue.id()));
        a.schedule(qp);
        pair.settle();
        write(2, 1).post(qp.sendRing());
        assertThat(qp.nextQueue()).isNull();
        assertThat(a.path(NIC_B).queue(4)).isNull();
        assertThat(a.path(NIC_B).queue(-1)).isNull();
    }

    @Test
    void regionThatGoesBetweenClaimAndCopyLeavesPaddingAndALocalError() {
        AppendQueue queue = b.appendQueue(10_000);
        a.post(qp, append(1, queue, 10));
        a.looks = 1; // the check
        a.turn();
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited");
        assertThat(b.control.isSlotIdle(QP_B)).isTrue();
        assertThat(b.messages(queue)).isEmpty();
        assertThat(queue.isDrained()).isTrue(); // no hole that stops whoever comes next
    }

    @Test
    void followerWhoseRegionGoesFailsInItsOwnTurn() {
        AppendQueue queue = b.appendQueue(10_000);
        a.post(qp, append(1, queue, 10), append(2, queue, 20), append(3, queue, 30));
        a.looks = 4; // three checks, and the copy of the first
        a.turn();
        assertThat(a.done())
                .containsExactly("1 SUCCESS APPEND 10", "2 LOC_PROT_ERR solicited", "3 WR_FLUSH_ERR solicited");
        assertThat(b.messages(queue)).containsExactly(message(10, ""));
        assertThat(queue.isDrained()).isTrue();
        assertThat(a.counted(NicCounter.DIRECT_OPERATIONS)).isOne();
        assertThat(a.counted(NicCounter.MERGED_APPENDS)).isZero();
    }

    @Test
    void regionThatGoesWhileItIsWrittenFromIsALocalError() {
        Wr[] requests = {
            write(1, 10),
            Wr.write(1, b.region, 0).entry(a.region, 0, 5).entry(a.region, 8, 5),
            Wr.read(1, b.region, 0).entry(a.region, 0, 5),
            Wr.fetchAdd(1, b.region, 0, 1).entry(a.region, 0, 8)
        };
        int[] checks = {1, 2, 1, 1};
        for (int i = 0; i < requests.length; i++) {
            TransportPair one = TransportPair.direct();
            one.a.post(one.qpA, requests[i]);
            one.a.looks = checks[i];
            one.a.turn();
            assertThat(one.a.done()).containsExactly("1 LOC_PROT_ERR solicited");
            assertThat(one.b.control.isSlotIdle(QP_B)).isTrue();
        }
    }

    @Test
    void regionThatGoesAsItsRequestIsPostedEndsThatAndTheQueuePair() {
        int slot = write(1, 10).fill(qp.sendRing());
        a.looks = 1;
        assertThat(qp.executeNow(slot, new InlineData(), 100)).isEqualTo(OVERHEAD);
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(qp.sendRing().isIdle()).isTrue();
    }

    @Test
    void connectionThatEndsWithinAClaimAppendsNothing() {
        AppendQueue queue = b.appendQueue(10_000);
        OwnMemory memory = new OwnMemory(b.memory);
        pair.ab.peerMemory = new PeerMemory() {
            @Override
            public AtomicBuffer control() {
                return memory.control();
            }

            @Override
            public AtomicBuffer segment(int id) {
                pair.qpB.error(); // the claim has come to the queue's chunk
                return memory.segment(id);
            }
        };
        a.path(NIC_B).attach(pair.ab);
        a.post(qp, append(1, queue, 10));
        a.turn();
        assertThat(pair.ab.sent()).containsExactly("APPEND_ONLY 100 ask queue=0 length=10 10B");
        assertThat(a.done()).isEmpty();
        assertThat(b.messages(queue)).isEmpty();
        assertThat(queue.isDrained()).isTrue();
    }

    @Test
    void runThatDoesNotFitIsTriedWithItsFirstAlone() {
        AppendQueue queue = b.appendQueue(20);
        a.post(qp, append(1, queue, 20), append(2, queue, 30), append(3, queue, 5));
        assertThat(a.visit(qp, 1)).isEqualTo(20 + OVERHEAD);
        assertThat(qp.operations()).isOne();
        assertThat(b.messages(queue)).containsExactly(message(20, ""));
    }
}
