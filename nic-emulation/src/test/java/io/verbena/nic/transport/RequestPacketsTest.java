package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import org.junit.jupiter.api.Test;

/** What requests of a reliable connection look like on the link, and how they end when nothing goes wrong. */
class RequestPacketsTest {
    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;

    @Test
    void shortSendIsOnePacketThatAsksForItsAnswer() {
        b.receive(pair.qpB, 11, 8, 512);
        pair.run(Wr.send(1).entry(a.region, 40, 100));
        assertThat(pair.ab.sent()).containsExactly("SEND_ONLY 100 ask 100B");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=1");
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 100");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 100");
        assertThat(b.bytes(8, 100)).isEqualTo(a.bytes(40, 100));
    }

    @Test
    void completionsSayWhoAndWhere() {
        b.receive(pair.qpB, 11, 0, 512);
        pair.run(Wr.send(1).entry(a.region, 0, 10));
        assertThat(a.completions.get(0).qp()).isEqualTo(TransportPair.QP_A);
        assertThat(a.completions.get(0).peerQp()).isEqualTo(TransportPair.QP_B);
        assertThat(a.completions.get(0).ring().number()).isEqualTo(TransportPair.QP_A * 10);
        assertThat(a.completions.get(0).flags()).isZero();
        assertThat(b.completions.get(0).qp()).isEqualTo(TransportPair.QP_B);
        assertThat(b.completions.get(0).peerQp()).isEqualTo(TransportPair.QP_A);
        assertThat(b.completions.get(0).ring().number()).isEqualTo(TransportPair.QP_B * 10 + 1);
    }

    @Test
    void longSendIsCutAtThePathMtuAndAsksAtItsEnd() {
        b.receive(pair.qpB, 11, 0, 1024);
        pair.run(Wr.send(1).entry(a.region, 40, 700));
        assertThat(pair.ab.sent())
                .containsExactly("SEND_FIRST 100 256B", "SEND_MIDDLE 101 256B", "SEND_LAST 102 ask 188B");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 102 ACK msn=1");
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 700");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 700");
        assertThat(b.bytes(0, 700)).isEqualTo(a.bytes(40, 700));
    }

    @Test
    void messageOfWholePacketsHasNoEmptyLastOne() {
        b.receive(pair.qpB, 11, 0, 1024);
        pair.run(Wr.send(1).entry(a.region, 0, 2 * MTU));
        assertThat(pair.ab.sent()).containsExactly("SEND_FIRST 100 256B", "SEND_LAST 101 ask 256B");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 512");
    }

    @Test
    void emptySendConsumesAReceive() {
        b.receive(pair.qpB, 11, 0, 16);
        pair.run(Wr.send(1));
        assertThat(pair.ab.sent()).containsExactly("SEND_ONLY 100 ask 0B");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 0");
        assertThat(b.takeEvents()).isEmpty();
    }

    @Test
    void sendsTakeConsecutivePsnsAndCompleteInOrder() {
        b.receive(pair.qpB, 11, 0, 300);
        b.receive(pair.qpB, 12, 300, 300);
        b.receive(pair.qpB, 13, 600, 300);
        pair.run(
                Wr.send(1).entry(a.region, 0, 10),
                Wr.send(2).entry(a.region, 10, 300),
                Wr.send(3).entry(a.region, 20, 1));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "SEND_ONLY 100 ask 10B",
                        "SEND_FIRST 101 256B",
                        "SEND_LAST 102 ask 44B",
                        "SEND_ONLY 103 ask 1B");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 103 ACK msn=3");
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10", "2 SUCCESS SEND 300", "3 SUCCESS SEND 1");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 10", "12 SUCCESS RECEIVE 300", "13 SUCCESS RECEIVE 1");
    }

    @Test
    void immediateGoesWithTheOnlyPacket() {
        b.receive(pair.qpB, 11, 0, 16);
        pair.run(Wr.send(1).entry(a.region, 0, 5).immediate(-7).solicited());
        assertThat(pair.ab.sent()).containsExactly("SEND_ONLY_IMMEDIATE 100 ask solicited immediate=-7 5B");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 5 immediate=-7 solicited");
    }

    @Test
    void immediateAndSolicitedGoWithTheLastPacketAlone() {
        b.receive(pair.qpB, 11, 0, 1024);
        pair.run(Wr.send(1).entry(a.region, 0, 600).immediate(9).solicited());
        assertThat(pair.ab.sent())
                .containsExactly(
                        "SEND_FIRST 100 256B",
                        "SEND_MIDDLE 101 256B",
                        "SEND_LAST_IMMEDIATE 102 ask solicited immediate=9 88B");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 600 immediate=9 solicited");
    }

    @Test
    void writeNamesItsPlaceInTheFirstPacketAlone() {
        pair.run(Wr.write(1, b.region, 1000).entry(a.region, 40, 600));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=1000 length=600 256B", "WRITE_MIDDLE 101 256B", "WRITE_LAST 102 ask 88B");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 102 ACK msn=1");
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 600");
        assertThat(b.done()).isEmpty();
        assertThat(b.bytes(1000, 600)).isEqualTo(a.bytes(40, 600));
        assertThat(b.bytes(999, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 999));
        assertThat(b.bytes(1600, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 1600));
    }

    @Test
    void shortWriteIsOnePacket() {
        pair.run(Wr.write(1, b.region, 8).entry(a.region, 40, 256));
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 100 ask at=8 length=256 256B");
        assertThat(b.bytes(8, 256)).isEqualTo(a.bytes(40, 256));
    }

    @Test
    void writeWithImmediateConsumesAReceiveAtItsEnd() {
        b.receive(pair.qpB, 11, 0, 1);
        b.receive(pair.qpB, 12, 0, 1);
        pair.run(
                Wr.write(1, b.region, 1000).entry(a.region, 0, 100).immediate(5).solicited(),
                Wr.write(2, b.region, 2000).entry(a.region, 0, 300).immediate(6));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_ONLY_IMMEDIATE 100 ask solicited at=1000 length=100 immediate=5 100B",
                        "WRITE_FIRST 101 at=2000 length=300 256B",
                        "WRITE_LAST_IMMEDIATE 102 ask immediate=6 44B");
        assertThat(b.done())
                .containsExactly(
                        "11 SUCCESS RECEIVE_WRITE_IMMEDIATE 100 immediate=5 solicited",
                        "12 SUCCESS RECEIVE_WRITE_IMMEDIATE 300 immediate=6");
        assertThat(b.bytes(2000, 300)).isEqualTo(a.bytes(0, 300));
    }

    @Test
    void emptyWriteLooksAtNoKey() {
        pair.run(Wr.write(1, b.region, 8).at(0x7777, 1L << 40));
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 100 ask at=1099511627776 length=0 0B");
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 0");
    }

    @Test
    void readTakesThePsnsOfItsAnswer() {
        pair.run(
                Wr.read(1, b.region, 1000).entry(a.region, 40, 600),
                Wr.write(2, b.region, 0).entry(a.region, 0, 1));
        assertThat(pair.ab.sent())
                .containsExactly("READ_REQUEST 100 ask at=1000 length=600", "WRITE_ONLY 103 ask at=0 length=1 1B");
        assertThat(pair.ba.sent())
                .containsExactly(
                        "READ_RESPONSE_FIRST 100 ACK msn=2 256B",
                        "READ_RESPONSE_MIDDLE 101 256B",
                        "READ_RESPONSE_LAST 102 ACK msn=2 88B",
                        "ACKNOWLEDGE 103 ACK msn=2");
        assertThat(a.done()).containsExactly("1 SUCCESS READ 600", "2 SUCCESS WRITE 1");
        assertThat(a.bytes(40, 600)).isEqualTo(b.bytes(1000, 600));
    }

    @Test
    void shortReadIsAnsweredByOnePacket() {
        pair.run(Wr.read(1, b.region, 1000).entry(a.region, 40, 256));
        assertThat(pair.ba.sent()).containsExactly("READ_RESPONSE_ONLY 100 ACK msn=1 256B");
        assertThat(a.bytes(40, 256)).isEqualTo(b.bytes(1000, 256));
    }

    @Test
    void emptyReadTakesOnePsnAndLooksAtNoKey() {
        pair.run(Wr.read(1, b.region, 0).at(0x7777, 1L << 40));
        assertThat(pair.ba.sent()).containsExactly("READ_RESPONSE_ONLY 100 ACK msn=1 0B");
        assertThat(a.done()).containsExactly("1 SUCCESS READ 0");
    }

    @Test
    void fetchAndAddReturnsWhatWasThere() {
        b.region.buffer().putLong(1000, 41);
        pair.run(Wr.fetchAdd(1, b.region, 1000, 2).entry(a.region, 40, 8));
        assertThat(pair.ab.sent()).containsExactly("FETCH_ADD 100 ask at=1000 value=2 compare=0");
        assertThat(pair.ba.sent()).containsExactly("ATOMIC_ACKNOWLEDGE 100 ACK msn=1 original=41");
        assertThat(a.done()).containsExactly("1 SUCCESS FETCH_ADD 8");
        assertThat(a.region.buffer().getLong(40)).isEqualTo(41);
        assertThat(b.region.buffer().getLong(1000)).isEqualTo(43);
    }

    @Test
    void compareAndSwapChangesOnlyWhatIsEqual() {
        b.region.buffer().putLong(1000, 41);
        pair.run(
                Wr.compareSwap(1, b.region, 1000, 41, 50).entry(a.region, 40, 8),
                Wr.compareSwap(2, b.region, 1000, 41, 60).entry(a.region, 48, 8));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "COMPARE_SWAP 100 ask at=1000 value=50 compare=41",
                        "COMPARE_SWAP 101 ask at=1000 value=60 compare=41");
        assertThat(a.done()).containsExactly("1 SUCCESS COMPARE_SWAP 8", "2 SUCCESS COMPARE_SWAP 8");
        assertThat(a.region.buffer().getLong(40)).isEqualTo(41);
        assertThat(a.region.buffer().getLong(48)).isEqualTo(50);
        assertThat(b.region.buffer().getLong(1000)).isEqualTo(50);
    }

    @Test
    void inlineDataMayChangeOnceItIsPosted() {
        byte[] data = {1, 2, 3};
        b.receive(pair.qpB, 11, 0, 16);
        a.post(pair.qpA, Wr.send(1).inline(data), Wr.write(2, b.region, 1000).inline(data));
        data[0] = 9;
        pair.settle();
        assertThat(pair.ab.sent()).containsExactly("SEND_ONLY 100 ask 3B", "WRITE_ONLY 101 ask at=1000 length=3 3B");
        assertThat(b.bytes(0, 3)).containsExactly(1, 2, 3);
        assertThat(b.bytes(1000, 3)).containsExactly(1, 2, 3);
    }

    @Test
    void inlineDataOfSeveralPacketsIsTakenFromItsPlace() {
        TransportPair narrow = new TransportPair(QpType.RC, 100, 16);
        byte[] data = new byte[40];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i + 1);
        }
        narrow.run(Wr.write(1, narrow.b.region, 1000).inline(data));
        assertThat(narrow.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=1000 length=40 16B", "WRITE_MIDDLE 101 16B", "WRITE_LAST 102 ask 8B");
        assertThat(narrow.b.bytes(1000, 40)).isEqualTo(data);
    }

    @Test
    void unsignaledSuccessMakesNoCompletion() {
        pair.run(
                Wr.write(1, b.region, 0).entry(a.region, 0, 1).unsignaled(),
                Wr.write(2, b.region, 0).entry(a.region, 0, 1));
        assertThat(a.done()).containsExactly("2 SUCCESS WRITE 1");
        assertThat(pair.qpA.sendRing().isIdle()).isTrue();
    }

    @Test
    void psnsWrapAroundAtTwoToTheTwentyFour() {
        TransportPair wraps = new TransportPair(QpType.RC, 0xFFFFFE, MTU);
        wraps.b.receive(wraps.qpB, 11, 0, 1024);
        wraps.run(
                Wr.send(1).entry(wraps.a.region, 0, 700),
                Wr.read(2, wraps.b.region, 0).entry(wraps.a.region, 2000, 8),
                Wr.fetchAdd(3, wraps.b.region, 8000, 1).entry(wraps.a.region, 0, 8));
        assertThat(wraps.ab.sent())
                .containsExactly(
                        "SEND_FIRST 16777214 256B",
                        "SEND_MIDDLE 16777215 256B",
                        "SEND_LAST 0 ask 188B",
                        "READ_REQUEST 1 ask at=0 length=8",
                        "FETCH_ADD 2 ask at=8000 value=1 compare=0");
        assertThat(wraps.a.done()).containsExactly("1 SUCCESS SEND 700", "2 SUCCESS READ 8", "3 SUCCESS FETCH_ADD 8");
    }

    @Test
    void firstPsnIsTakenModuloTwoToTheTwentyFour() {
        TransportPair wraps = new TransportPair(QpType.RC, 0x1000005, MTU);
        wraps.run(Wr.write(1, wraps.b.region, 0).entry(wraps.a.region, 0, 1));
        assertThat(wraps.ab.sent()).containsExactly("WRITE_ONLY 5 ask at=0 length=1 1B");
        assertThat(wraps.a.done()).containsExactly("1 SUCCESS WRITE 1");
    }

    @Test
    void longMessageAsksForAnAnswerEverySixteenKibibytes() {
        TransportPair wide = new TransportPair(QpType.RC, 100, 4096);
        wide.run(Wr.write(1, wide.b.region, 0).entry(wide.a.region, 8, 40_000));
        assertThat(wide.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=0 length=40000 4096B",
                        "WRITE_MIDDLE 101 4096B",
                        "WRITE_MIDDLE 102 4096B",
                        "WRITE_MIDDLE 103 ask 4096B",
                        "WRITE_MIDDLE 104 4096B",
                        "WRITE_MIDDLE 105 4096B",
                        "WRITE_MIDDLE 106 4096B",
                        "WRITE_MIDDLE 107 ask 4096B",
                        "WRITE_MIDDLE 108 4096B",
                        "WRITE_LAST 109 ask 3136B");
        assertThat(wide.ab.references).isEqualTo(9); // and the short one by copy
        assertThat(wide.b.bytes(0, 40_000)).isEqualTo(wide.a.bytes(8, 40_000));
        assertThat(wide.a.done()).containsExactly("1 SUCCESS WRITE 40000");
    }

    @Test
    void sixteenKibibytesAreCountedFromTheLastAnswerAsked() {
        TransportPair wide = new TransportPair(QpType.RC, 100, 4096);
        wide.run(
                Wr.write(1, wide.b.region, 0).entry(wide.a.region, 8, 12_000),
                Wr.write(2, wide.b.region, 0).entry(wide.a.region, 8, 13_000));
        assertThat(wide.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=0 length=12000 4096B",
                        "WRITE_MIDDLE 101 4096B",
                        "WRITE_LAST 102 ask 3808B",
                        "WRITE_FIRST 103 at=0 length=13000 4096B",
                        "WRITE_MIDDLE 104 4096B",
                        "WRITE_MIDDLE 105 4096B",
                        "WRITE_LAST 106 ask 712B");
    }

    @Test
    void payloadInOneEntryGoesByReferenceAndElseByCopy() {
        TransportPair wide = new TransportPair(QpType.RC, 100, 4096);
        wide.run(
                Wr.write(1, wide.b.region, 0).entry(wide.a.region, 8, 4096),
                Wr.write(2, wide.b.region, 4096).entry(wide.a.region, 8, 1000).entry(wide.a.region, 20_000, 3096));
        assertThat(wide.ab.references).isEqualTo(1);
        assertThat(wide.b.bytes(0, 4096)).isEqualTo(wide.a.bytes(8, 4096));
        assertThat(wide.b.bytes(4096, 1000)).isEqualTo(wide.a.bytes(8, 1000));
        assertThat(wide.b.bytes(5096, 3096)).isEqualTo(wide.a.bytes(20_000, 3096));
    }

    @Test
    void sendGathersAndReceiveScatters() {
        b.receive(pair.qpB, 11, b.region.key(), 100, 90, b.region.key(), 0, 0, b.region.key(), 1000, 200);
        pair.run(Wr.send(1)
                .entry(a.region, 40, 100)
                .entry(a.region, 0, 0)
                .entry(a.region, 5000, 60)
                .entry(a.region, 300, 120));
        assertThat(pair.ab.sent()).containsExactly("SEND_FIRST 100 256B", "SEND_LAST 101 ask 24B");
        byte[] sent = concat(concat(a.bytes(40, 100), a.bytes(5000, 60)), a.bytes(300, 120));
        assertThat(concat(b.bytes(100, 90), b.bytes(1000, 190))).isEqualTo(sent);
        assertThat(b.bytes(1190, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 1190));
    }

    @Test
    void readScatters() {
        pair.run(Wr.read(1, b.region, 1000).entry(a.region, 0, 100).entry(a.region, 500, 300));
        assertThat(concat(a.bytes(0, 100), a.bytes(500, 300))).isEqualTo(b.bytes(1000, 400));
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @Test
    void sendWithInvalidateTakesTheWindowsKeyBack() {
        MemoryWindow window = b.regions.allocateWindow(MemoryWindow.Type.TYPE_2, FakeNic.PD);
        int key = window.nextKey();
        b.post(pair.qpB, Wr.bind(1, key, b.region, 64, 128, Access.REMOTE_WRITE));
        pair.settle();
        assertThat(b.done()).containsExactly("1 SUCCESS BIND_WINDOW 0");
        pair.run(Wr.write(2, b.region, 0).at(key, 28).entry(a.region, 0, 100));
        assertThat(a.done()).containsExactly("2 SUCCESS WRITE 100");
        assertThat(b.bytes(92, 100)).isEqualTo(a.bytes(0, 100));
        pair.ab.sent();
        b.receive(pair.qpB, 11, 2000, 300);
        b.receive(pair.qpB, 12, 2000, 300);
        pair.run(Wr.send(3).entry(a.region, 0, 300).invalidating(key));
        assertThat(pair.ab.sent()).containsExactly("SEND_FIRST 101 256B", "SEND_LAST_INVALIDATE 102 ask 44B");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 300 invalidated=" + key);
        assertThat(window.isBound()).isFalse();
        pair.run(Wr.send(4).entry(a.region, 0, 30).invalidating(key)); // it has none any more
        assertThat(pair.ab.sent()).containsExactly("SEND_ONLY_INVALIDATE 103 ask 30B");
        assertThat(pair.ba.log.get(pair.ba.log.size() - 1)).hasToString("ACKNOWLEDGE 103 ACCESS msn=2");
        assertThat(a.done()).containsExactly("3 SUCCESS SEND 300", "4 REM_ACCESS_ERR solicited");
        assertThat(b.done()).containsExactly("12 LOC_ACCESS_ERR solicited");
        assertThat(b.takeEvents()).containsExactly("QP_ACCESS_ERR 5");
    }

    @Test
    void localInvalidateWaitsForWhatIsBeforeIt() {
        MemoryWindow window = a.regions.allocateWindow(MemoryWindow.Type.TYPE_2, FakeNic.PD);
        int key = window.nextKey();
        a.post(
                pair.qpA,
                Wr.write(1, b.region, 0).entry(a.region, 0, 1),
                Wr.bind(2, key, a.region, 64, 128, Access.REMOTE_READ),
                Wr.invalidate(3, key),
                Wr.write(4, b.region, 0).entry(a.region, 0, 1));
        a.turn();
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 100 ask at=0 length=1 1B");
        assertThat(window.isBound()).isFalse();
        pair.settle();
        assertThat(a.done())
                .containsExactly(
                        "1 SUCCESS WRITE 1",
                        "2 SUCCESS BIND_WINDOW 0",
                        "3 SUCCESS LOCAL_INVALIDATE 0",
                        "4 SUCCESS WRITE 1");
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 101 ask at=0 length=1 1B");
        assertThat(window.isBound()).isFalse();
    }

    @Test
    void badBindAndBadInvalidateEndInTheirErrors() {
        pair.run(
                Wr.bind(1, 0x7777, a.region, 0, 8, Access.REMOTE_READ),
                Wr.write(2, b.region, 0).entry(a.region, 0, 1));
        assertThat(a.done()).containsExactly("1 MW_BIND_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(pair.qpA.state()).isEqualTo(QpState.ERR);
        assertThat(pair.ab.sent()).isEmpty();
        b.post(pair.qpB, Wr.invalidate(3, 0x7777));
        pair.settle();
        assertThat(b.done()).containsExactly("3 LOC_QP_OP_ERR solicited");
        assertThat(b.completions).isEmpty();
    }

    @Test
    void firstArrivalInRtrEstablishesCommunicationOnce() {
        b.queuePairs.clear();
        QpContext fresh = b.newQueuePair(QpType.RC, TransportPair.QP_B);
        fresh.connect(b.path(TransportPair.NIC_A), TransportPair.QP_A, MTU, 100, 4);
        fresh.state(QpState.RTR);
        pair.run(
                Wr.write(1, b.region, 0).entry(a.region, 0, 1),
                Wr.write(2, b.region, 0).entry(a.region, 0, 1));
        assertThat(b.takeEvents()).containsExactly("COMM_EST 5");
        assertThat(a.done()).hasSize(2);
    }

    @Test
    void errorsCountAsSolicited() {
        MemoryRegion other = a.region(64, Access.ALL, 2);
        pair.run(Wr.send(1).entry(other, 0, 8));
        assertThat(a.completions.get(0).flags()).isEqualTo(CqeDescriptor.SOLICITED);
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited");
    }
}
