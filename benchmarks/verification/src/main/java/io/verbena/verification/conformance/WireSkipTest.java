package io.verbena.verification.conformance;

import static io.verbena.verification.conformance.WirePeer.psn;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QpAttributes;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.SkipEthFlyweight;
import io.verbena.verification.conformance.StreamSource.Sender;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams and skips as packets, one by one, at a queue pair that many send by. */
@SuppressWarnings("NullAway.Init") // before each test
final class WireSkipTest extends WireTest {
    private static final int LENGTH = 40;

    private StreamSource source;

    @Override
    Players players() {
        Players players = super.players();
        players.b.qp.modify(new QpAttributes().state(QpState.RESET));
        source = new StreamSource(players.b.qp);
        players.b.qp.connect(
                players.a.nic.id(),
                WirePeer.QP,
                attributes().timeout(12).sendPsn(WirePeer.FIRST_PSN).receivePsn(WirePeer.FIRST_PSN));
        return players;
    }

    private void append(AppendQueue queue, int index, int seed) {
        peer.append(Opcode.APPEND_ONLY, psn(index), queue.id(), queue.key(), LENGTH, bytes(LENGTH, seed));
        p.settle();
    }

    /** An append with a key that no queue has. */
    private void appendWrongly(AppendQueue queue, int index) {
        peer.append(Opcode.APPEND_ONLY, psn(index), queue.id(), queue.key() + 1, LENGTH, bytes(LENGTH, 9));
        p.settle();
    }

    private void skip(int from, int next, boolean abandons) {
        peer.skip(psn(from), psn(next), abandons);
        p.settle();
    }

    private WirePeer.Packet lastAnswer() {
        List<WirePeer.Packet> answers = peer.all(Opcode.ACKNOWLEDGE);
        return answers.get(answers.size() - 1);
    }

    private void expectAnswer(int index, int syndrome) {
        assertThat(lastAnswer().psn()).isEqualTo(psn(index));
        assertThat(lastAnswer().syndrome()).isEqualTo(syndrome);
    }

    private void expectMessages(int... seeds) {
        assertThat(b.messages).hasSize(seeds.length);
        for (int i = 0; i < seeds.length; i++) {
            assertThat(b.messages.get(i).bytes()).isEqualTo(bytes(LENGTH, seeds[i]));
        }
    }

    // ---- the responder -----------------------------------------------------------------------------------------

    @Proves({Row.STREAM_REFUSED, Row.SKIP_ANSWERED, Row.STREAM_TAKEN_BACK})
    @Test
    void whatIsRefusedAndWhatIsBehindItIsSkipped() {
        AppendQueue queue = b.newAppendQueue();
        append(queue, 0, 1);
        appendWrongly(queue, 1);
        expectAnswer(1, AethSyndrome.refusal(AethSyndrome.REMOTE_ACCESS_ERROR));
        append(queue, 2, 2); // behind it
        append(queue, 3, 3);
        skip(1, 5, false);
        expectAnswer(4, AethSyndrome.ACK);
        append(queue, 2, 2); // late copies
        append(queue, 3, 3);
        expectMessages(1);
        append(queue, 5, 4);
        expectAnswer(5, AethSyndrome.ACK);
        expectMessages(1, 4);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(b.nic.counter(NicCounter.APPENDS_REFUSED)).isOne();
    }

    @Proves(Row.SKIP_ANSWERED)
    @Test
    void aSkipThatComesTwiceIsAnsweredTwice() {
        AppendQueue queue = b.newAppendQueue();
        appendWrongly(queue, 0);
        skip(0, 2, false);
        peer.forget();
        skip(0, 2, false);
        expectAnswer(1, AethSyndrome.ACK);
        append(queue, 2, 1);
        expectMessages(1);
    }

    @Proves(Row.SKIP_LATE)
    @Test
    void aSkipBehindWhatWasTakenAfterAllDoesNothing() {
        AppendQueue queue = b.newAppendQueue();
        append(queue, 0, 1);
        append(queue, 1, 2);
        peer.forget();
        skip(0, 4, false);
        expectAnswer(1, AethSyndrome.ACK);
        append(queue, 2, 3);
        expectMessages(1, 2, 3);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.SKIP_INVALID)
    @ParameterizedTest
    @ValueSource(ints = {0, -1, -1000})
    void aSkipThatDoesNotGoForwardIsInvalid(int next) {
        AppendQueue queue = b.newAppendQueue();
        skip(0, next, false);
        expectAnswer(0, AethSyndrome.INVALID_REQUEST);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        append(queue, 0, 1);
        expectMessages();
    }

    @Proves(Row.SKIP_INVALID)
    @Test
    void aSkipBetweenThePartsOfASendIsInvalid() {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        peer.plain(Opcode.SEND_FIRST, psn(0), bytes(MTU, 1));
        skip(1, 3, false);
        expectAnswer(1, AethSyndrome.INVALID_REQUEST);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
    }

