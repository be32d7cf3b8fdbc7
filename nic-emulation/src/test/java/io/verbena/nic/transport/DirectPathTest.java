package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.wire.Opcode;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Requests on a peer's mapped memory: done without a packet, or sent as packets where that is not possible. */
class DirectPathTest {
    private static final int OVERHEAD = DirectPath.OVERHEAD;

    private final TransportPair pair = TransportPair.direct();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    // ---- memory --------------------------------------------------------------------------------------------------

    @Test
    void writeIsDoneWithoutAPacket() {
        a.post(qp, write(1, 600));
        assertThat(qp.isNextDirect()).isTrue();
        assertThat(a.visit(qp, 1000)).isEqualTo(600 + OVERHEAD);
        assertThat(qp.operations()).isOne();
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
        assertThat(pair.ab.log).isEmpty();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 600");
        assertThat(b.bytes(1000, 600)).isEqualTo(a.bytes(40, 600));
        assertThat(b.bytes(1600, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 1600));
        assertThat(a.counted(NicCounter.DIRECT_OPERATIONS)).isOne();
        assertThat(b.control.isSlotIdle(QP_B)).isTrue();
        assertThat(a.timers).isEmpty();
        assertThat(qp.sendRing().isIdle()).isTrue();
    }

    @Test
    void writeIsSlicedByTheBudget() {
        a.post(qp, write(1, 600));
        assertThat(a.visit(qp, 100)).isEqualTo(100 + OVERHEAD);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        assertThat(qp.operations()).isZero();
        assertThat(b.bytes(1099, 2)).containsExactly(a.bytes(139, 1)[0], FakeNic.pattern(b.id, 1100));
        assertThat(a.visit(qp, 499)).isEqualTo(499 + OVERHEAD);
        assertThat(a.done()).isEmpty();
        assertThat(a.visit(qp, 1000)).isEqualTo(1 + OVERHEAD);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 600");
        assertThat(b.bytes(1000, 600)).isEqualTo(a.bytes(40, 600));
    }

    @Test
    void writeGathersFromSeveralEntries() {
        pair.run(Wr.write(1, b.region, 1000).entry(a.region, 40, 100).entry(a.region, 500, 50));
        assertThat(b.bytes(1000, 100)).isEqualTo(a.bytes(40, 100));
        assertThat(b.bytes(1100, 50)).isEqualTo(a.bytes(500, 50));
    }

    @Test
    void inlineWriteIsTakenFromItsSlot() {
        a.post(qp, Wr.write(1, b.region, 1000).inline(new byte[] {1, 2, 3, 4, 5}));
        a.visit(qp, 2);
        assertThat(b.bytes(1000, 2)).containsExactly(1, 2);
        pair.settle();
        assertThat(b.bytes(1000, 5)).containsExactly(1, 2, 3, 4, 5);
        assertThat(pair.ab.log).isEmpty();
    }

    @Test
    void readIsDoneWithoutAPacket() {
        pair.run(Wr.read(1, b.region, 1000).entry(a.region, 40, 100).entry(a.region, 500, 50));
        assertThat(pair.ab.log).isEmpty();
        assertThat(a.done()).containsExactly("1 SUCCESS READ 150");
        assertThat(a.bytes(40, 100)).isEqualTo(b.bytes(1000, 100));
        assertThat(a.bytes(500, 50)).isEqualTo(b.bytes(1100, 50));
    }

    @Test
    void readIsSlicedByTheBudget() {
        a.post(qp, Wr.read(1, b.region, 1000).entry(a.region, 40, 100));
        a.visit(qp, 60);
        assertThat(a.done()).isEmpty();
        a.visit(qp, 60);
        assertThat(a.done()).containsExactly("1 SUCCESS READ 100");
        assertThat(a.bytes(40, 100)).isEqualTo(b.bytes(1000, 100));
    }

