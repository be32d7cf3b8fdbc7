package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.RNR_DELAY;
import static io.verbena.nic.transport.TransportPair.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.AethSyndrome;
import org.junit.jupiter.api.Test;

/** Receivers without a receive request: when a message is sent again, how often, and what waits behind it. */
class ReceiverNotReadyTest {
    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final long start = pair.now;

    private Wr send(long id) {
        return Wr.send(id).entry(a.region, 0, 10);
    }

    @Test
    void messageComesAgainAfterTheReceiversDelay() {
        pair.run(send(1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 RNR12 msn=0");
        assertThat(pair.qpA.outcome()).isEqualTo(QpContext.WAITING);
        assertThat(pair.qpA.deadline()).isEqualTo(start + RNR_DELAY);
        b.receive(pair.qpB, 11, 0, 100);
        pair.advance(RNR_DELAY - 1);
        assertThat(pair.ab.log).hasSize(1);
        pair.advance(1);
        assertThat(pair.ab.times(start)).containsExactly(0L, RNR_DELAY);
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 10");
        assertThat(a.counted(NicCounter.RECEIVER_NOT_READY)).isOne();
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
        assertThat(b.counted(NicCounter.OUT_OF_SEQUENCE)).isZero();
    }

    @Test
    void messageComesAgainOnAClockBelowZeroToo() {
        pair.now = -5_000_000_000L; // System.nanoTime() may begin anywhere
        pair.run(send(1));
        assertThat(pair.qpA.deadline()).isEqualTo(pair.now + RNR_DELAY);
        b.receive(pair.qpB, 11, 0, 100);
        pair.advance(RNR_DELAY);
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10");
    }

    @Test
    void delayIsTheRespondersCode() {
        pair.qpB.retries().minRnrTimer(1);
        pair.run(send(1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 RNR1 msn=0");
        assertThat(pair.qpA.deadline()).isEqualTo(start + 10_000);
    }

    @Test
    void receiverThatIsNeverReadyFailsAfterExactlyTheRetries() {
        pair.run(send(1), send(2));
        pair.advance(2 * RNR_DELAY - 1);
        assertThat(a.done()).isEmpty();
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 RNR_RETRY_EXC_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(pair.ab.times(start)).containsExactly(0L, 0L, RNR_DELAY, 2 * RNR_DELAY);
        assertThat(pair.qpA.state()).isEqualTo(QpState.ERR);
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
        assertThat(a.counted(NicCounter.RECEIVER_NOT_READY)).isEqualTo(3);
    }

    @Test
    void noRnrRetriesFailAtTheFirstRefusal() {
        pair.qpA.retries().rnrRetry(0);
        pair.run(send(1));
        assertThat(a.done()).containsExactly("1 RNR_RETRY_EXC_ERR solicited");
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void sevenRnrRetriesAreForEverAndAskedLessAndLessOften() {
        pair.qpA.retries().rnrRetry(7);
        pair.run(send(1));
        pair.advance(125_000_000);
        assertThat(pair.ab.times(start))
                .containsExactly(
                        0L,
                        640_000L,
                        1_280_000L,
                        1_920_000L,
                        2_560_000L, // it has waited for 2 ms and more: from here on as long again
                        5_120_000L,
                        10_240_000L,
                        20_480_000L,
                        40_960_000L,
                        80_960_000L, // at most 40 ms
                        120_960_000L);
        b.receive(pair.qpB, 11, 0, 100);
        pair.advance(40_000_000);
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10");
        pair.ab.sent();
        long again = pair.now;
        pair.run(send(2));
        pair.advance(1_000_000);
        assertThat(pair.ab.times(again)).containsExactly(0L, 640_000L); // patience begins anew
    }

    @Test
    void delayLongerThanTheBackOffIsKept() {
        pair.qpA.retries().rnrRetry(7);
        pair.qpB.retries().minRnrTimer(25); // 61.44 ms
        pair.run(send(1));
        pair.advance(190_000_000);
        assertThat(pair.ab.times(start)).containsExactly(0L, 61_440_000L, 122_880_000L, 184_320_000L);
    }

    @Test
    void refusalsAreCountedAnewWhenOneMessageIsTaken() {
        pair.run(send(1), send(2));
        pair.advance(RNR_DELAY); // refused twice
        b.receive(pair.qpB, 11, 0, 100);
        pair.advance(RNR_DELAY);
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10");
        pair.advance(RNR_DELAY);
        assertThat(a.done()).isEmpty();
        b.receive(pair.qpB, 12, 0, 100);
        pair.advance(RNR_DELAY);
        assertThat(a.done()).containsExactly("2 SUCCESS SEND 10");
    }

    @Test
    void onlyTheRefusedMessageIsSentAgainUntilItIsTaken() {
        pair.run(send(1), send(2), send(3));
        assertThat(pair.ab.sent()).hasSize(3);
        pair.advance(RNR_DELAY);
        assertThat(pair.ab.sent()).containsExactly("SEND_ONLY 100 ask 10B");
        for (int i = 11; i < 14; i++) {
            b.receive(pair.qpB, i, 0, 100);
        }
        pair.advance(RNR_DELAY);
        assertThat(pair.ab.sent())
                .containsExactly("SEND_ONLY 100 ask 10B", "SEND_ONLY 101 ask 10B", "SEND_ONLY 102 ask 10B");
        assertThat(a.done()).hasSize(3);
    }

    @Test
    void whatIsPostedMeanwhileWaitsToo() {
        pair.run(send(1));
        pair.ab.sent();
        pair.run(send(2));
        assertThat(pair.ab.log).isEmpty();
        assertThat(pair.qpA.outcome()).isEqualTo(QpContext.WAITING);
    }

    @Test
    void secondRefusalOfTheSameMessageIsOneOnly() {
        pair.run(send(1));
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.rnrNak(1)));
        assertThat(pair.qpA.deadline()).isEqualTo(start + RNR_DELAY);
        assertThat(a.counted(NicCounter.RECEIVER_NOT_READY)).isOne();
    }

    @Test
    void refusalAcknowledgesWhatIsBeforeIt() {
        pair.run(Wr.write(1, b.region, 0).entry(a.region, 0, 1), send(2));
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 RNR12 msn=1");
    }

    @Test
    void timeoutDoesNotRunWhileTheReceiverIsWaitedFor() {
        pair.qpB.retries().minRnrTimer(22); // 20.48 ms > the timeout
        pair.run(send(1));
        pair.advance(4 * TIMEOUT);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void limitIsTheReceiverUntilItHasTakenSomething() {
        assertThat(pair.qpA.limit()).isEqualTo(Limit.WINDOW);
        pair.run(send(1));
        assertThat(pair.qpA.limit()).isEqualTo(Limit.RECEIVER);
        b.receive(pair.qpB, 11, 0, 100);
        pair.advance(RNR_DELAY);
        assertThat(pair.qpA.limit()).isEqualTo(Limit.WINDOW);
    }

    @Test
    void lostRefusalIsRepeatedAfterTheTimeout() {
        pair.ba.lose(100, 1);
        pair.run(send(1));
        pair.advance(TIMEOUT);
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 RNR12 msn=0", "ACKNOWLEDGE 100 RNR12 msn=0");
        assertThat(a.counted(NicCounter.RECEIVER_NOT_READY)).isOne();
    }

    @Test
    void packetsBehindARefusedOneAreDroppedWithoutANak() {
        pair.run(send(1), send(2), send(3));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 RNR12 msn=0");
        assertThat(b.counted(NicCounter.OUT_OF_SEQUENCE)).isEqualTo(2);
    }

    @Test
    void longMessageStartsAgainFromItsFirstPacket() {
        pair.run(Wr.send(1).entry(a.region, 0, 600));
        pair.ab.sent();
        b.receive(pair.qpB, 11, 0, 600);
        pair.advance(RNR_DELAY);
        assertThat(pair.ab.sent())
                .containsExactly("SEND_FIRST 100 256B", "SEND_MIDDLE 101 256B", "SEND_LAST 102 ask 88B");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 600");
    }

    @Test
    void writeWithImmediateIsRefusedAtItsLastPacket() {
        pair.run(Wr.write(1, b.region, 1000).entry(a.region, 0, 600).immediate(5));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 102 RNR12 msn=0");
        pair.ab.sent();
        b.receive(pair.qpB, 11, 0, 1);
        pair.advance(RNR_DELAY);
        assertThat(pair.ab.sent()).containsExactly("WRITE_LAST_IMMEDIATE 102 ask immediate=5 88B");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE_WRITE_IMMEDIATE 600 immediate=5");
        assertThat(b.bytes(1000, 600)).isEqualTo(a.bytes(0, 600));
    }

    @Test
    void requestThatFailsWhileHeldBackEndsTheWait() {
        pair.run(send(1));
        pair.qpA.error();
        assertThat(pair.qpA.deadline()).isEqualTo(Long.MAX_VALUE);
        assertThat(a.done()).containsExactly("1 WR_FLUSH_ERR solicited");
        pair.advance(RNR_DELAY);
        assertThat(pair.ab.log).hasSize(1);
    }
}