    /** A skip between the parts of an append. */
    @Proves(Row.SKIP_PARTS)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thePartsOfAMessageStayUnlessTheSkipGivesThemUp(boolean abandons) {
        AppendQueue queue = b.newAppendQueue();
        appendFirst(queue, psn(0), bytes(MTU, 1));
        appendWrongly(queue, 1);
        skip(1, 3, abandons);
        expectAnswer(2, AethSyndrome.ACK);
        if (abandons) {
            appendFirst(queue, psn(3), bytes(MTU, 3));
        }
        int last = abandons ? 4 : 3;
        peer.plain(Opcode.APPEND_LAST, psn(last), bytes(5, 2));
        p.settle();
        expectAnswer(last, AethSyndrome.ACK);
        assertThat(b.messages).hasSize(1).allMatch(m -> m.bytes().length == MTU + 5);
        assertThat(b.messages.get(0).bytes()).startsWith(bytes(MTU, abandons ? 3 : 1));
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.STREAM_LIMIT)
    @Test
    void aStreamThatThereIsNotIsInvalid() {
        AppendQueue queue = b.newAppendQueue();
        peer.append(Opcode.APPEND_ONLY, psn(0), queue.id(), queue.key(), LENGTH, 4095, bytes(LENGTH, 1));
        peer.append(Opcode.APPEND_ONLY, psn(1), queue.id(), queue.key(), LENGTH, 4096, bytes(LENGTH, 2));
        p.settle();
        expectAnswer(1, AethSyndrome.refusal(AethSyndrome.INVALID_REQUEST));
        expectMessages(1);
    }

    @Proves(Row.STREAM_AGAIN)
    @Test
    void whatNamesNoStreamIsOfTheOneThatWasNamedLast() {
        AppendQueue queue = b.newAppendQueue();
        peer.append(Opcode.APPEND_ONLY, psn(0), queue.id(), queue.key(), LENGTH, 7, bytes(LENGTH, 1));
        peer.plain(Opcode.APPEND_ONLY_AGAIN, psn(1), bytes(LENGTH, 2));
        peer.append(Opcode.APPEND_ONLY, psn(2), queue.id(), queue.key(), LENGTH, 8, bytes(LENGTH, 3));
        peer.immediate(Opcode.APPEND_ONLY_AGAIN_IMMEDIATE, psn(3), 0x0007_0000, bytes(LENGTH, 4));
        p.settle();
        expectMessages(1, 2, 3, 4);
        assertThat(b.messages)
                .extracting(m -> RecordDescriptor.stream(m.flags()))
                .containsExactly(7, 7, 8, 8);
        assertThat(b.messages.get(3).immediate()).isEqualTo(0x0007_0000);
    }

    // ---- the requester -----------------------------------------------------------------------------------------

    private void post(Sender sender, int number) {
        sender.post(sender.append(b.request, number).wrId(number).local(b.key(), 0, MTU));
    }

    private static int next(WirePeer.Packet skip) {
        return SkipEthFlyweight.next(new UnsafeBuffer(skip.bytes()), Opcode.SKIP.skipEthOffset());
    }

    @Proves({Row.SKIP_SENT, Row.STREAM_REFUSED})
    @Test
    void aRequesterSkipsToAPsnThatWasNeverUsed() {
        Sender ends = source.sender(1, 5, 55);
        Sender goes = source.sender(2, 6, 66);
        post(ends, 1);
        post(goes, 2);
        post(goes, 3);
        source.ring();
        p.until(() -> peer.packets.size() == 3);
        peer.forget();
        peer.acknowledge(psn(0), AethSyndrome.refusal(AethSyndrome.REMOTE_ACCESS_ERROR), 0);
        WirePeer.Packet skip = awaitOnly(Opcode.SKIP);
        assertThat(skip.psn()).isEqualTo(psn(0));
        assertThat(next(skip)).isEqualTo(psn(4));
        post(goes, 4);
        source.ring();
        p.runFor(10 * MICRO);
        assertThat(peer.packets).as("nothing before the answer").hasSize(1);
        peer.acknowledge(psn(3), AethSyndrome.ACK, 0);
        p.until(() -> peer.packets.size() == 4);
        assertThat(peer.packets.subList(1, 4)).extracting(WirePeer.Packet::psn).containsExactly(psn(4), psn(5), psn(6));
        peer.acknowledge(psn(6), AethSyndrome.ACK, 3);
        p.until(() -> b.sends.size() == 3);
        assertThat(b.sendIds()).containsExactly(2L, 3L, 4L);
        assertThat(b.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(ends.refused).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** The peer took the request when it came again: what is behind it goes on with its own PSNs. */
    @Proves(Row.SKIP_LATE)
    @Test
    void anAnswerBeforeTheSkipSaysThatNothingWasSkipped() {
        Sender sender = source.sender(1, 5, 55);
        post(sender, 1);
        post(sender, 2);
        source.ring();
        p.until(() -> peer.packets.size() == 2);
        peer.forget();
        peer.acknowledge(psn(0), AethSyndrome.rnrNak(5), 0);
        awaitOnly(Opcode.SKIP);
        peer.forget();
        peer.acknowledge(psn(0), AethSyndrome.ACK, 1);
        p.until(() -> !peer.packets.isEmpty());
        assertThat(peer.packets.get(0).psn()).isEqualTo(psn(1));
        peer.acknowledge(psn(1), AethSyndrome.ACK, 2);
        p.until(() -> b.sends.size() == 2);
        assertThat(source.takenBack).isZero();
        assertThat(b.sendIds()).containsExactly(1L, 2L);
    }
}
