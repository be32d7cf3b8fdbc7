package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.RNR_DELAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.SkipEthFlyweight;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that a peer does not take, on a queue pair that many send by, are taken back, and none is done twice. */
class TakeBackTest {
    private static final int ONE_RECORD = 40;

    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final AppendQueue queue = b.appendQueue(new AppendQueueAttributes()
            .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
            .maxMessage(1000));
    private final SenderQuota quota = b.queues.openQuota(ONE_RECORD);
    private final List<String> takenBack = new ArrayList<>();

    /** The test posts in the source's place, and says what was taken back. */
    private final class Source implements SendSource {
        @Override
        public void fill(SendRing ring) {}

        @Override
        public void completed(long before) {}

        @Override
        public boolean takesBack() {
            return true;
        }

        @Override
        public boolean waitsApart() {
            return true;
        }

        @Override
        public void takenBack(long first, long end, @Nullable WcStatus why, long now, long delayNanos, boolean begun) {
            takenBack.add(first + ".." + end + " " + why + " " + delayNanos + (begun ? " begun" : ""));
        }

        @Override
        public int weight() {
            return 1;
        }
    }

    @BeforeEach
    void manySendByBoth() {
        pair.qpA.sendRing().feed(new Source());
        pair.qpB.sendRing().feed(new Source());
    }

    private Wr append(int length) {
        return Wr.append(length, queue.id(), queue.key()).inline(new byte[length]);
    }

    private List<String> sent(String opcode) {
        return pair.ab.sent().stream().filter(text -> text.startsWith(opcode)).toList();
    }

    /** One message lies in the queue, and what its sender may have there is full. */
    private void fill() {
        pair.run(append(10));
        pair.qpB.senderQuota(quota);
        pair.run(append(11));
        pair.ab.sent();
    }

    @Test
    void receiverThatIsNotReadyHoldsUpNobodyElse() {
        fill();
        pair.run(append(12), append(13));
        assertThat(takenBack).containsExactly("2..4 null " + RNR_DELAY);
        assertThat(sent("SKIP")).containsExactly("SKIP 102 ask next=105");
        assertThat(pair.qpA.sendRing().isIdle()).isTrue();
        assertThat(b.messages(queue)).hasSize(2);
        pair.run(append(14));
        assertThat(sent("APPEND")).containsExactly("APPEND_ONLY 105 ask queue=0 length=14 14B");
        assertThat(b.messages(queue)).hasSize(1);
        assertThat(a.counted(NicCounter.TAKEN_BACK)).isOne();
    }

    @Test
    void skipThatALinkHasLostIsSentAgainOnTheNextAtOnce() {
        fill();
        pair.ab.loses = packet -> packet.opcode == Opcode.SKIP;
        pair.run(append(12), append(13));
        assertThat(takenBack).isEmpty();
        pair.cut();
        pair.join(false);
        pair.settle();
        assertThat(takenBack).containsExactly("2..4 null " + RNR_DELAY);
        assertThat(sent("SKIP")).containsExactly("SKIP 102 ask next=105");
    }

    @Test
    void skipThatIsLostIsSentAgain() {
        fill();
        pair.ab.loses = packet -> packet.opcode == Opcode.SKIP;
        pair.run(append(12));
        assertThat(takenBack).isEmpty();
        pair.run(append(13)); // waits for the answer
        assertThat(sent("APPEND")).hasSize(1);
        pair.ab.loses = packet -> false;
        pair.advance(TransportPair.TIMEOUT);
        assertThat(takenBack).containsExactly("2..4 null " + RNR_DELAY);
        assertThat(b.messages(queue)).hasSize(2);
    }

    @Test
    void answerThatIsLostIsGivenAgain() {
        fill();
        pair.ba.loses = packet -> packet.psn == 103; // that to the skip
        pair.run(append(12));
        assertThat(takenBack).isEmpty();
        pair.ba.loses = packet -> false;
        pair.advance(TransportPair.TIMEOUT);
        assertThat(takenBack).hasSize(1);
        b.messages(queue);
        pair.run(append(14));
        assertThat(b.messages(queue)).hasSize(1);
        assertThat(b.counted(NicCounter.OUT_OF_SEQUENCE)).isZero();
    }

