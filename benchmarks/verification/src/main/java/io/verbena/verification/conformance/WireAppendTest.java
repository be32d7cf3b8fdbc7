package io.verbena.verification.conformance;

import static io.verbena.verification.conformance.WirePeer.psn;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

/** The header of an append, which a reliable connection does not repeat. */
final class WireAppendTest extends WireTest {
    private static final int LENGTH = 40;

    private List<Integer> take(AppendQueue queue) {
        List<Integer> seeds = new ArrayList<>();
        p.settle();
        queue.poll((buffer, offset, length, qp, immediate, flags) -> seeds.add(seed(buffer, offset, length)), 10);
        return seeds;
    }

    /** The seed of a message's bytes, or -1 if they are not of one. */
    private static int seed(DirectBuffer buffer, int offset, int length) {
        for (int seed = 1; seed < 10; seed++) {
            boolean matches = length == LENGTH;
            for (int i = 0; i < length && matches; i++) {
                matches = buffer.getByte(offset + i) == TestNic.pattern(seed, i);
            }
            if (matches) {
                return seed;
            }
        }
        return -1;
    }

    private AppendQueue queue() {
        return b.pd.createAppendQueue(new AppendQueueAttributes().chunkLength(64 * 1024));
    }

    @Proves(Row.AQ_AGAIN)
    @Test
    void whatNamesNoQueueIsForTheOneThatWasNamedLast() {
        AppendQueue one = queue();
        AppendQueue other = queue();
        peer.append(Opcode.APPEND_ONLY, psn(0), one.id(), one.key(), LENGTH, bytes(LENGTH, 1));
        peer.plain(Opcode.APPEND_ONLY_AGAIN, psn(1), bytes(LENGTH, 2));
        assertThat(take(one)).containsExactly(1, 2);
        peer.append(Opcode.APPEND_ONLY, psn(2), other.id(), other.key(), LENGTH, bytes(LENGTH, 3));
        peer.plain(Opcode.APPEND_ONLY_AGAIN, psn(3), bytes(LENGTH, 4));
        assertThat(take(other)).containsExactly(3, 4);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.AQ_AGAIN)
    @Test
    void whatNamesNoQueueBeforeOneWasNamedIsInvalid() {
        AppendQueue queue = queue();
        peer.plain(Opcode.APPEND_ONLY_AGAIN, psn(0), bytes(LENGTH, 1));
        p.settle();
        assertThat(peer.all(Opcode.ACKNOWLEDGE))
                .last()
                .matches(x -> x.syndrome() == AethSyndrome.INVALID_REQUEST, "NAK: invalid request");
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Proves({Row.AQ_AGAIN, Row.AQ_ONCE})
    @Test
    void whatComesTwiceIsDoneOnceAndNamesNothing() {
        AppendQueue one = queue();
        AppendQueue other = queue();
        peer.append(Opcode.APPEND_ONLY, psn(0), one.id(), one.key(), LENGTH, bytes(LENGTH, 1));
        peer.append(Opcode.APPEND_ONLY, psn(1), other.id(), other.key(), LENGTH, bytes(LENGTH, 2));
        peer.append(Opcode.APPEND_ONLY, psn(0), one.id(), one.key(), LENGTH, bytes(LENGTH, 1));
        peer.plain(Opcode.APPEND_ONLY_AGAIN, psn(2), bytes(LENGTH, 3));
        assertThat(take(other)).containsExactly(2, 3);
        assertThat(take(one)).containsExactly(1);
        assertThat(one.isEmpty()).isTrue();
    }

    @Proves(Row.AQ_AGAIN)
    @Test
    void aQueueThatIsGoneIsNotAnother() {
        AppendQueue queue = queue();
        peer.append(Opcode.APPEND_ONLY, psn(0), queue.id(), queue.key(), LENGTH, bytes(LENGTH, 1));
        assertThat(take(queue)).containsExactly(1);
        assertThat(queue.destroy(true)).isTrue();
        AppendQueue next = queue();
        peer.plain(Opcode.APPEND_ONLY_AGAIN, psn(1), bytes(LENGTH, 2));
        p.settle();
        assertThat(peer.all(Opcode.ACKNOWLEDGE))
                .last()
                .matches(x -> x.syndrome() == AethSyndrome.INVALID_REQUEST, "NAK: invalid request");
        assertThat(next.isEmpty()).isTrue();
    }

    /** Two queues of the peer, of which it has only the names. */
    @Proves(Row.AQ_AGAIN)
    @Test
    void aRequesterNamesAQueueOnceAndAgainWhenItSendsAgain() {
        send(0, 5, 55);
        send(1, 5, 55);
        send(2, 6, 66);
        send(3, 6, 66);
        assertThat(peer.packets)
                .extracting(WirePeer.Packet::opcode)
                .containsExactly(
                        Opcode.APPEND_ONLY, Opcode.APPEND_ONLY_AGAIN, Opcode.APPEND_ONLY, Opcode.APPEND_ONLY_AGAIN);
        assertThat(peer.packets.get(1).bytes()).hasSize(Opcode.SEND_ONLY.headerLength() + LENGTH);
        peer.forget();
        post(6, 66);
        p.until(() -> peer.packets.size() == 1);
        assertThat(peer.packets.get(0).opcode()).isEqualTo(Opcode.APPEND_ONLY_AGAIN);
        p.until(() -> peer.packets.size() == 2); // nobody has acknowledged it
        assertThat(peer.packets.get(1).opcode()).as("sent again").isEqualTo(Opcode.APPEND_ONLY);
        peer.acknowledge(psn(4), AethSyndrome.ACK, 5);
        p.until(() -> b.sends.size() == 5);
        assertThat(b.sendStatuses()).containsOnly(WcStatus.SUCCESS);
    }

    private void send(int index, int queue, int key) {
        post(queue, key);
        p.until(() -> peer.packets.size() == index + 1);
        peer.acknowledge(psn(index), AethSyndrome.ACK, index + 1);
        p.until(() -> b.sends.size() == index + 1);
    }

    private void post(int queue, int key) {
        b.qp.postSend(b.request.append(queue, key).wrId(1).local(b.key(), 0, LENGTH));
    }
}
