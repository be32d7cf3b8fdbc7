package io.verbena.bench.conformance;

import static io.verbena.bench.conformance.WirePeer.psn;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.AsyncEventType;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.NicCounter;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QpState;
import io.verbena.nic.WcStatus;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A NIC in front of a peer that says what no correct peer would, and sees each packet that the NIC answers. */
@SuppressWarnings("NullAway.Init") // before each test
final class WireTest extends ConformanceTest {
    private WirePeer peer;

    @Override
    Players players() {
        needsPackets();
        return byHand(attributes().timeout(12));
    }

    private Players byHand(ConnectAttributes attributes) {
        Players players = Players.byHand(fabric, attributes);
        peer = players.peer();
        return players;
    }

    @AfterEach
    @Override
    void close() {
        if (p != null) { // where it was skipped there are none
            super.close();
        }
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = Player.pattern(seed, i);
        }
        return bytes;
    }

    private WirePeer.Packet awaitOnly(Opcode opcode) {
        p.until(() -> !peer.all(opcode).isEmpty());
        return peer.only(opcode);
    }

    // ---- responder: duplicates ---------------------------------------------------------------------------------

    @Proves({Row.ATOMIC_DUPLICATE, Row.REPEATED})
    @ParameterizedTest
    @EnumSource(names = {"FETCH_ADD", "COMPARE_SWAP"})
    void aDuplicateAtomicIsAnsweredFromTheSavedValue(Opcode opcode) {
        b.region.buffer().putLong(64, 40);
        for (int i = 0; i < 3; i++) {
            peer.atomic(opcode, psn(0), b.key(), 64, 2, 40);
            p.settle();
            // Whatever happens to the word in the meantime.
            b.region.buffer().putLong(64, b.word(64) + 100);
        }
        assertThat(peer.all(Opcode.ATOMIC_ACKNOWLEDGE)).hasSize(3).allMatch(x -> x.original() == 40);
        assertThat(b.word(64)).isEqualTo((opcode == Opcode.FETCH_ADD ? 42 : 2) + 300);
        assertThat(b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isEqualTo(2);
    }

    @Proves(Row.ATOMIC_DUPLICATE)
    @Test
    void savedValuesAreKeptForEachOfTheOutstanding() {
        for (int i = 0; i < 16; i++) {
            peer.atomic(Opcode.FETCH_ADD, psn(i), b.key(), 64, 1, 0);
        }
        p.settle();
        peer.forget();
        for (int i = 0; i < 16; i++) {
            peer.atomic(Opcode.FETCH_ADD, psn(i), b.key(), 64, 1, 0);
            p.settle();
        }
        for (int i = 0; i < 16; i++) {
            int psn = psn(i);
            int original = i;
            assertThat(peer.packets)
                    .filteredOn(x -> x.psn() == psn)
                    .isNotEmpty()
                    .allMatch(x -> x.opcode() == Opcode.ATOMIC_ACKNOWLEDGE && x.original() == original);
        }
        assertThat(b.word(64)).isEqualTo(16);
    }

    @Proves(Row.NOT_RESETTING_SEQUENCE)
    @Test
    void aDuplicateReadInTheMiddleOfAWrite() {
        b.fill(100_000, 100, 9);
        peer.reth(Opcode.READ_REQUEST, psn(0), b.key(), 100_000, 100, new byte[0]);
        peer.reth(Opcode.WRITE_FIRST, psn(1), b.key(), 0, 3 * MTU, bytes(MTU, 1));
        p.settle();
        peer.reth(Opcode.READ_REQUEST, psn(0), b.key(), 100_000, 100, new byte[0]);
        p.settle();
        peer.plain(Opcode.WRITE_MIDDLE, psn(2), bytes(MTU, 2));
        peer.reth(Opcode.READ_REQUEST, psn(0), b.key(), 100_000, 100, new byte[0]);
        p.settle();
        peer.plain(Opcode.WRITE_LAST, psn(3), bytes(MTU, 3));
        p.settle();
        assertThat(peer.all(Opcode.READ_RESPONSE_ONLY))
                .hasSize(3)
                .allMatch(r -> Arrays.equals(r.payload(), b.bytes(100_000, 100)));
        assertThat(peer.all(Opcode.ACKNOWLEDGE)).allMatch(x -> AethSyndrome.isAck(x.syndrome()));
        assertThat(peer.all(Opcode.ACKNOWLEDGE)).last().matches(x -> x.psn() == psn(3));
        assertThat(b.holds(0, MTU, 1) && b.holds(MTU, MTU, 2) && b.holds(2 * MTU, MTU, 3))
                .isTrue();
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.LOST_ANSWER)
    @Test
    void aReadUnderAnOldPsnThatIsAnotherOneIsNotAnswered() {
        peer.reth(Opcode.READ_REQUEST, psn(0), b.key(), 100, 2 * MTU, new byte[0]);
        p.settle();
        peer.forget();
        peer.reth(Opcode.READ_REQUEST, psn(0), b.key(), 101, 2 * MTU, new byte[0]);
        peer.reth(Opcode.READ_REQUEST, psn(0), b.key(), 100, 2 * MTU - 1, new byte[0]);
        peer.reth(Opcode.READ_REQUEST, psn(0), b.key() ^ 1, 100, 2 * MTU, new byte[0]);
        peer.reth(Opcode.READ_REQUEST, psn(1), b.key(), 100, MTU, new byte[0]);
        p.settle();
        assertThat(peer.packets).isEmpty();
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        peer.reth(Opcode.READ_REQUEST, psn(1), b.key(), 100 + MTU, MTU, new byte[0]);
        p.settle();
        assertThat(peer.packets).hasSize(1).allMatch(x -> x.psn() == psn(1));
    }

    @Proves({Row.MR_DEREGISTERED, Row.REM_ACCESS_ERR})
    @Test
    void aRegionThatIsDeregisteredWhileItIsRead() {
        MemoryRegion region = b.pd.allocate(10 * MTU, Access.ALL);
        p.toA.window(2);
        peer.pause(); // the link has room for two packets of ten
        peer.reth(Opcode.READ_REQUEST, psn(0), region.key(), 0, 10 * MTU, new byte[0]);
        p.runFor(10 * MICRO);
        assertThat(p.toA.sent).isEqualTo(2);
        b.pd.deregister(region);
        peer.resume();
        p.toA.window(Integer.MAX_VALUE);
        WirePeer.Packet nak = awaitOnly(Opcode.ACKNOWLEDGE);
        p.settle();
        assertThat(nak.psn()).isEqualTo(psn(2));
        assertThat(nak.syndrome()).isEqualTo(AethSyndrome.REMOTE_ACCESS_ERROR);
        assertThat(peer.packets).hasSize(3);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
    }

    @Proves({Row.NOT_INTERLEAVED, Row.REPEATED})
    @Test
    void aDuplicateOfAnOlderMessageInTheMiddleOfASend() {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        b.qp.postReceive(2, b.key(), 20_000, 10_000);
        b.qp.postReceive(3, b.key(), 40_000, 10_000);
        peer.plain(Opcode.SEND_FIRST, psn(0), bytes(MTU, 1));
        peer.plain(Opcode.SEND_LAST, psn(1), bytes(10, 2));
        peer.reth(Opcode.WRITE_ONLY, psn(2), b.key(), 60_000, 10, bytes(10, 7));
        peer.plain(Opcode.SEND_FIRST, psn(3), bytes(MTU, 3));
        p.settle();
        b.fill(60_000, 10, 8); // a WRITE that is executed again would be seen
        peer.plain(Opcode.SEND_FIRST, psn(0), bytes(MTU, 11));
        peer.plain(Opcode.SEND_LAST, psn(1), bytes(10, 12));
        peer.reth(Opcode.WRITE_ONLY, psn(2), b.key(), 60_000, 10, bytes(10, 7));
        peer.plain(Opcode.SEND_FIRST, psn(3), bytes(MTU, 13));
        p.settle();
        peer.plain(Opcode.SEND_LAST, psn(4), bytes(20, 4));
        p.settle();
        assertThat(b.receives).extracting(Wc::wrId).containsExactly(1L, 2L);
        assertThat(b.receives).extracting(Wc::byteLength).containsExactly(MTU + 10, MTU + 20);
        assertThat(b.holds(0, MTU, 1) && b.holds(MTU, 10, 2)).isTrue();
        assertThat(b.holds(20_000, MTU, 3) && b.holds(20_000 + MTU, 20, 4)).isTrue();
        assertThat(b.holds(60_000, 10, 8)).isTrue();
        assertThat(b.nic.counter(NicCounter.DUPLICATE_REQUESTS)).isEqualTo(4);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves({Row.NOT_INTERLEAVED, Row.AQ_ONCE})
    @Test
    void aDuplicateAppendInTheMiddleOfAnother() {
        AppendQueue queue = b.newAppendQueue();
        peer.append(Opcode.APPEND_ONLY, psn(0), queue.id(), queue.key(), 10, bytes(10, 1));
        appendFirst(queue, psn(1), bytes(MTU, 2));
        peer.append(Opcode.APPEND_ONLY, psn(0), queue.id(), queue.key(), 10, bytes(10, 1));
        peer.append(Opcode.APPEND_FIRST, psn(1), queue.id(), queue.key(), MTU + 5, bytes(MTU, 3));
        p.settle();
        peer.plain(Opcode.APPEND_LAST, psn(2), bytes(5, 4));
        peer.plain(Opcode.APPEND_LAST, psn(2), bytes(5, 4));
        p.settle();
        assertThat(b.messages).hasSize(2);
        assertThat(b.messages.get(0).bytes()).isEqualTo(bytes(10, 1));
        assertThat(Arrays.copyOf(b.messages.get(1).bytes(), MTU)).isEqualTo(bytes(MTU, 2));
        assertThat(b.messages.get(1).bytes()).hasSize(MTU + 5);
    }

    @Proves({Row.REORDERED, Row.LOST_REQUEST})
    @Test
    void aGapIsSaidOnceAndFilled() {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        peer.plain(Opcode.SEND_FIRST, psn(0), bytes(MTU, 1));
        peer.plain(Opcode.SEND_MIDDLE, psn(2), bytes(MTU, 3));
        peer.plain(Opcode.SEND_LAST, psn(3), bytes(MTU, 4));
        p.settle();
        assertThat(peer.all(Opcode.ACKNOWLEDGE).stream()
                        .filter(x -> x.syndrome() == AethSyndrome.PSN_SEQUENCE_ERROR)
                        .toList())
                .hasSize(1)
                .allMatch(x -> x.psn() == psn(1));
        assertThat(b.receives).isEmpty();
        peer.plain(Opcode.SEND_MIDDLE, psn(1), bytes(MTU, 2));
        peer.plain(Opcode.SEND_MIDDLE, psn(2), bytes(MTU, 3));
        peer.plain(Opcode.SEND_LAST, psn(3), bytes(MTU, 4));
        p.settle();
        assertThat(b.receives).hasSize(1);
        for (int i = 0; i < 4; i++) {
            assertThat(b.holds(i * MTU, MTU, i + 1)).isTrue();
        }
    }

    // ---- responder: what is not valid --------------------------------------------------------------------------

    /** Begins an append of 5 bytes more: the receiver is not ready before its allocator has made a buffer. */
    private void appendFirst(AppendQueue queue, int psn, byte[] payload) {
        peer.append(Opcode.APPEND_FIRST, psn, queue.id(), queue.key(), payload.length + 5, payload);
        p.settle();
        assertThat(peer.all(Opcode.ACKNOWLEDGE))
                .last()
                .matches(x -> x.psn() == psn && AethSyndrome.isRnrNak(x.syndrome()), "NAK: not ready");
        peer.append(Opcode.APPEND_FIRST, psn, queue.id(), queue.key(), payload.length + 5, payload);
        p.settle();
    }

    private void expectInvalid() {
        p.settle();
        assertThat(peer.all(Opcode.ACKNOWLEDGE))
                .last()
                .matches(x -> x.syndrome() == AethSyndrome.INVALID_REQUEST, "NAK: invalid request");
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.count(AsyncEventType.QP_REQ_ERR)).isEqualTo(1);
        assertThat(b.isZero(100_000, Player.REGION - 100_000)).isTrue();
    }

    @Proves({Row.REM_INV_REQ_ERR_WIRE, Row.EV_QP_REQ_ERR})
    @ParameterizedTest
    @CsvSource({
        "SEND_FIRST, SEND_FIRST",
        "SEND_FIRST, SEND_ONLY",
        "SEND_FIRST, WRITE_MIDDLE",
        "SEND_FIRST, WRITE_LAST",
        "SEND_FIRST, READ_REQUEST",
        "SEND_ONLY, SEND_MIDDLE",
        "SEND_ONLY, SEND_LAST",
        "SEND_ONLY, WRITE_MIDDLE",
        "SEND_ONLY, APPEND_LAST",
        "WRITE_FIRST, SEND_MIDDLE",
        "WRITE_FIRST, SEND_LAST",
        "WRITE_FIRST, WRITE_FIRST",
        "WRITE_FIRST, WRITE_ONLY",
        "WRITE_FIRST, FETCH_ADD",
        "WRITE_FIRST, APPEND_MIDDLE"
    })
    void anOpcodeThatMayNotFollow(Opcode first, Opcode second) {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        b.qp.postReceive(2, b.key(), 0, 10_000);
        packet(first, psn(0));
        p.settle();
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        packet(second, psn(1));
        expectInvalid();
    }

    private void packet(Opcode opcode, int psn) {
        byte[] payload = bytes(opcode.endsMessage() ? 10 : MTU, 1);
        switch (opcode) {
            case WRITE_FIRST:
                peer.reth(opcode, psn, b.key(), 20_000, 2 * MTU, payload);
                break;
            case WRITE_ONLY:
                peer.reth(opcode, psn, b.key(), 20_000, 10, payload);
                break;
            case READ_REQUEST:
                peer.reth(opcode, psn, b.key(), 0, 10, new byte[0]);
                break;
            case FETCH_ADD:
                peer.atomic(opcode, psn, b.key(), 200_000, 1, 0);
                break;
            default:
                peer.plain(opcode, psn, payload);
        }
    }

    @Proves(Row.REM_INV_REQ_ERR_WIRE)
    @ParameterizedTest
    @CsvSource({
        "WRITE_ONLY, 10, 9",
        "WRITE_ONLY, 10, 11",
        "WRITE_ONLY, 0, 1",
        "WRITE_ONLY, 1, 0",
        "WRITE_ONLY, 2000, 2000",
        "WRITE_ONLY, -1, 10",
        "WRITE_FIRST, 3000, 1023",
        "WRITE_FIRST, 3000, 1025",
        "WRITE_FIRST, 1024, 1024",
        "WRITE_FIRST, 1000, 1024",
        "WRITE_FIRST, -2147483648, 1024",
        "READ_REQUEST, -1, 0",
        "SEND_FIRST, 0, 1000",
        "SEND_ONLY, 0, 1025"
    })
    void aLengthThatDoesNotFit(Opcode opcode, int announced, int payload) {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        if (opcode.rethOffset() == Opcode.ABSENT) {
            peer.plain(opcode, psn(0), bytes(payload, 1));
        } else {
            peer.reth(opcode, psn(0), b.key(), 100_000, announced, bytes(payload, 1));
        }
        expectInvalid();
    }

    @Proves(Row.REM_INV_REQ_ERR_WIRE)
    @ParameterizedTest
    @ValueSource(ints = {MTU - 1, MTU + 1, 1})
    void aWriteThatEndsElsewhereThanItSaid(int last) {
        peer.reth(Opcode.WRITE_FIRST, psn(0), b.key(), 0, 3 * MTU, bytes(MTU, 1));
        peer.plain(Opcode.WRITE_MIDDLE, psn(1), bytes(MTU, 1));
        p.settle();
        peer.plain(Opcode.WRITE_LAST, psn(2), bytes(last, 1));
        expectInvalid();
        assertThat(b.isZero(2 * MTU, 2 * MTU)).as("nothing of the bad packet").isTrue();
    }

    @Proves(Row.REM_INV_REQ_ERR_WIRE)
    @Test
    void anAppendThatIsLongerThanItSaid() {
        AppendQueue queue = b.newAppendQueue();
        appendFirst(queue, psn(0), bytes(MTU, 1));
        peer.plain(Opcode.APPEND_LAST, psn(1), bytes(6, 1));
        expectInvalid();
        assertThat(b.messages).isEmpty();
    }

    @Proves(Row.DEST_RD_ATOMIC_ZERO)
    @ParameterizedTest
    @EnumSource(names = {"READ_REQUEST", "FETCH_ADD"})
    void noResponderResourcesAtAll(Opcode opcode) {
        p.close();
        use(byHand(attributes().maxRdAtomic(0)));
        packet(opcode, psn(0));
        expectInvalid();
    }

    @Proves(Row.PEERS_MATCH)
    @Test
    void packetsForNobodyAndFromNobody() {
        peer.sourceQp = 78;
        peer.reth(Opcode.WRITE_ONLY, psn(0), b.key(), 0, 10, bytes(10, 1));
        peer.sourceQp = WirePeer.QP;
        int right = peer.destinationQp;
        peer.destinationQp = right + 64;
        peer.reth(Opcode.WRITE_ONLY, psn(0), b.key(), 0, 10, bytes(10, 1));
        peer.destinationQp = right;
        peer.raw(new UnsafeBuffer(new byte[64]), 0, 64);
        byte[] noise = bytes(64, 3);
        noise[0] = (byte) 0xFF;
        peer.raw(new UnsafeBuffer(noise), 0, 64);
        peer.plain(Opcode.UD_SEND_ONLY, psn(0), bytes(10, 1));
        p.settle();
        assertThat(b.isZero(0, Player.REGION)).isTrue();
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(peer.packets).isEmpty();
        assertThat(b.nic.counter(NicCounter.PACKETS_REJECTED)).isEqualTo(5);
        peer.reth(Opcode.WRITE_ONLY, psn(0), b.key(), 0, 10, bytes(10, 1));
        awaitOnly(Opcode.ACKNOWLEDGE);
        assertThat(b.holds(0, 10, 1)).isTrue();
    }

    // ---- requester: answers ------------------------------------------------------------------------------------

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
        assertThat(b.isZero(0, Player.REGION)).as("nothing of the answer").isTrue();
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