    @Test
    void atomicsAreTheCpus() {
        b.region.buffer().putLong(1000, 41);
        a.post(qp, Wr.fetchAdd(1, b.region, 1000, 2).entry(a.region, 0, 8));
        assertThat(a.visit(qp, 1000)).isEqualTo(8 + OVERHEAD);
        pair.run(
                Wr.compareSwap(2, b.region, 1000, 43, 50).entry(a.region, 8, 8),
                Wr.compareSwap(3, b.region, 1000, 43, 60).entry(a.region, 16, 8));
        assertThat(pair.ab.log).isEmpty();
        assertThat(a.done())
                .containsExactly("1 SUCCESS FETCH_ADD 8", "2 SUCCESS COMPARE_SWAP 8", "3 SUCCESS COMPARE_SWAP 8");
        assertThat(a.region.buffer().getLong(0)).isEqualTo(41);
        assertThat(a.region.buffer().getLong(8)).isEqualTo(43);
        assertThat(a.region.buffer().getLong(16)).isEqualTo(50);
        assertThat(b.region.buffer().getLong(1000)).isEqualTo(50);
    }

    @Test
    void emptyRequestsLookAtNoKey() {
        pair.run(Wr.write(1, b.region, 0).at(0x7777, 0), Wr.read(2, b.region, 0).at(0x7777, 0));
        assertThat(pair.ab.log).isEmpty();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 0", "2 SUCCESS READ 0");
    }

    @Test
    void sendsAndWritesWithImmediateGoAsPackets() {
        b.receive(pair.qpB, 11, 0, 100);
        b.receive(pair.qpB, 12, 0, 100);
        a.post(qp, Wr.send(1).entry(a.region, 0, 10));
        assertThat(qp.isNextDirect()).isFalse();
        pair.run(Wr.write(2, b.region, 0).entry(a.region, 0, 10).immediate(1));
        assertThat(pair.ab.log).hasSize(2);
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10", "2 SUCCESS WRITE 10");
    }

