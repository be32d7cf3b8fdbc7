package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * READs, WRITEs and atomics on a peer's mapped memory: done without a packet, or sent as packets where that is not
 * possible.
 */
class DirectPathTest {
    private static final int OVERHEAD = DirectPath.OVERHEAD;

    private final TransportPair pair = TransportPair.direct();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

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
        qp.connection().maxRdAtomic(0);
        pair.run(Wr.read(1, b.region, 0).entry(a.region, 0, 8));
        assertThat(a.done()).containsExactly("1 LOC_QP_OP_ERR solicited");
    }

    @Test
    void readsAreNotHeldBackByTheirMaximum() {
        qp.connection().maxRdAtomic(1);
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
}
