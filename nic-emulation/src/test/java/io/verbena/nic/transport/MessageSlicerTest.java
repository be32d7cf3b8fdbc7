package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.PSN_A;
import static io.verbena.nic.transport.TransportPair.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.Opcode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages are cut and combined to exactly what a visit may send, in payload, and arrive whole. */
@Timeout(180)
class MessageSlicerTest {
    private static final int TARGET = 1000;

    private final TransportPair pair = TransportPair.slicing();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, TARGET).entry(a.region, 40, length);
    }

    private void visit(int bytes) {
        a.visit(qp, bytes);
    }

    @Test
    void messageLongerThanTheVisitIsCutAtIt() {
        write(1, 700).post(qp.sendRing());
        visit(300);
        assertThat(pair.ab.sent()).containsExactly("WRITE_FIRST 100 at=1000 length=300 256B", "WRITE_LAST 101 ask 44B");
        assertThat(qp.paid(0)).isEqualTo(300);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        visit(300);
        assertThat(pair.ab.sent()).containsExactly("WRITE_FIRST 102 at=1300 length=300 256B", "WRITE_LAST 103 ask 44B");
        visit(300);
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 104 ask at=1600 length=100 100B");
        assertThat(qp.paid(0)).isEqualTo(100);
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 700");
        assertThat(b.bytes(TARGET, 700)).isEqualTo(a.bytes(40, 700));
        assertThat(qp.sendRing().isIdle()).isTrue();
    }

    @Test
    void shorterMessagesAreCombinedAndTheLastIsCut() {
        a.post(qp, write(1, 100), write(2, 100), write(3, 100));
        visit(250);
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_ONLY 100 ask at=1000 length=100 100B",
                        "WRITE_ONLY 101 ask at=1000 length=100 100B",
                        "WRITE_ONLY 102 ask at=1000 length=50 50B");
        assertThat(qp.operations()).isEqualTo(2);
        visit(250);
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 103 ask at=1050 length=50 50B");
        assertThat(qp.operations()).isEqualTo(1);
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 100", "2 SUCCESS WRITE 100", "3 SUCCESS WRITE 100");
    }

    @Test
    void sliceThatMetAFullLinkIsSentOnBeforeMoreIsCut() {
        write(1, 2000).post(qp.sendRing());
        pair.ab.room = 1;
        visit(600);
        assertThat(qp.outcome()).isEqualTo(QpContext.BLOCKED);
        assertThat(qp.paid(0)).isEqualTo(256);
        pair.ab.room = 100;
        visit(600 - 256);
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=1000 length=600 256B", "WRITE_MIDDLE 101 256B", "WRITE_LAST 102 ask 88B");
        assertThat(qp.paid(0)).isEqualTo(600 - 256);
    }

    @Test
    void dataFromSeveralEntriesAndFromTheElementArrivesWhole() {
        a.budget = 37;
        byte[] inline = new byte[60];
        new Random(1).nextBytes(inline);
        pair.run(
                Wr.write(1, b.region, TARGET)
                        .entry(a.region, 5, 40)
                        .entry(a.region, 900, 0)
                        .entry(a.region, 300, 100)
                        .entry(a.region, 77, 60),
                Wr.write(2, b.region, 5000).inline(inline));
        byte[] sent = new byte[200];
        System.arraycopy(a.bytes(5, 40), 0, sent, 0, 40);
        System.arraycopy(a.bytes(300, 100), 0, sent, 40, 100);
        System.arraycopy(a.bytes(77, 60), 0, sent, 140, 60);
        assertThat(b.bytes(TARGET, 200)).isEqualTo(sent);
        assertThat(b.bytes(5000, 60)).isEqualTo(inline);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 200", "2 SUCCESS WRITE 60");
    }

    @Test
    void lostSlicesAreSentAgainAsTheyWere() {
        a.budget = 700;
        Random random = new Random(7);
        pair.ab.loses = packet -> random.nextInt(8) == 0;
        pair.ba.loses = packet -> random.nextInt(8) == 0;
        qp.retries().retryCount(7);
        for (int i = 0; i < 40; i++) {
            a.post(qp, Wr.write(i, b.region, 1500L * i).entry(a.region, 3 + i, 1 + random.nextInt(1500)));
        }
        for (int i = 0; i < 200 && !qp.sendRing().isIdle(); i++) {
            pair.advance(TIMEOUT);
        }
        assertThat(a.completions).hasSize(40);
        for (FakeNic.Wc completion : a.completions) {
            assertThat(completion.status()).hasToString("SUCCESS");
            int id = (int) completion.id();
            assertThat(b.bytes(1500 * id, completion.bytes())).isEqualTo(a.bytes(3 + id, completion.bytes()));
        }
    }

    @Test
    void moreSlicesThanTheRingHoldsWaitForAnswers() {
        a.budget = 10;
        pair.ba.loses = packet -> true;
        pair.run(write(1, FakeNic.SENDS * 10 + 5));
        assertThat(pair.ab.log).hasSize(FakeNic.SENDS);
        assertThat(qp.outcome()).isEqualTo(QpContext.WAITING);
        pair.ba.loses = packet -> false;
        pair.advance(TIMEOUT);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 645");
    }

    @Test
    void failedSliceCompletesItsMessageOnce() {
        MemoryRegion small = b.region(1300, Access.ALL);
        a.budget = 500;
        pair.run(Wr.write(1, small, 0).entry(a.region, 0, 2000), write(2, 10));
        assertThat(a.done()).containsExactly("1 REM_ACCESS_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(qp.sendRing().isIdle()).isTrue();
    }

    @Test
    void messageThatIsCutInPartIsFlushedOnce() {
        a.post(qp, write(1, 2000), write(2, 10));
        visit(500);
        qp.error();
        assertThat(a.done()).containsExactly("1 WR_FLUSH_ERR solicited", "2 WR_FLUSH_ERR solicited");
        qp.state(QpState.RESET);
        qp.state(QpState.INIT);
        qp.access(Access.ALL);
        assertThat(qp.hasWork()).isFalse();
    }

    @Test
    void resetForgetsWhatIsCut() {
        a.post(qp, write(1, 2000));
        visit(500);
        pair.ab.lose();
        pair.ab.sent();
        for (QpContext each : new QpContext[] {qp, pair.qpB}) {
            each.state(QpState.RESET);
            each.state(QpState.INIT);
            each.access(Access.ALL);
        }
        pair.connect(PSN_A, TransportPair.MTU);
        pair.run(write(2, 300));
        assertThat(pair.ab.sent()).containsExactly("WRITE_FIRST 100 at=1000 length=300 256B", "WRITE_LAST 101 ask 44B");
        assertThat(a.done()).containsExactly("2 SUCCESS WRITE 300");
    }

    @Test
    void drainingEndsWithTheMessageThatIsUnderWay() {
        a.budget = 100;
        a.post(qp, write(1, 450), write(2, 10));
        visit(100);
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).isEmpty();
        a.schedule(qp);
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 450");
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
        qp.state(QpState.RTS);
        a.schedule(qp);
        pair.settle();
        assertThat(a.done()).containsExactly("2 SUCCESS WRITE 10");
    }

    @Test
    void whatThePeerTakesAsAWholeIsNotCut() {
        b.receive(pair.qpB, 11, 0, 1000);
        b.receive(pair.qpB, 12, 0, 0);
        a.budget = 100;
        pair.run(
                Wr.send(1).entry(a.region, 0, 600),
                Wr.read(2, b.region, 0).entry(a.region, 8000, 700),
                Wr.fetchAdd(3, b.region, 8, 1).entry(a.region, 16, 8),
                write(4, 400).immediate(9));
        assertThat(a.done())
                .containsExactly(
                        "1 SUCCESS SEND 600", "2 SUCCESS READ 700", "3 SUCCESS FETCH_ADD 8", "4 SUCCESS WRITE 400");
        assertThat(b.done())
                .containsExactly("11 SUCCESS RECEIVE 600", "12 SUCCESS RECEIVE_WRITE_IMMEDIATE 400 immediate=9");
        assertThat(pair.ab.log)
                .filteredOn(packet -> packet.opcode == Opcode.SEND_LAST)
                .hasSize(1);
    }

    @Test
    void mappedMemoryIsWrittenInSlices() {
        pair.join(true);
        assertThat(qp.isNextDirect()).isFalse();
        write(1, 700).post(qp.sendRing());
        assertThat(qp.isNextDirect()).isTrue();
        visit(300);
        assertThat(qp.paid(0)).isEqualTo(300);
        assertThat(b.bytes(TARGET, 300)).isEqualTo(a.bytes(40, 300));
        assertThat(b.bytes(TARGET + 300, 1)).isNotEqualTo(a.bytes(340, 1));
        assertThat(a.done()).isEmpty();
        visit(1000);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 700");
        assertThat(pair.ab.log).isEmpty();
    }
}