    /** A copy of the request that was on its way finds room: it is done, and nothing is taken back. */
    @Test
    void skipBehindACopyThatIsTakenDoesNothing() {
        fill();
        a.post(pair.qpA, append(12));
        a.turn();
        Packet copy = pair.ab.log.get(pair.ab.log.size() - 1);
        pair.deliverToB();
        b.turn();
        assertThat(b.messages(queue)).hasSize(2); // there is room from here on
        b.arrive(NIC_A, copy);
        pair.settle();
        assertThat(sent("SKIP")).containsExactly("SKIP 102 ask next=104");
        assertThat(takenBack).isEmpty();
        assertThat(pair.qpA.sendRing().isIdle()).isTrue();
        assertThat(b.messages(queue)).hasSize(1);
        pair.run(append(14));
        assertThat(sent("APPEND")).containsExactly("APPEND_ONLY 103 ask queue=0 length=14 14B");
        assertThat(b.messages(queue)).hasSize(1);
    }

    @Test
    void refusedRequestIsNobodyElsesError() {
        pair.run(append(10));
        pair.run(Wr.append(7, queue.id(), queue.key() + 1).inline(new byte[11]), append(12));
        assertThat(takenBack).containsExactly("1..3 REM_ACCESS_ERR 0");
        assertThat(pair.qpA.state()).isEqualTo(QpState.RTS);
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
        assertThat(b.counted(NicCounter.APPENDS_REFUSED)).isOne();
        pair.run(append(13));
        assertThat(b.messages(queue)).hasSize(2);
    }

    /** Between the parts of a message another one is refused: the parts stay, unless they are the refused one's. */
    @Test
    void partsThatThePeerHasStayOrGo() {
        b.arrive(NIC_A, part(100, 300, 100));
        pair.deliverToA();
        b.arrive(NIC_A, skip(101, 105, false));
        b.arrive(NIC_A, Packet.of(Opcode.APPEND_LAST, BthFlyweight.ACK_REQUEST, QP_B, 105, QP_A, 200));
        assertThat(b.messages(queue)).hasSize(1);
        b.arrive(NIC_A, part(106, 300, 100));
        b.arrive(NIC_A, skip(107, 110, true));
        b.arrive(NIC_A, part(110, 200, 100));
        b.arrive(NIC_A, Packet.of(Opcode.APPEND_LAST, BthFlyweight.ACK_REQUEST, QP_B, 111, QP_A, 100));
        assertThat(b.messages(queue)).hasSize(1);
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
    }

    private Packet part(int psn, int message, int payload) {
        return Packet.of(Opcode.APPEND_FIRST, 0, QP_B, psn, QP_A, payload).append(queue.id(), queue.key(), message);
    }

    private static Packet skip(int psn, int next, boolean abandons) {
        Packet packet = Packet.of(Opcode.SKIP, BthFlyweight.ACK_REQUEST, QP_B, psn, QP_A, 0);
        SkipEthFlyweight.encode(packet.buffer, Opcode.SKIP.skipEthOffset(), next, abandons);
        return packet;
    }

    @Test
    void skipThatGoesBackIsAnError() {
        b.arrive(NIC_A, skip(100, 99, false));
        b.turn();
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void queuePairThatBreaksForgetsTheSkip() {
        fill();
        pair.ab.loses = packet -> packet.opcode == Opcode.SKIP;
        pair.run(append(12));
        pair.qpA.error();
        assertThat(takenBack).isEmpty();
        assertThat(pair.qpA.sendRing().hasPublished()).isFalse();
        pair.advance(TransportPair.TIMEOUT * 10);
        assertThat(sent("SKIP")).hasSize(1);
    }
}
