package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.wire.Opcode;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Requests that are executed on a peer's mapped memory as they are posted. */
class CutThroughTest {
    private static final int OVERHEAD = DirectPath.OVERHEAD;

    private final TransportPair pair = TransportPair.direct();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    private Wr append(long id, AppendQueue queue, int length) {
        return Wr.append(id, queue.id(), queue.key()).entry(a.region, 40, length);
    }

    private int executeNow(Wr wr, InlineData data, int longest) {
        return qp.executeNow(wr.fill(qp.sendRing()), data, longest);
    }

    @Test
    void requestIsExecutedAsItIsPosted() {
        assertThat(executeNow(write(1, 600), new InlineData(), 600)).isEqualTo(600 + OVERHEAD);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 600");
        assertThat(b.bytes(1000, 600)).isEqualTo(a.bytes(40, 600));
        assertThat(executeNow(write(2, 1).unsignaled(), new InlineData(), 600)).isEqualTo(1 + OVERHEAD);
        assertThat(a.done()).isEmpty();
        assertThat(qp.sendRing().isIdle()).isTrue();
        assertThat(a.visit(qp, 100)).isZero(); // what was charged is not charged again
    }

    @Test
    void inlineDataIsTakenFromThePoster() {
        AppendQueue queue = b.appendQueue(10_000);
        InlineData data = new InlineData();
        data.wrap(new UnsafeBuffer(new byte[] {9, 1, 2, 9}), 1, 2);
        data.follow(new UnsafeBuffer(new byte[] {9, 9, 3, 4, 5}), 2, 3);
        byte[] unseen = new byte[5];
        assertThat(executeNow(Wr.write(1, b.region, 1000).inline(unseen), data, 100))
                .isEqualTo(5 + OVERHEAD);
        assertThat(b.bytes(1000, 5)).containsExactly(1, 2, 3, 4, 5);
        assertThat(executeNow(Wr.append(2, queue.id(), queue.key()).inline(unseen), data, 100))
                .isEqualTo(5 + OVERHEAD);
        assertThat(b.messages(queue)).containsExactly("5B of 5 1..5");
        data.clear();
        assertThat(executeNow(Wr.write(3, b.region, 1000).inline(unseen), data, 100))
                .isNegative();
    }

    @Test
    void requestThatCannotBeDoneAtOnceIsLeftToTheRing() {
        InlineData none = new InlineData();
        MemoryRegion other = a.region(64, Access.ALL, 2);
        assertThat(executeNow(write(1, 601), none, 600)).isNegative(); // too long
        assertThat(executeNow(Wr.send(1).entry(a.region, 0, 1), none, 600)).isNegative();
        assertThat(executeNow(Wr.write(1, b.region, 0).entry(other, 0, 8), none, 600))
                .isNegative();
        assertThat(executeNow(write(1, 8).at(0x7777, 0), none, 600)).isNegative();
        assertThat(executeNow(Wr.fetchAdd(1, b.region, 0, 1).entry(a.region, 0, 7), none, 600))
                .isNegative();
        assertThat(executeNow(Wr.read(1, b.region, 0).entry(a.region, 0, 8), none, 600))
                .isPositive();
        qp.connection().maxRdAtomic(0);
        assertThat(executeNow(Wr.read(1, b.region, 0).entry(a.region, 0, 8), none, 600))
                .isNegative();
        qp.state(QpState.SQD);
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        qp.state(QpState.RTS);
        assertThat(executeNow(write(1, 8), none, 600)).isPositive();
        pair.ab.state = Link.State.DOWN;
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        pair.ab.state = Link.State.UP;
        pair.qpB.error();
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        assertThat(executeNow(write(1, 8), none, 600)).isNegative();
        assertThat(a.done()).hasSize(2);
        assertThat(pair.ab.log).isEmpty();
    }

    @Test
    void answersThatAreDueComeFirst() {
        pair.ba.room = 0;
        pair.ab.room = 0;
        b.post(pair.qpB, Wr.send(1).entry(b.region, 0, 8));
        pair.ba.room = 10;
        a.receive(qp, 11, 0, 8);
        pair.settle();
        a.arrive(
                NIC_B,
                Packet.of(Opcode.READ_REQUEST, 0, TransportPair.QP_A, 201, QP_B, 0)
                        .reth(0, a.region.key(), 8));
        assertThat(executeNow(write(1, 8), new InlineData(), 600)).isNegative();
    }

    @Test
    void mayExecuteNowIsWhatMappedMemoryOffers() {
        for (WcOpcode opcode : WcOpcode.values()) {
            boolean offered = switch (opcode) {
                case WRITE, READ, COMPARE_SWAP, FETCH_ADD, APPEND -> true;
                default -> false;
            };
            assertThat(qp.mayExecuteNow(opcode.ordinal(), 0)).as("%s", opcode).isEqualTo(offered);
            assertThat(qp.mayExecuteNow(opcode.ordinal(), SendWqeDescriptor.IMMEDIATE))
                    .as("%s with immediate", opcode)
                    .isEqualTo(offered && opcode != WcOpcode.WRITE);
        }
    }

    @Test
    void localRegionThatGoesWhileItIsPostedIsALocalError() {
        MemoryRegion readOnly = a.region(64, Access.REMOTE_READ);
        assertThat(executeNow(Wr.read(1, b.region, 0).entry(readOnly, 0, 8), new InlineData(), 100))
                .isNegative();
        pair.run();
        assertThat(a.done()).isEmpty();
    }

    @Test
    void peerWhoSleepsIsWokenForAnAppend() {
        AppendQueue queue = b.appendQueue(10_000);
        append(1, queue, 1).post(qp.sendRing());
        qp.transmit(100);
        assertThat(a.touched).isEmpty();
        b.control.setParked(0);
        append(2, queue, 1).post(qp.sendRing());
        qp.transmit(100);
        assertThat(a.touched).containsExactly(a.path(NIC_B));
    }
}
