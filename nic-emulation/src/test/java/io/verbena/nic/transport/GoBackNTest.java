package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.AethSyndrome;
import org.junit.jupiter.api.Test;

/** What is lost is sent again from there: NAKs, timeouts, retry counts, links that go and come, peers that die. */
class GoBackNTest {
    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final long start = pair.now;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    @Test
    void lostPacketIsAskedForAndAllBehindItSentAgain() {
        pair.ab.lose(101, 1);
        pair.run(write(1, 700), write(2, 1));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=1000 length=700 256B",
                        "WRITE_MIDDLE 101 256B",
                        "WRITE_LAST 102 ask 188B",
                        "WRITE_ONLY 103 ask at=1000 length=1 1B",
                        "WRITE_MIDDLE 101 256B",
                        "WRITE_LAST 102 ask 188B",
                        "WRITE_ONLY 103 ask at=1000 length=1 1B");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 SEQUENCE msn=0", "ACKNOWLEDGE 103 ACK msn=2");
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 700", "2 SUCCESS WRITE 1");
        assertThat(pair.now).isEqualTo(start);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isOne();
        assertThat(b.counted(NicCounter.OUT_OF_SEQUENCE)).isEqualTo(2);
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isZero();
    }

    @Test
    void lostPacketAtTheWrapIsFoundBehindIt() {
        TransportPair wraps = new TransportPair(QpType.RC, 0xFFFFFF, MTU);
        wraps.ab.lose(0xFFFFFF, 1);
        wraps.run(Wr.write(1, wraps.b.region, 0).entry(wraps.a.region, 0, 600));
        assertThat(wraps.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 16777215 at=0 length=600 256B",
                        "WRITE_MIDDLE 0 256B",
                        "WRITE_LAST 1 ask 88B",
                        "WRITE_FIRST 16777215 at=0 length=600 256B",
                        "WRITE_MIDDLE 0 256B",
                        "WRITE_LAST 1 ask 88B");
        assertThat(wraps.ba.sent()).containsExactly("ACKNOWLEDGE 16777215 SEQUENCE msn=0", "ACKNOWLEDGE 1 ACK msn=1");
        assertThat(wraps.a.done()).containsExactly("1 SUCCESS WRITE 600");
    }

    @Test
    void packetLostTwiceIsAskedForByTheTimerTheSecondTime() {
        pair.ab.lose(100, 2);
        pair.run(write(1, 300));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 SEQUENCE msn=0");
        pair.advance(TIMEOUT - 1);
        assertThat(a.done()).isEmpty();
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 300");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 ACK msn=1");
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isEqualTo(2);
        assertThat(b.counted(NicCounter.OUT_OF_SEQUENCE)).isEqualTo(2);
    }

    @Test
    void lostLastPacketIsSentAgainAfterTheTimeout() {
        pair.ab.lose(102, 1);
        pair.run(write(1, 700));
        pair.ab.sent();
        pair.advance(TIMEOUT - 1);
        assertThat(pair.ab.log).isEmpty();
        pair.advance(1);
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=1000 length=700 256B", "WRITE_MIDDLE 101 256B", "WRITE_LAST 102 ask 188B");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 102 ACK msn=1");
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isEqualTo(2);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 700");
    }

    @Test
    void lostAcknowledgementIsAnsweredAgainAndNothingDoneTwice() {
        b.receive(pair.qpB, 11, 0, 100);
        b.receive(pair.qpB, 12, 0, 100);
        pair.ba.lose(100, 1);
        pair.run(Wr.send(1).entry(a.region, 0, 10));
        assertThat(a.done()).isEmpty();
        pair.advance(TIMEOUT);
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 10");
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 10");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=1", "ACKNOWLEDGE 100 ACK msn=1");
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isOne();
    }

    @Test
    void oneAcknowledgementCompletesAllBeforeIt() {
        pair.ba.lose(100, 1);
        pair.run(write(1, 1));
        pair.run(write(2, 1));
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1", "2 SUCCESS WRITE 1");
        pair.advance(10 * TIMEOUT);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
    }

    @Test
    void acknowledgementWithinAMessageIsProgress() {
        a.post(pair.qpA, write(1, 700));
        a.turn();
        pair.ab.lose();
        pair.advance(TIMEOUT / 2);
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, AethSyndrome.ACK));
        assertThat(a.done()).isEmpty();
        pair.ab.sent();
        pair.ab.loses = packet -> true;
        pair.advance(TIMEOUT - 1);
        assertThat(pair.ab.log).isEmpty();
        pair.advance(1);
        assertThat(pair.ab.sent()).containsExactly("WRITE_LAST 102 ask 188B");
    }

    @Test
    void whatIsNeverAnsweredFailsAfterExactlyTheRetries() {
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1), write(2, 1));
        pair.advance(4 * TIMEOUT - 1);
        assertThat(a.done()).isEmpty();
        assertThat(pair.ab.times(start))
                .containsExactly(0L, 0L, TIMEOUT, TIMEOUT, 2 * TIMEOUT, 2 * TIMEOUT, 3 * TIMEOUT, 3 * TIMEOUT);
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(pair.qpA.state()).isEqualTo(QpState.ERR);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isEqualTo(3);
        assertThat(a.takeEvents()).isEmpty();
    }

    @Test
    void timeoutsRunAcrossTheClocksZero() {
        pair.now = -TIMEOUT - TIMEOUT / 2;
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        pair.advance(4 * TIMEOUT - 1);
        assertThat(a.done()).isEmpty();
        assertThat(pair.ab.log).hasSize(4);
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
    }

    @Test
    void retryCountOfSevenIsSeven() {
        pair.qpA.retries().retryCount(7);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        pair.advance(8 * TIMEOUT - 1);
        assertThat(a.done()).isEmpty();
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
        assertThat(pair.ab.log).hasSize(8);
    }

    @Test
    void retryCountOfZeroFailsAtTheFirstTimeout() {
        pair.qpA.retries().retryCount(0);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        pair.advance(TIMEOUT);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void timeoutOfZeroIsForEver() {
        pair.qpA.retries().timeout(0);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        assertThat(a.timers).isEmpty();
        assertThat(pair.qpA.deadline()).isEqualTo(Long.MAX_VALUE);
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1");
        assertThat(pair.qpA.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void retriesAreCountedAnewAfterProgress() {
        pair.qpA.retries().retryCount(1);
        pair.ab.lose(100, 1);
        pair.run(write(1, 1));
        pair.advance(TIMEOUT);
        pair.ab.lose(101, 1);
        pair.run(write(2, 1));
        pair.advance(TIMEOUT);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1", "2 SUCCESS WRITE 1");
    }

    @Test
    void timerRunsFromTheNewestAnswer() {
        pair.ba.loses = packet -> true;
        pair.run(write(1, 1));
        pair.advance(TIMEOUT / 2);
        pair.run(write(2, 1));
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        assertThat(pair.qpA.deadline()).isEqualTo(pair.now + TIMEOUT);
        pair.advance(TIMEOUT - 1);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
        pair.advance(1);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isOne();
        assertThat(pair.ab.log.get(2)).hasToString("WRITE_ONLY 101 ask at=1000 length=1 1B");
    }

    @Test
    void noTimerRunsWhenAllIsAnswered() {
        pair.run(write(1, 1));
        assertThat(pair.qpA.deadline()).isEqualTo(Long.MAX_VALUE);
        assertThat(a.settled).containsOnly(pair.qpA).isNotEmpty();
        pair.advance(10 * TIMEOUT);
        assertThat(pair.ab.log).hasSize(1);
    }

    @Test
    void nothingIsUnderWayWhenTheLastPsnIsAnsweredNotBefore() {
        a.post(pair.qpA, write(1, 1), write(2, 1));
        a.turn();
        a.settled.clear();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        assertThat(a.settled).isEmpty();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, AethSyndrome.ACK));
        assertThat(a.settled).containsOnly(pair.qpA).isNotEmpty();
    }

    @Test
    void linkThatGoesAndComesResumesWhereItWas() {
        pair.ba.loses = packet -> true;
        pair.run(write(1, 300), write(2, 1));
        pair.cut();
        pair.run(write(3, 1));
        assertThat(pair.qpA.outcome()).isEqualTo(QpContext.BLOCKED);
        pair.advance(TIMEOUT + 1); // nobody answers: goes back
        pair.join(false);
        pair.settle();
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=1000 length=300 256B",
                        "WRITE_LAST 101 ask 44B",
                        "WRITE_ONLY 102 ask at=1000 length=1 1B",
                        "WRITE_ONLY 103 ask at=1000 length=1 1B");
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 300", "2 SUCCESS WRITE 1", "3 SUCCESS WRITE 1");
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isEqualTo(3);
    }

    @Test
    void whatALinkHasLostIsSentAgainOnTheNextAtOnce() {
        pair.ba.loses = packet -> true;
        pair.run(write(1, 300), write(2, 1));
        pair.cut();
        pair.advance(TIMEOUT / 2);
        long deadline = pair.qpA.deadline();
        pair.join(false);
        assertThat(pair.qpA.deadline()).isEqualTo(deadline);
        pair.settle();
        assertThat(pair.ab.sent())
                .containsExactly(
                        "WRITE_FIRST 100 at=1000 length=300 256B",
                        "WRITE_LAST 101 ask 44B",
                        "WRITE_ONLY 102 ask at=1000 length=1 1B");
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 300", "2 SUCCESS WRITE 1");
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isOne();
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isEqualTo(3);
        assertThat(pair.qpA.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void readWhoseAnswersALinkHasLostIsAskedForTheRestAtOnce() {
        pair.ba.loses = packet -> packet.psn > 100;
        pair.run(Wr.read(1, b.region, 0).entry(a.region, 0, 3 * MTU));
        pair.ab.sent();
        pair.cut();
        pair.join(false);
        pair.settle();
        assertThat(pair.ab.sent()).containsExactly("READ_REQUEST 101 ask at=256 length=512");
        assertThat(a.done()).containsExactly("1 SUCCESS READ 768");
        assertThat(pair.now).isEqualTo(start);
    }

    @Test
    void whoHasNothingUnderWayMakesNothingOfANewLink() {
        pair.run(write(1, 1));
        pair.cut();
        pair.join(false);
        pair.settle();
        assertThat(pair.ab.sent()).isEmpty();
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
    }

    /** However often links come: those that bring nothing are no progress. */
    @Test
    void linksThatComeAndGoKeepARequestNoLongerThanItsRetries() {
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        for (int i = 0; i < 31; i++) {
            pair.advance(TIMEOUT / 8);
            pair.cut();
            pair.join(false);
            pair.ab.loses = packet -> true;
        }
        pair.advance(TIMEOUT / 8 - 1);
        assertThat(a.done()).isEmpty();
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
    }

    @Test
    void withoutALinkWhatIsPostedFailsAfterTheRetries() {
        pair.cut();
        pair.run(write(1, 1));
        pair.advance(4 * TIMEOUT - 1);
        assertThat(a.done()).isEmpty();
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
    }

    @Test
    void linkThatIsDownAndStillAttachedCountsAsNone() {
        pair.ab.state = Link.State.DOWN;
        pair.run(write(1, 1));
        assertThat(pair.qpA.outcome()).isEqualTo(QpContext.BLOCKED);
        assertThat(pair.ab.log).isEmpty();
        pair.ab.state = Link.State.UP;
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1");
    }

    @Test
    void timeoutWaitsForWhatTheMediumHasNotTaken() {
        pair.ab.loses = packet -> true;
        pair.ab.unsent = 1;
        pair.run(write(1, 1));
        pair.advance(3 * TIMEOUT);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero(); // as often as there are retries, no more
        pair.advance(TIMEOUT - 1);
        assertThat(pair.ab.log).hasSize(1);
        pair.advance(1);
        assertThat(pair.ab.log).hasSize(2);
        pair.advance(3 * TIMEOUT);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
    }

    @Test
    void linkWithoutRoomIsGoneOnWithWhenThereIsSome() {
        pair.ab.room = 1;
        pair.run(write(1, 300));
        assertThat(pair.ab.log).hasSize(1);
        assertThat(pair.qpA.outcome()).isEqualTo(QpContext.BLOCKED);
        assertThat(pair.qpA.operations()).isZero();
        pair.ab.room = 1;
        pair.settle();
        assertThat(pair.ab.sent()).containsExactly("WRITE_FIRST 100 at=1000 length=300 256B", "WRITE_LAST 101 ask 44B");
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 300");
    }

    @Test
    void whoWaitsForALinkThatFlowsIsNotGivenUp() {
        pair.ab.room = 0;
        pair.run(write(1, 1));
        pair.advance(20 * TIMEOUT);
        assertThat(a.done()).isEmpty();
        pair.ab.room = 1;
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1");
    }

    @Test
    void whoWaitsForALinkThatIsStuckIsGivenUp() {
        pair.ab.room = 0;
        Path path = a.path(NIC_B);
        path.noRoom(pair.now - 20_000_000);
        path.noRoom(pair.now);
        pair.run(write(1, 1));
        pair.advance(4 * TIMEOUT - 1);
        assertThat(a.done()).isEmpty();
        pair.advance(1);
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
    }

    @Test
    void peerThatDiesEndsWhatIsUnderWayAndFlushesTheRest() {
        b.receive(pair.qpA, 9, 0, 1);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1), write(2, 1));
        pair.qpA.requester().peerDied();
        assertThat(a.takeEvents()).containsExactly("QP_FATAL 3");
        assertThat(a.done())
                .containsExactly("1 RETRY_EXC_ERR solicited", "2 WR_FLUSH_ERR solicited", "9 WR_FLUSH_ERR solicited");
        assertThat(pair.qpA.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void peerThatDiesWithNothingUnderWayEndsTheQueuePairAlone() {
        pair.qpA.requester().peerDied();
        assertThat(a.takeEvents()).containsExactly("QP_FATAL 3");
        assertThat(a.done()).isEmpty();
        assertThat(pair.qpA.state()).isEqualTo(QpState.ERR);
        pair.run(write(1, 1));
        pair.qpA.requester().peerDied();
        assertThat(a.takeEvents()).isEmpty();
        assertThat(a.done()).containsExactly("1 WR_FLUSH_ERR solicited");
    }

    @Test
    void peerThatDiesEndsWhatWasPostedAndNotSent() {
        write(1, 1).post(pair.qpA.sendRing());
        pair.qpA.requester().peerDied();
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
    }
}
