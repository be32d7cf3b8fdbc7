package io.verbena.verification.conformance;

import static io.verbena.verification.conformance.WirePeer.psn;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QpAttributes;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a requester does with the answers, right and wrong, that it gets. */
final class WireAnswersTest extends WireTest {
    @Proves(Row.NOT_ACKED)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 1000, 1 << 22, (1 << 23) - 1})
    void anAcknowledgementForAPsnNeverSent(int ahead) {
        b.qp.postSend(b.request.write(1, 0).wrId(1).local(b.key(), 0, 10));
        p.until(() -> peer.packets.size() == 1);
        peer.acknowledge(psn(ahead), AethSyndrome.ACK, 1);
        p.runFor(100 * MICRO);
        assertThat(b.sends).isEmpty();
        assertThat(b.nic.counter(NicCounter.UNEXPECTED_RESPONSES)).isEqualTo(1);
        peer.acknowledge(psn(0), AethSyndrome.ACK, 1);
        p.until(() -> b.sends.size() == 1);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.SUCCESS);
    }

    @Proves(Row.NOT_ACKED)
    @Test
    void anAcknowledgementForThePartOfAMessageThatIsNotSentYet() {
        p.toA.window(2);
        peer.pause(); // the link has room for two packets of ten
        b.qp.postSend(b.request.write(1, 0).wrId(1).local(b.key(), 0, 10 * MTU));
        p.runFor(10 * MICRO);
        assertThat(p.toA.sent).isEqualTo(2);
        peer.acknowledge(psn(9), AethSyndrome.ACK, 1);
        p.runFor(10 * MICRO);
        assertThat(b.sends).as("eight of ten packets were never sent").isEmpty();
        peer.resume();
        p.toA.window(Integer.MAX_VALUE);
        p.until(() -> peer.packets.size() == 10);
        peer.acknowledge(psn(9), AethSyndrome.ACK, 1);
        p.until(() -> b.sends.size() == 1);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.SUCCESS);
    }

    @Proves({Row.RETRIES_RESTART, Row.REORDERED})
    @Test
    void lateSequenceNaksWithinAMessageCostNoRetries() {
        b.qp.postSend(b.request.write(1, 0).wrId(1).local(b.key(), 0, 30 * MTU));
        p.until(() -> peer.packets.size() == 30);
        peer.acknowledge(psn(20), AethSyndrome.ACK, 0);
        for (int late = 3; late < 19; late++) {
            peer.acknowledge(psn(late), AethSyndrome.PSN_SEQUENCE_ERROR, 0);
        }
        p.runFor(10 * MICRO);
        assertThat(peer.packets)
                .as("nothing that was acknowledged is sent again")
                .hasSize(30);
        assertThat(b.sends).isEmpty();
        peer.acknowledge(psn(29), AethSyndrome.ACK, 1);
        p.until(() -> b.sends.size() == 1);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.SUCCESS);
    }

    @Proves({Row.SEND_ORDER, Row.REPEATED})
    @Test
    void oneAcknowledgementForSeveralAndLateOnes() {
        for (int i = 0; i < 5; i++) {
            b.qp.postSend(b.request.write(1, 0).wrId(i).local(b.key(), 0, 10));
        }
        p.until(() -> peer.packets.size() == 5);
        peer.acknowledge(psn(3), AethSyndrome.ACK, 4);
        p.until(() -> b.sends.size() == 4);
        peer.acknowledge(psn(1), AethSyndrome.ACK, 2);
        peer.acknowledge(psn(3), AethSyndrome.ACK, 4);
        peer.acknowledge(psn(0), AethSyndrome.INVALID_REQUEST, 4);
        p.runFor(100 * MICRO);
        assertThat(b.sendIds()).containsExactly(0L, 1L, 2L, 3L);
        peer.acknowledge(psn(4), AethSyndrome.ACK, 5);
        p.until(() -> b.sends.size() == 5);
        assertThat(b.sendStatuses()).containsOnly(WcStatus.SUCCESS);
    }

    @Proves(Row.BAD_RESP_ERR)
    @ParameterizedTest
    @CsvSource({
        "READ, atomic",
        "READ, short",
        "READ, long",
        "READ, first of one packet",
        "READ2, only of two packets",
        "FETCH_ADD, read",
        "WRITE, read",
        "WRITE, atomic"
    })
    void anAnswerThatFitsNoRequest(String request, String answer) {
        switch (request) {
            case "READ":
                b.qp.postSend(b.request.read(1, 0).wrId(1).local(b.key(), 0, 100));
                break;
            case "READ2":
                b.qp.postSend(b.request.read(1, 0).wrId(1).local(b.key(), 0, MTU + 100));
                break;
            case "FETCH_ADD":
                b.qp.postSend(b.request.fetchAdd(1, 0, 1).wrId(1).local(b.key(), 0, 8));
                break;
            default:
                b.qp.postSend(b.request.write(1, 0).wrId(1).local(b.key(), 1000, 10));
        }
        b.qp.postSend(b.request.write(1, 0).wrId(2).local(b.key(), 1000, 10));
        p.until(() -> peer.packets.size() == 2);
        switch (answer) {
            case "atomic":
                peer.atomicAcknowledge(psn(0), 1, 5);
                break;
            case "short":
                peer.readResponse(Opcode.READ_RESPONSE_ONLY, psn(0), bytes(99, 1));
                break;
            case "long":
                peer.readResponse(Opcode.READ_RESPONSE_ONLY, psn(0), bytes(101, 1));
                break;
            case "first of one packet":
                peer.readResponse(Opcode.READ_RESPONSE_FIRST, psn(0), bytes(100, 1));
                break;
            case "only of two packets":
                peer.readResponse(Opcode.READ_RESPONSE_ONLY, psn(0), bytes(MTU, 1));
                break;
            default:
                peer.readResponse(Opcode.READ_RESPONSE_ONLY, psn(0), bytes(8, 1));
        }
        p.until(() -> b.sends.size() == 2);
        assertThat(b.sendIds()).containsExactly(1L, 2L);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.BAD_RESP_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.isZero(0, TestNic.REGION)).as("nothing of the answer").isTrue();
    }

    @Proves({Row.LOST_ANSWER, Row.RC_READ})
    @Test
    void aReadGoesOnWhereItsAnswersStopped() {
        b.qp.postSend(b.request.read(1, 500).wrId(1).local(b.key(), 0, 3 * MTU));
        awaitOnly(Opcode.READ_REQUEST);
        peer.forget();
        peer.readResponse(Opcode.READ_RESPONSE_FIRST, psn(0), bytes(MTU, 1));
        peer.readResponse(Opcode.READ_RESPONSE_LAST, psn(2), bytes(MTU, 3)); // the middle one is lost
        WirePeer.Packet again = awaitOnly(Opcode.READ_REQUEST);
        assertThat(again.psn()).isEqualTo(psn(1));
        assertThat(again.remoteOffset()).isEqualTo(500 + MTU);
        assertThat(again.length()).isEqualTo(2 * MTU);
        peer.readResponse(Opcode.READ_RESPONSE_FIRST, psn(1), bytes(MTU, 2));
        peer.readResponse(Opcode.READ_RESPONSE_LAST, psn(2), bytes(MTU, 3));
        p.until(() -> b.sends.size() == 1);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        for (int i = 0; i < 3; i++) {
            assertThat(b.holds(i * MTU, MTU, i + 1)).isTrue();
        }
    }

    @Proves(Row.RNR_DELAY)
    @ParameterizedTest
    @CsvSource({"0, 655360", "1, 10", "2, 20", "10, 320", "15, 1920", "20, 10240", "25, 61440", "31, 491520"})
    void theDelayIsTheRespondersAndItsTableIsThis(int code, long micros) {
        p.close();
        use(byHand(attributes().timeout(20).rnrRetry(1)));
        b.qp.postSend(b.request.send().wrId(1).local(b.key(), 0, 10));
        p.until(() -> peer.packets.size() == 1);
        peer.acknowledge(psn(0), AethSyndrome.rnrNak(code), 0);
        long start = p.now();
        p.until(() -> peer.packets.size() == 2);
        assertThat((p.now() - start) / (double) MICRO).isBetween((double) micros, micros * 1.01 + 10);
        peer.acknowledge(psn(0), AethSyndrome.rnrNak(code), 0);
        p.until(() -> b.sends.size() == 1);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.RNR_RETRY_EXC_ERR);
    }

    @Proves({Row.RETRY_EXC_ERR, Row.LOST_REQUEST})
    @Test
    void aPeerThatNeverFindsTheNextPacketInSequence() {
        p.close();
        use(byHand(attributes().timeout(12).retryCount(2)));
        b.qp.postSend(b.request.write(1, 0).wrId(1).local(b.key(), 0, 10));
        p.until(() -> peer.packets.size() == 1);
        for (int i = 0; i < 3; i++) {
            peer.acknowledge(psn(0), AethSyndrome.PSN_SEQUENCE_ERROR, 0);
            p.runFor(100 * MICRO);
            assertThat(peer.packets).as("sent again at once, and once").hasSize(2);
        }
        p.until(() -> peer.packets.size() == 3); // the timeout
        assertThat(peer.packets).allMatch(x -> x.psn() == psn(0));
        assertThat(b.nic.counter(NicCounter.RETRANSMISSIONS)).isEqualTo(2);
        assertThat(b.sends).isEmpty();
        peer.acknowledge(psn(0), AethSyndrome.PSN_SEQUENCE_ERROR, 0);
        p.runFor(100 * MICRO);
        assertThat(b.sendStatuses()).containsExactly(WcStatus.RETRY_EXC_ERR);
        assertThat(peer.packets).hasSize(3);
    }

    @Proves({Row.SQD_DRAINS, Row.EV_SQ_DRAINED})
    @ParameterizedTest
    @EnumSource(names = {"READ_REQUEST", "FETCH_ADD", "WRITE_ONLY"})
    void drainedIsWhatHasItsAnswer(Opcode opcode) {
        switch (opcode) {
            case READ_REQUEST:
                b.qp.postSend(b.request.read(1, 0).local(b.key(), 0, 8));
                break;
            case FETCH_ADD:
                b.qp.postSend(b.request.fetchAdd(1, 0, 1).local(b.key(), 0, 8));
                break;
            default:
                b.qp.postSend(b.request.write(1, 0).local(b.key(), 0, 8));
        }
        awaitOnly(opcode);
        b.qp.modify(new QpAttributes().state(QpState.SQD));
        p.runFor(100 * MICRO);
        assertThat(b.count(AsyncEventType.SQ_DRAINED)).as("one is on its way").isZero();
        switch (opcode) {
            case READ_REQUEST:
                peer.readResponse(Opcode.READ_RESPONSE_ONLY, psn(0), bytes(8, 1));
                break;
            case FETCH_ADD:
                peer.atomicAcknowledge(psn(0), 1, 5);
                break;
            default:
                peer.acknowledge(psn(0), AethSyndrome.ACK, 1);
        }
        p.settle();
        assertThat(b.sendStatuses()).containsExactly(WcStatus.SUCCESS);
        assertThat(b.count(AsyncEventType.SQ_DRAINED)).isEqualTo(1);
    }

    @Proves(Row.ACK_TIMEOUT)
    @Test
    void aLongMessageAsksForAcknowledgementsOnItsWay() {
        int asked = 16 * 1024 / MTU;
        int packets = 3 * asked + asked / 2;
        b.qp.postSend(b.request.write(1, 0).wrId(1).local(b.key(), 0, packets * MTU));
        b.qp.postSend(b.request.write(1, 0).wrId(2).local(b.key(), 0, MTU));
        p.until(() -> peer.packets.size() == packets + 1);
        for (int i = 0; i <= packets; i++) {
            assertThat((peer.packets.get(i).flags() & BthFlyweight.ACK_REQUEST) != 0)
                    .as("packet " + i)
                    .isEqualTo(i >= packets - 1 || i % asked == asked - 1);
        }
    }
}
