package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers: those that fit nothing, NAKs, and what becomes of lost and wrong answers to READs and atomics. */
class AnswersTest {
    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    @Test
    void acknowledgementOfAPsnNeverSentCompletesNothing() {
        a.post(pair.qpA, write(1, 700));
        a.visit(pair.qpA, 1); // one packet of three
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, AethSyndrome.ACK));
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 102, QP_B, AethSyndrome.ACK));
        assertThat(a.counted(NicCounter.UNEXPECTED_RESPONSES)).isEqualTo(2);
        assertThat(a.done()).isEmpty();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        assertThat(a.counted(NicCounter.UNEXPECTED_RESPONSES)).isEqualTo(2);
    }

    @Test
    void acknowledgementWithNothingOutstandingIsCounted() {
        pair.run(write(1, 1));
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        assertThat(a.counted(NicCounter.UNEXPECTED_RESPONSES)).isOne();
        assertThat(a.done()).hasSize(1);
    }

    @Test
    void oldAcknowledgementCompletesNothing() {
        pair.run(write(1, 1));
        a.done();
        a.post(pair.qpA, write(2, 1));
        a.turn();
        long deadline = pair.qpA.deadline();
        pair.now += 5;
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 99, QP_B, AethSyndrome.ACK));
        assertThat(a.done()).isEmpty();
        assertThat(pair.qpA.deadline()).isEqualTo(deadline); // nor is it progress
    }

    @Test
    void responsesInErrorAreForgotten() {
        a.post(pair.qpA, write(1, 1));
        a.turn();
        pair.qpA.error();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        assertThat(a.done()).containsExactly("1 WR_FLUSH_ERR solicited");
        assertThat(a.counted(NicCounter.UNEXPECTED_RESPONSES)).isZero();
    }

    @Test
    void sameSequenceErrorTwiceIsOneRetransmission() {
        a.post(pair.qpA, write(1, 300));
        a.turn();
        pair.ab.lose();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        a.turn();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        a.turn();
        assertThat(pair.ab.log).hasSize(4);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isOne();
    }

    @Test
    void sequenceErrorAcknowledgesAllBeforeIt() {
        a.post(pair.qpA, write(1, 1), write(2, 1));
        a.turn();
        pair.ab.sent();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1");
        a.turn();
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 101 ask at=1000 length=1 1B");
    }

    @Test
    void sequenceErrorForWhatWasAnsweredSinceIsOld() {
        a.post(pair.qpA, write(1, 1), write(2, 1));
        a.turn();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.ACK));
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1");
        assertThat(pair.qpA.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void sequenceErrorsCountAsRetries() {
        pair.qpA.retries().retryCount(1);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        pair.advance(TIMEOUT);
        assertThat(pair.ab.log).hasSize(2);
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        assertThat(a.done()).containsExactly("1 RETRY_EXC_ERR solicited");
    }

    @Test
    void eachNakEndsTheRequestItNamesInItsStatus() {
        int[] syndromes = {
            AethSyndrome.INVALID_REQUEST,
            AethSyndrome.REMOTE_ACCESS_ERROR,
            AethSyndrome.REMOTE_OPERATIONAL_ERROR,
            AethSyndrome.REMOTE_ABORTED
        };
        String[] statuses = {"REM_INV_REQ_ERR", "REM_ACCESS_ERR", "REM_OP_ERR", "REM_ABORT_ERR"};
        for (int i = 0; i < syndromes.length; i++) {
            TransportPair fresh = new TransportPair();
            fresh.a.post(
                    fresh.qpA,
                    Wr.write(1, fresh.b.region, 0).entry(fresh.a.region, 0, 1),
                    Wr.write(2, fresh.b.region, 0).entry(fresh.a.region, 0, 1),
                    Wr.write(3, fresh.b.region, 0).entry(fresh.a.region, 0, 1).unsignaled());
            fresh.a.turn();
            fresh.a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, syndromes[i]));
            assertThat(fresh.a.done())
                    .containsExactly(
                            "1 SUCCESS WRITE 1", "2 " + statuses[i] + " solicited", "3 WR_FLUSH_ERR solicited");
            assertThat(fresh.qpA.state()).isEqualTo(QpState.ERR);
            assertThat(fresh.qpA.deadline()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void lostPartOfAReadIsAskedForFromThere() {
        pair.ba.lose(101, 1);
        pair.run(Wr.read(1, b.region, 1000).entry(a.region, 0, 1000));
        assertThat(pair.ab.sent())
                .containsExactly("READ_REQUEST 100 ask at=1000 length=1000", "READ_REQUEST 101 ask at=1256 length=744");
        assertThat(pair.ba.sent())
                .containsExactly(
                        "READ_RESPONSE_FIRST 100 ACK msn=1 256B",
                        "READ_RESPONSE_MIDDLE 101 256B",
                        "READ_RESPONSE_MIDDLE 102 256B",
                        "READ_RESPONSE_LAST 103 ACK msn=1 232B",
                        "READ_RESPONSE_MIDDLE 101 256B",
                        "READ_RESPONSE_MIDDLE 102 256B",
                        "READ_RESPONSE_LAST 103 ACK msn=1 232B");
        assertThat(a.done()).containsExactly("1 SUCCESS READ 1000");
        assertThat(a.bytes(0, 1000)).isEqualTo(b.bytes(1000, 1000));
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isOne();
    }

    @Test
    void lostEndOfAReadIsAskedForAfterTheTimeout() {
        pair.ba.lose(102, 1);
        pair.run(Wr.read(1, b.region, 1000).entry(a.region, 0, 700));
        pair.advance(TIMEOUT - 1);
        assertThat(pair.ab.log).hasSize(1);
        pair.advance(1);
        assertThat(pair.ab.log.get(1)).hasToString("READ_REQUEST 102 ask at=1512 length=188");
        assertThat(a.done()).containsExactly("1 SUCCESS READ 700");
        assertThat(a.bytes(0, 700)).isEqualTo(b.bytes(1000, 700));
    }

    @Test
    void answerBehindALostReadAsksForTheReadOnce() {
        pair.ba.lose(100, 1);
        pair.run(
                Wr.read(1, b.region, 0).entry(a.region, 0, 8),
                write(2, 1),
                Wr.fetchAdd(3, b.region, 8000, 1).entry(a.region, 16, 8));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "READ_REQUEST 100 ask at=0 length=8",
                        "WRITE_ONLY 101 ask at=1000 length=1 1B",
                        "FETCH_ADD 102 ask at=8000 value=1 compare=0",
                        "READ_REQUEST 100 ask at=0 length=8",
                        "WRITE_ONLY 101 ask at=1000 length=1 1B",
                        "FETCH_ADD 102 ask at=8000 value=1 compare=0");
        assertThat(a.done()).containsExactly("1 SUCCESS READ 8", "2 SUCCESS WRITE 1", "3 SUCCESS FETCH_ADD 8");
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isOne();
    }

    @Test
    void lostAnswerOfAnAtomicIsGivenAgainFromWhatWasSaved() {
        b.region.buffer().putLong(1000, 41);
        pair.ba.lose(100, 1);
        pair.run(Wr.fetchAdd(1, b.region, 1000, 1).entry(a.region, 0, 8));
        b.region.buffer().putLong(1000, 77);
        pair.advance(TIMEOUT);
        assertThat(a.done()).containsExactly("1 SUCCESS FETCH_ADD 8");
        assertThat(a.region.buffer().getLong(0)).isEqualTo(41);
        assertThat(b.region.buffer().getLong(1000)).isEqualTo(77);
    }

    @Test
    void answerToAnAtomicBehindALostReadWaits() {
        a.post(
                pair.qpA,
                Wr.read(1, b.region, 0).entry(a.region, 0, 8),
                Wr.fetchAdd(2, b.region, 8000, 1).entry(a.region, 16, 8));
        a.turn();
        pair.ab.lose();
        pair.ab.sent();
        a.arrive(
                NIC_B,
                Packet.of(Opcode.ATOMIC_ACKNOWLEDGE, 0, QP_A, 101, QP_B, 0).original(5));
        a.arrive(
                NIC_B,
                Packet.of(Opcode.ATOMIC_ACKNOWLEDGE, 0, QP_A, 101, QP_B, 0).original(5));
        assertThat(a.done()).isEmpty();
        pair.settle();
        assertThat(pair.ab.sent())
                .containsExactly("READ_REQUEST 100 ask at=0 length=8", "FETCH_ADD 101 ask at=8000 value=1 compare=0");
        assertThat(a.done()).containsExactly("1 SUCCESS READ 8", "2 SUCCESS FETCH_ADD 8");
    }

    @Test
    void duplicateReadAnswerChangesNothing() {
        a.post(pair.qpA, Wr.read(1, b.region, 0).entry(a.region, 0, 600));
        a.turn();
        pair.ab.lose();
        Packet first = Packet.of(Opcode.READ_RESPONSE_FIRST, 0, QP_A, 100, QP_B, MTU);
        a.arrive(NIC_B, first);
        a.region.buffer().putByte(0, (byte) 99);
        a.arrive(NIC_B, first);
        assertThat(a.bytes(0, 2)).containsExactly(99, 7);
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
        assertThat(a.done()).isEmpty();
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_MIDDLE, 0, QP_A, 101, QP_B, MTU));
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_LAST, 0, QP_A, 102, QP_B, 88));
        assertThat(a.done()).containsExactly("1 SUCCESS READ 600");
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_LAST, 0, QP_A, 102, QP_B, 88));
        assertThat(a.counted(NicCounter.UNEXPECTED_RESPONSES)).isOne();
    }

    @Test
    void answersOfCompleteRequestsAreLeftAside() {
        pair.run(
                Wr.read(1, b.region, 0).entry(a.region, 0, 8),
                Wr.fetchAdd(2, b.region, 8000, 1).entry(a.region, 16, 8));
        a.done();
        a.post(pair.qpA, Wr.read(3, b.region, 0).entry(a.region, 40, 8));
        a.turn();
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_ONLY, 0, QP_A, 100, QP_B, 8));
        a.arrive(
                NIC_B,
                Packet.of(Opcode.ATOMIC_ACKNOWLEDGE, 0, QP_A, 101, QP_B, 0).original(5));
        assertThat(a.done()).isEmpty();
        assertThat(pair.qpA.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void answerOfTheWrongKindOrLengthIsABadResponse() {
        List<Packet> bad = List.of(
                Packet.of(Opcode.READ_RESPONSE_ONLY, 0, QP_A, 101, QP_B, 8), // too short
                Packet.of(Opcode.READ_RESPONSE_FIRST, 0, QP_A, 101, QP_B, 10), // says that more comes
                Packet.of(Opcode.READ_RESPONSE_ONLY, 0, QP_A, 101, QP_B, 11), // too long
                Packet.of(Opcode.ATOMIC_ACKNOWLEDGE, 0, QP_A, 101, QP_B, 0)); // for a READ
        for (Packet packet : bad) {
            TransportPair fresh = new TransportPair();
            fresh.a.post(
                    fresh.qpA,
                    Wr.write(1, fresh.b.region, 0).entry(fresh.a.region, 0, 1),
                    Wr.read(2, fresh.b.region, 0).entry(fresh.a.region, 0, 10));
            fresh.a.turn();
            fresh.a.arrive(NIC_B, packet);
            assertThat(fresh.a.done())
                    .as("%s", packet)
                    .containsExactly("1 SUCCESS WRITE 1", "2 BAD_RESP_ERR solicited");
            assertThat(fresh.a.bytes(0, 1)[0]).isEqualTo(FakeNic.pattern(fresh.a.id, 0));
        }
    }

    @Test
    void answerOfAReadToAWriteOrAtomicIsABadResponse() {
        a.post(pair.qpA, write(1, 8));
        a.turn();
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_ONLY, 0, QP_A, 100, QP_B, 8));
        assertThat(a.done()).containsExactly("1 BAD_RESP_ERR solicited");
        b.post(pair.qpB, Wr.fetchAdd(2, a.region, 0, 1).entry(b.region, 0, 8));
        b.turn();
        b.arrive(TransportPair.NIC_A, Packet.of(Opcode.READ_RESPONSE_ONLY, 0, QP_B, 200, QP_A, 8));
        assertThat(b.done()).containsExactly("2 BAD_RESP_ERR solicited");
    }

    @Test
    void answerToAReadWhoseOwnKeyHasGoneIsALocalError() {
        MemoryRegion gone = a.region(64, Access.ALL);
        a.post(
                pair.qpA,
                Wr.read(1, b.region, 0).entry(gone, 0, 8),
                Wr.fetchAdd(2, b.region, 8000, 1).entry(a.region, 16, 8));
        a.turn();
        a.regions.deregister(gone);
        pair.settle();
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void answerToAnAtomicWhoseOwnKeyHasGoneIsALocalError() {
        MemoryRegion gone = a.region(64, Access.ALL);
        a.post(pair.qpA, Wr.fetchAdd(2, b.region, 8000, 1).entry(gone, 16, 8));
        a.turn();
        a.regions.deregister(gone);
        pair.settle();
        assertThat(a.done()).containsExactly("2 LOC_PROT_ERR solicited");
    }
}
