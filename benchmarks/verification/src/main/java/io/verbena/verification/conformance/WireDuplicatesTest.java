package io.verbena.verification.conformance;

import static io.verbena.verification.conformance.WirePeer.psn;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a responder does with packets that come twice, late or not at all. */
final class WireDuplicatesTest extends WireTest {
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
}