    @Test
    void directRequestWaitsForPacketsBeforeIt() {
        b.receive(pair.qpB, 11, 0, 100);
        a.post(qp, Wr.send(1).entry(a.region, 0, 10), write(2, 10));
        a.turn();
        assertThat(qp.outcome()).isEqualTo(QpContext.WAITING);
        assertThat(b.bytes(1000, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 1000));
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10", "2 SUCCESS WRITE 10");
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void badRemoteKeyTravelsAsAPacketAndThePeerJudges() {
        pair.run(write(1, 600).at(0x7777, 0));
        assertThat(pair.ab.log).hasSize(3);
        assertThat(b.takeEvents()).containsExactly("QP_ACCESS_ERR 5");
        assertThat(a.done()).containsExactly("1 REM_ACCESS_ERR solicited");
        assertThat(a.counted(NicCounter.DIRECT_OPERATIONS)).isZero();
        assertThat(b.control.isSlotIdle(QP_B)).isTrue();
    }

    @Test
    void missingAccessOfTheQueuePairTravelsAsAPacket() {
        int[] missing = {Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC};
        for (int flag : missing) {
            TransportPair one = TransportPair.direct();
            one.qpB.access(Access.ALL & ~flag);
            Wr wr = flag == Access.REMOTE_WRITE
                    ? Wr.write(1, one.b.region, 0).entry(one.a.region, 0, 8)
                    : flag == Access.REMOTE_READ
                            ? Wr.read(1, one.b.region, 0).entry(one.a.region, 0, 8)
                            : Wr.fetchAdd(1, one.b.region, 0, 1).entry(one.a.region, 0, 8);
            one.run(wr);
            assertThat(one.ab.log).hasSize(1);
            assertThat(one.a.done()).containsExactly("1 REM_INV_REQ_ERR solicited");
        }
    }

    @Test
    void misalignedAtomicTravelsAsAPacket() {
        pair.run(Wr.fetchAdd(1, b.region, 4, 1).entry(a.region, 0, 8));
        assertThat(pair.ab.log).hasSize(1);
        assertThat(a.done()).containsExactly("1 REM_INV_REQ_ERR solicited");
    }

    @Test
    void memoryThatIsNotMappedIsReachedByPackets() {
        UnsafeBuffer heap = new UnsafeBuffer(new byte[1024]);
        MemoryRegion region = b.regions.register(heap, -1, 0, 1024, Access.ALL, FakeNic.PD);
        pair.run(Wr.write(1, region, 10).entry(a.region, 40, 300), write(2, 5));
        assertThat(pair.ab.sent()).containsExactly("WRITE_FIRST 100 at=10 length=300 256B", "WRITE_LAST 101 ask 44B");
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 300", "2 SUCCESS WRITE 5");
        assertThat(heap.getByte(10)).isEqualTo(a.bytes(40, 1)[0]);
        assertThat(a.counted(NicCounter.DIRECT_OPERATIONS)).isOne(); // the second goes directly again
    }

    @Test
    void writeThatIsRefusedHalfWayIsSentWholeAsPackets() {
        MemoryRegion gone = b.region(1024, Access.ALL);
        a.post(qp, Wr.write(1, gone, 0).entry(a.region, 40, 600));
        a.visit(qp, 100);
        b.regions.deregister(gone);
        pair.settle();
        assertThat(pair.ab.log.get(0)).hasToString("WRITE_FIRST 100 at=0 length=600 256B");
        assertThat(a.done()).containsExactly("1 REM_ACCESS_ERR solicited");
    }

    @Test
    void slotThatAnotherInitiatorHasTakenSendsPackets() {
        assertThat(b.control.beginAccess(QP_B, b.region.key())).isTrue();
        pair.run(write(1, 10));
        assertThat(pair.ab.log).hasSize(1);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 10");
        assertThat(b.control.isSlotIdle(QP_B)).isFalse(); // it is still that one's
    }

    @Test
    void badLocalKeyIsALocalError() {
        MemoryRegion other = a.region(64, Access.ALL, 2);
        pair.run(Wr.write(1, b.region, 0).entry(other, 0, 8));
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited");
        assertThat(pair.ab.log).isEmpty();
    }

    @Test
    void localRegionThatGoesHalfWayIsALocalError() {
        MemoryRegion gone = a.region(1024, Access.ALL);
        Wr[] requests = {
            Wr.write(1, b.region, 0).entry(gone, 0, 600),
            Wr.write(1, b.region, 0).entry(gone, 0, 500).entry(gone, 500, 100),
            Wr.read(1, b.region, 0).entry(gone, 0, 600)
        };
        for (Wr request : requests) {
            TransportPair one = TransportPair.direct();
            MemoryRegion its = one.a.region(1024, Access.ALL); // under the same key
            one.a.post(one.qpA, request);
            one.a.visit(one.qpA, 100);
            one.a.regions.deregister(its);
            one.a.visit(one.qpA, 1000);
            assertThat(one.a.done()).containsExactly("1 LOC_PROT_ERR solicited");
            assertThat(one.qpA.state()).isEqualTo(QpState.ERR);
            assertThat(one.b.control.isSlotIdle(QP_B)).isTrue();
        }
    }

    @Test
    void peerThatIsNotReadyForTheConnectionGetsPackets() {
        pair.qpB.error();
        b.takeEvents();
        pair.run(write(1, 10));
        assertThat(pair.ab.log).hasSize(1);
        assertThat(b.bytes(1000, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 1000));
    }

    @Test
    void peerThatFailsLaterIsNotWrittenToAnyMore() {
        pair.run(write(1, 1), Wr.read(2, b.region, 0).entry(a.region, 0, 8));
        assertThat(a.done()).hasSize(2);
        assertThat(pair.ab.log).isEmpty();
        pair.qpB.error();
        b.region.buffer().putByte(1000, (byte) 99);
        pair.run(write(3, 1), Wr.fetchAdd(4, b.region, 8000, 1).entry(a.region, 0, 8));
        pair.advance(4 * TransportPair.TIMEOUT);
        assertThat(b.bytes(1000, 1)).containsExactly(99);
        assertThat(a.done()).containsExactly("3 RETRY_EXC_ERR solicited", "4 WR_FLUSH_ERR solicited");
    }

    @Test
    void peerThatDrainsOrStopsSendingIsWrittenTo() {
        pair.run(write(1, 1));
        pair.qpB.state(QpState.SQD);
        pair.run(write(2, 1));
        assertThat(a.done()).hasSize(2);
        assertThat(pair.ab.log).isEmpty();
    }

    @Test
    void connectionThatIsNotThisOneIsNotWrittenTo() {
        pair.run(write(1, 1));
        pair.qpB.connect(b.path(TransportPair.NIC_A), 9, MTU, 0, 4); // the peer has given it to another
        pair.qpB.state(QpState.RTS);
        b.region.buffer().putByte(1000, (byte) 99);
        a.post(qp, write(2, 1));
        a.turn();
        assertThat(b.bytes(1000, 1)).containsExactly(99);
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void linkThatIsDownHoldsDirectRequestsUp() {
        pair.ab.state = Link.State.DOWN;
        pair.run(write(1, 1));
        assertThat(b.bytes(1000, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 1000));
        assertThat(qp.outcome()).isEqualTo(QpContext.BLOCKED);
    }

    @Test
    void packetsThatWereLostAreSentAgainAsPackets() {
        UnsafeBuffer heap = new UnsafeBuffer(new byte[1024]);
        MemoryRegion region = b.regions.register(heap, -1, 0, 1024, Access.ALL, FakeNic.PD);
        pair.ab.lose(100, 1);
        pair.run(Wr.write(1, region, 0).entry(a.region, 40, 10));
        pair.advance(TransportPair.TIMEOUT);
        assertThat(pair.ab.log).hasSize(2);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 10");
    }

    @Test
    void readWithoutAnyAllowedIsALocalOperationError() {
        qp.maxRdAtomic(0);
        pair.run(Wr.read(1, b.region, 0).entry(a.region, 0, 8));
        assertThat(a.done()).containsExactly("1 LOC_QP_OP_ERR solicited");
    }

    @Test
    void readsAreNotHeldBackByTheirMaximum() {
        qp.maxRdAtomic(1);
        a.post(
                qp,
                Wr.read(1, b.region, 0).entry(a.region, 0, 8),
                Wr.read(2, b.region, 0).entry(a.region, 8, 8),
                write(3, 1).fence());
        a.turn();
        assertThat(a.done()).hasSize(3);
    }

    @Test
    void drainingIsToldWhenTheSliceUnderWayIsDone() {
        a.post(qp, write(1, 600), write(2, 1));
        a.visit(qp, 100);
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).isEmpty();
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 600");
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
    }

    // ---- appends -------------------------------------------------------------------------------------------------

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
        qp.rnrRetry(7);
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
        qp.rnrRetry(7);
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

    // ---- cut-through ---------------------------------------------------------------------------------------------

    private int executeNow(Wr wr, InlineData data, int longest) {
        return qp.executeNow(wr.fill(qp.sendRing()), data, longest);
    }

    @Test
    void requestIsExecutedAsItIsPosted() {
        assertThat(executeNow(write(1, 600), new InlineData(), 600)).isEqualTo(600 + OVERHEAD);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 600");
        assertThat(b.bytes(1000, 600)).isEqualTo(a.bytes(40, 600));
        assertThat(executeNow(write(2, 1).unsignaled(), new InlineData(), 600)).isEqualTo(1 + OVERHEAD);
        assertThat(a.done()).isEmpty();
        assertThat(qp.sendRing().isIdle()).isTrue();
        assertThat(a.visit(qp, 100)).isZero(); // what was charged is not charged again
    }

    @Test
    void inlineDataIsTakenFromThePoster() {
        AppendQueue queue = b.appendQueue(10_000);
        InlineData data = new InlineData();
        data.wrap(new UnsafeBuffer(new byte[] {9, 1, 2, 9}), 1, 2);
        data.follow(new UnsafeBuffer(new byte[] {9, 9, 3, 4, 5}), 2, 3);
        byte[] unseen = new byte[5];
        assertThat(executeNow(Wr.write(1, b.region, 1000).inline(unseen), data, 100))
                .isEqualTo(5 + OVERHEAD);
        assertThat(b.bytes(1000, 5)).containsExactly(1, 2, 3, 4, 5);
        assertThat(executeNow(Wr.append(2, queue.id(), queue.key()).inline(unseen), data, 100))
                .isEqualTo(5 + OVERHEAD);
        assertThat(b.messages(queue)).containsExactly("5B of 5 1..5");
        data.clear();
        assertThat(executeNow(Wr.write(3, b.region, 1000).inline(unseen), data, 100))
                .isNegative();
    }

    @Test
    void requestThatCannotBeDoneAtOnceIsLeftToTheRing() {
        InlineData none = new InlineData();
        MemoryRegion other = a.region(64, Access.ALL, 2);
        assertThat(executeNow(write(1, 601), none, 600)).isNegative(); // too long
        assertThat(executeNow(Wr.send(1).entry(a.region, 0, 1), none, 600)).isNegative();
        assertThat(executeNow(Wr.write(1, b.region, 0).entry(other, 0, 8), none, 600))
                .isNegative();
        assertThat(executeNow(write(1, 8).at(0x7777, 0), none, 600)).isNegative();
        assertThat(executeNow(Wr.fetchAdd(1, b.region, 0, 1).entry(a.region, 0, 7), none, 600))
                .isNegative();
        assertThat(executeNow(Wr.read(1, b.region, 0).entry(a.region, 0, 8), none, 600))
                .isPositive();
        qp.maxRdAtomic(0);
        assertThat(executeNow(Wr.read(1, b.region, 0).entry(a.region, 0, 8), none, 600))
                .isNegative();
        qp.state(QpState.SQD);
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        qp.state(QpState.RTS);
        assertThat(executeNow(write(1, 8), none, 600)).isPositive();
        pair.ab.state = Link.State.DOWN;
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        pair.ab.state = Link.State.UP;
        pair.qpB.error();
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        assertThat(a.done()).hasSize(2);
        assertThat(pair.ab.log).isEmpty();
    }

    @Test
    void answersThatAreDueComeFirst() {
        pair.ba.room = 0;
        pair.ab.room = 0;
        b.post(pair.qpB, Wr.send(1).entry(b.region, 0, 8));
        pair.ba.room = 10;
        a.receive(qp, 11, 0, 8);
        pair.settle();
        a.arrive(
                NIC_B,
                Packet.of(Opcode.READ_REQUEST, 0, TransportPair.QP_A, 201, QP_B, 0)
                        .reth(0, a.region.key(), 8));
        assertThat(executeNow(write(1, 8), new InlineData(), 600)).isNegative();
    }

    @Test
    void mayExecuteNowIsWhatMappedMemoryOffers() {
        for (WcOpcode opcode : WcOpcode.values()) {
            boolean offered = switch (opcode) {
                case WRITE, READ, COMPARE_SWAP, FETCH_ADD, APPEND -> true;
                default -> false;
            };
            assertThat(qp.mayExecuteNow(opcode.ordinal(), 0)).as("%s", opcode).isEqualTo(offered);
            assertThat(qp.mayExecuteNow(opcode.ordinal(), SendWqeDescriptor.IMMEDIATE))
                    .as("%s with immediate", opcode)
                    .isEqualTo(offered && opcode != WcOpcode.WRITE);
        }
    }

    @Test
    void localRegionThatGoesWhileItIsPostedIsALocalError() {
        MemoryRegion readOnly = a.region(64, Access.REMOTE_READ);
        assertThat(executeNow(Wr.read(1, b.region, 0).entry(readOnly, 0, 8), new InlineData(), 100))
                .isNegative();
        pair.run();
        assertThat(a.done()).isEmpty();
    }

    @Test
    void peerWhoSleepsIsWokenForAnAppend() {
        AppendQueue queue = b.appendQueue(10_000);
        append(1, queue, 1).post(qp.sendRing());
        qp.transmit(100);
        assertThat(a.touched).isEmpty();
        b.control.setParked(0);
        append(2, queue, 1).post(qp.sendRing());
        qp.transmit(100);
        assertThat(a.touched).containsExactly(a.path(NIC_B));
    }
}
