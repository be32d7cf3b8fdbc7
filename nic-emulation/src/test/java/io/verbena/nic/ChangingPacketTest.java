package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AppendRunFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A packet lies in memory that its sender has mapped, and is changed by him after it was looked at. */
@Timeout(180)
class ChangingPacketTest {
    private static final long PEER = 0xB;
    private static final int PEER_QP = 7;
    private static final int MESSAGE = 40;
    private static final int MESSAGES = 4;

    /** A word, or a byte, that is another one from its second reading on. */
    private static final class Changing extends UnsafeBuffer {
        private final int index;
        private final int later;
        private int readings;

        Changing(int length, int index, int later) {
            super(new byte[length]);
            this.index = index;
            this.later = later;
        }

        @Override
        public int getInt(int at, ByteOrder order) {
            return at == index && readings++ > 0 ? later : super.getInt(at, order);
        }

        @Override
        public byte getByte(int at) {
            return at == index && readings++ > 0 ? (byte) later : super.getByte(at);
        }
    }

    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER).maxQueuePairs(16));
    private final ProtectionDomain pd = nic.allocateProtectionDomain();
    private final CompletionQueue completions = nic.createCompletionQueue(64);
    private final AppendQueue queue = pd.createAppendQueue(new AppendQueueAttributes());
    private final QueuePair attacked = connected();
    private final QueuePair other = connected();

    @AfterEach
    void close() {
        nic.close();
    }

    private QueuePair connected() {
        QueuePair qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(completions));
        qp.connect(PEER, PEER_QP, new ConnectAttributes().pathMtu(1024));
        return qp;
    }

    private void deliver(UnsafeBuffer packet) {
        PacketLink link = new PacketLink(PEER, packet, false);
        link.give(1);
        nic.engine(0).endpoint().listener().onLink(link);
        for (int i = 0; i < 3; i++) {
            nic.engine(0).doWork();
        }
        assertThat(link.delivered()).isOne();
        link.close();
        nic.engine(0).doWork();
    }

    private UnsafeBuffer run(QueuePair to, UnsafeBuffer packet) {
        Opcode opcode = Opcode.APPEND_RUN;
        BthFlyweight.encode(packet, 0, opcode.code(), 0, to.number(), 0, PEER_QP);
        AppendEthFlyweight.encodeRun(
                packet,
                opcode.appendEthOffset(),
                queue.id(),
                queue.key(),
                MESSAGES * AppendRunFlyweight.alignedLength(MESSAGE),
                MESSAGES,
                1);
        int at = opcode.headerLength();
        for (int i = 0; i < MESSAGES; i++) {
            AppendRunFlyweight.encode(packet, at, MESSAGE, 0);
            at += AppendRunFlyweight.alignedLength(MESSAGE);
        }
        return packet;
    }

    private static int runLength() {
        return Opcode.APPEND_RUN.headerLength() + MESSAGES * AppendRunFlyweight.alignedLength(MESSAGE);
    }

    @ParameterizedTest
    @CsvSource({"0, 48", "0, 8", "1, 0", "1, 41", "2, 1000", "3, 2147483647", "3, 39", "3, 0", "3, 48", "0, 100000"})
    void aRunOfAppendsIsWholeOrEndsItsQueuePairAlone(int message, int length) {
        int word = Opcode.APPEND_RUN.headerLength() + message * AppendRunFlyweight.alignedLength(MESSAGE);
        deliver(run(attacked, new Changing(runLength(), word, length)));
        deliver(run(other, new UnsafeBuffer(new byte[runLength()])));
        List<Integer> lengths = new ArrayList<>();
        queue.poll(
                (buffer, offset, bytes, qp, immediate, flags) -> lengths.add(qp == other.number() ? bytes : -bytes),
                64);
        assertThat(lengths.subList(lengths.size() - MESSAGES, lengths.size())).containsOnly(MESSAGE);
        if (attacked.state() == QpState.ERR) {
            assertThat(lengths).hasSize(MESSAGES);
        } else {
            assertThat(lengths.subList(0, lengths.size() - MESSAGES)).hasSize(MESSAGES);
        }
        assertThat(other.state()).isEqualTo(QpState.RTS);
        assertThat(queue.isEmpty()).isTrue();
    }

    /** What a packet was found sound as is what it is taken for. */
    @Test
    void itsOpcodeIsReadOnce() {
        MemoryRegion region = pd.allocate(4096, Access.ALL);
        attacked.postReceive(1, region.key(), 0, 4096);
        Changing packet = new Changing(BthFlyweight.LENGTH + 64, 0, Opcode.WRITE_ONLY.code());
        BthFlyweight.encode(packet, 0, Opcode.SEND_ONLY.code(), 0, attacked.number(), 0, PEER_QP);
        deliver(packet);
        List<WcOpcode> taken = new ArrayList<>();
        completions.poll(wc -> taken.add(wc.opcode()), 16);
        assertThat(taken).containsExactly(WcOpcode.RECEIVE);
        assertThat(attacked.state()).isEqualTo(QpState.RTS);
    }
}
