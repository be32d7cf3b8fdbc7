package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.RNR_DELAY;
import static io.verbena.nic.wire.AppendEthFlyweight.MAX_STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Appends by packets, whole and in parts: refused, repeated, given up. */
class AppendPacketsTest {
    private static final int MAX_MESSAGE = 8000;
    private static final long UNFINISHED = 100_000_000;

    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final AppendQueue queue = b.appendQueue(new AppendQueueAttributes()
            .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
            .maxMessage(MAX_MESSAGE)
            .unfinishedTimeoutNanos(UNFINISHED));

    private Wr append(long id, int length) {
        return Wr.append(id, queue.id(), queue.key()).entry(a.region, 40, length);
    }

    private Packet packet(Opcode opcode, int psn, int payload) {
        Packet packet = Packet.of(opcode, BthFlyweight.ACK_REQUEST, QP_B, psn, QP_A, payload);
        return opcode.appendEthOffset() == Opcode.ABSENT ? packet : packet.append(queue.id(), queue.key(), payload);
    }

    private void arrive(Packet... packets) {
        for (Packet packet : packets) {
            b.arrive(NIC_A, packet);
        }
        b.turn();
    }

    private String message(int length, String immediate) {
        byte[] bytes = a.bytes(40, length);
        return length + "B" + immediate + " of 5 " + bytes[0] + ".." + bytes[length - 1];
    }

    // ---- whole
    // -----------------------------------------------------------------------------------------------------------

    @Test
    void appendInOnePacketIsARecord() {
        pair.run(append(1, 100));
        pair.run(append(2, 10).immediate(9));
        pair.run(Wr.append(3, queue.id(), queue.key()));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "APPEND_ONLY 100 ask queue=0 length=100 100B",
                        "APPEND_ONLY_AGAIN_IMMEDIATE 101 ask immediate=9 10B",
                        "APPEND_ONLY_AGAIN 102 ask 0B");
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 100", "2 SUCCESS APPEND 10", "3 SUCCESS APPEND 0");
        assertThat(b.messages(queue)).containsExactly(message(100, ""), message(10, " immediate=9"), "0B of 5 ");
    }

    @Test
    void appendInPartsIsOneRecordWhenItIsWhole() {
        a.post(pair.qpA, append(1, 600).immediate(8));
        a.visit(pair.qpA, MTU * 2);
        pair.deliverToB();
        assertThat(b.messages(queue)).isEmpty();
        pair.settle();
        assertThat(pair.ab.sent())
                .containsExactly(
                        "APPEND_FIRST 100 queue=0 length=600 256B",
                        "APPEND_MIDDLE 101 256B",
                        "APPEND_LAST_IMMEDIATE 102 ask immediate=8 88B");
        assertThat(b.messages(queue)).containsExactly(message(600, " immediate=8"));
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 600");
    }

    @Test
    void appendIsOfTheStreamThatItsSenderNames() {
        pair.run(append(1, 100).stream(1));
        pair.run(append(2, 10).stream(MAX_STREAM).immediate(9));
        pair.run(append(3, 600).stream(MAX_STREAM));
        pair.run(append(4, 600).stream(2048).immediate(8));
        pair.run(append(5, 10));
        assertThat(pair.ab.sent())
                .contains(
                        "APPEND_ONLY 100 ask queue=0 length=100 stream=1 100B",
                        "APPEND_ONLY_IMMEDIATE 101 ask queue=0 length=10 stream=4095 immediate=9 10B",
                        "APPEND_FIRST 102 queue=0 length=600 stream=4095 256B");
        assertThat(b.messages(queue))
                .containsExactly(
                        message(100, " stream=1"),
                        message(10, " immediate=9 stream=4095"),
                        message(600, " stream=4095"),
                        message(600, " immediate=8 stream=2048"),
                        message(10, ""));
    }

    @Test
    void appendThatIsTooLongForAChunkIsOfItsStreamToo() {
        pair.run(append(1, MAX_MESSAGE).stream(MAX_STREAM));
        b.turn();
        pair.advance(RNR_DELAY);
        pair.settle();
        pair.run(append(2, MAX_MESSAGE));
        assertThat(b.messages(queue)).contains(message(MAX_MESSAGE, " stream=4095"));
    }

    @Test
    void appendOfANumberThatNoStreamHasIsInvalid() {
        arrive(packet(Opcode.APPEND_ONLY, 100, 10).append(queue.id(), queue.key(), 10, MAX_STREAM + 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
        assertThat(b.messages(queue)).isEmpty();
    }

    @Test
    void bytesOfAnAppendInPartsLieInTheirOrder() {
        pair.run(append(1, 600));
        List<byte[]> found = new ArrayList<>();
        queue.poll(
                (buffer, offset, length, qp, immediate, flags) -> {
                    byte[] bytes = new byte[length];
                    buffer.getBytes(offset, bytes);
                    found.add(bytes);
                },
                10);
        assertThat(found).hasSize(1);
        assertThat(found.get(0)).isEqualTo(a.bytes(40, 600));
    }

    @Test
    void duplicateAppendIsNotAppendedAgain() {
        pair.ba.lose(100, 1);
        pair.run(append(1, 10));
        pair.advance(TransportPair.TIMEOUT);
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 10");
        assertThat(b.messages(queue)).hasSize(1);
    }

    @Test
    void unknownQueueOrTooLongAMessageIsInvalid() {
        arrive(packet(Opcode.APPEND_ONLY, 100, 10).append(3, queue.key(), 10));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
        TransportPair other = new TransportPair();
        AppendQueue small = other.b.appendQueue(9);
        other.run(Wr.append(1, small.id(), small.key()).entry(other.a.region, 0, 9));
        other.run(Wr.append(2, small.id(), small.key()).entry(other.a.region, 0, 10));
        assertThat(other.a.done()).containsExactly("1 SUCCESS APPEND 9", "2 REM_INV_REQ_ERR solicited");
    }

    @Test
    void wrongKeyIsAnAccessErrorAndTheQueueUntouched() {
        arrive(packet(Opcode.APPEND_ONLY, 100, 10).append(queue.id(), queue.key() + 1, 10));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACCESS msn=0");
        assertThat(b.takeEvents()).containsExactly("QP_ACCESS_ERR 5");
        assertThat(b.messages(queue)).isEmpty();
    }

    @Test
    void announcedLengthMustFitThePacket() {
        int[][] wrong = {{10, 9}, {10, 11}};
        for (int[] lengths : wrong) {
            TransportPair fresh = new TransportPair();
            AppendQueue its = fresh.b.appendQueue(1000);
            fresh.b.arrive(NIC_A, packet(Opcode.APPEND_ONLY, 100, lengths[0]).append(its.id(), its.key(), lengths[1]));
            fresh.b.turn();
            assertThat(fresh.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
        }
    }

    @Test
    void partsMustMakeUpTheAnnouncedLength() {
        arrive(
                packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), MTU + 10),
                packet(Opcode.APPEND_LAST, 101, 9));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 INVALID msn=0");
        assertThat(b.messages(queue)).isEmpty();
        assertThat(b.appender().large().openClaims()).isZero();
    }

    @Test
    void middleThatIsAllThatIsLeftIsInvalid() {
        arrive(
                packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), 2 * MTU),
                packet(Opcode.APPEND_MIDDLE, 101, MTU));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 INVALID msn=0");
        assertThat(b.appender().large().openClaims()).isZero();
    }

    @Test
    void firstShorterThanItsMessageMustBe() {
        arrive(packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), MTU - 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
    }

    // ---- room
    // ------------------------------------------------------------------------------------------------------------

    @Test
    void queueWithoutSpaceIsNotReadyAndGoesOnWhenThereIsSome() {
        TransportPair full = new TransportPair();
        full.qpA.retries().rnrRetry(7);
        AppendQueue little = full.b.appendQueue(new AppendQueueAttributes()
                .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .memoryLimit(3L * AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .reserveChunks(1)
                .maxMessage(10_000));
        int sent = 0;
        while (full.b.counted(NicCounter.RECEIVER_NOT_READY) + full.a.counted(NicCounter.RECEIVER_NOT_READY) == 0) {
            full.run(Wr.append(sent++, little.id(), little.key()).entry(full.a.region, 0, 9000));
            assertThat(sent).isLessThan(100);
        }
        assertThat(full.a.done()).hasSize(sent - 1);
        assertThat(full.b.messages(little)).hasSize(sent - 1);
        while (full.b.allocator.doWork() > 0) {}
        full.advance(10 * RNR_DELAY);
        assertThat(full.a.done()).containsExactly(sent - 1 + " SUCCESS APPEND 9000");
    }

    @Test
    void senderAboveItsQuotaWaitsUntilSomethingIsTaken() {
        SenderQuota quota = b.queues.openQuota(300);
        pair.qpB.senderQuota(quota);
        pair.run(append(1, 100));
        pair.run(append(2, 100));
        pair.run(append(3, 100));
        assertThat(quota.bytes()).isEqualTo(240);
        assertThat(a.done()).hasSize(2);
        assertThat(b.counted(NicCounter.SENDER_QUOTA_REFUSALS)).isOne();
        assertThat(pair.ba.log.get(2)).hasToString("ACKNOWLEDGE 102 RNR12 msn=2");
        assertThat(b.messages(queue)).hasSize(2);
        assertThat(quota.bytes()).isZero();
        pair.advance(RNR_DELAY);
        assertThat(a.done()).containsExactly("3 SUCCESS APPEND 100");
    }

    @Test
    void messageAboveItsWholeQuotaIsInvalid() {
        SenderQuota quota = b.queues.openQuota(120);
        pair.qpB.senderQuota(quota);
        pair.run(append(1, 104));
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 104");
        assertThat(b.messages(queue)).hasSize(1);
        pair.run(append(2, 105));
        assertThat(a.done()).containsExactly("2 REM_INV_REQ_ERR solicited");
        assertThat(quota.bytes()).isZero();
    }

    @Test
    void messageInPartsAboveItsQuotaWaits() {
        SenderQuota quota = b.queues.openQuota(700);
        pair.qpB.senderQuota(quota);
        pair.run(append(1, 600));
        pair.run(append(2, 600));
        assertThat(a.done()).hasSize(1);
        assertThat(pair.ba.log.get(1)).hasToString("ACKNOWLEDGE 103 RNR12 msn=1");
        assertThat(quota.bytes()).isEqualTo(616);
        b.messages(queue);
        pair.advance(RNR_DELAY);
        assertThat(a.done()).hasSize(1);
    }

    @Test
    void refusedAppendsGiveTheirQuotaBack() {
        SenderQuota quota = b.queues.openQuota(700);
        pair.qpB.senderQuota(quota);
        arrive(packet(Opcode.APPEND_ONLY, 100, 10).append(queue.id(), queue.key() + 1, 10));
        assertThat(quota.bytes()).isZero();
        TransportPair parts = new TransportPair();
        AppendQueue its = parts.b.appendQueue(1000);
        SenderQuota another = parts.b.queues.openQuota(700);
        parts.qpB.senderQuota(another);
        parts.b.arrive(NIC_A, packet(Opcode.APPEND_FIRST, 100, MTU).append(its.id(), its.key() + 1, 300));
        assertThat(another.bytes()).isZero();
    }

    @Test
    void messageTooLongForAChunkWaitsForAMappingOfItsOwn() {
        TransportPair wide = new TransportPair(QpType.RC, 100, 24_000);
        wide.qpA.retries().rnrRetry(7);
        AppendQueue its = wide.b.appendQueue(30_000);
        SenderQuota quota = wide.b.queues.openQuota(100_000);
        wide.qpB.senderQuota(quota);
        wide.run(Wr.append(1, its.id(), its.key())
                .entry(wide.a.region, 40, 20_000)
                .immediate(6));
        assertThat(wide.ba.sent()).containsExactly("ACKNOWLEDGE 100 RNR12 msn=0");
        assertThat(quota.bytes()).isZero();
        while (wide.b.allocator.doWork() > 0) {}
        wide.advance(RNR_DELAY);
        assertThat(wide.a.done()).containsExactly("1 SUCCESS APPEND 20000");
        assertThat(quota.bytes()).isEqualTo(20_016);
        byte[] bytes = wide.a.bytes(40, 20_000);
        assertThat(wide.b.messages(its)).containsExactly("20000B immediate=6 of 5 " + bytes[0] + ".." + bytes[19_999]);
        assertThat(wide.b.appender().large().openClaims()).isZero();
        assertThat(quota.bytes()).isZero();
    }

    @Test
    void regionsOfARunThatGoWhileItIsGatheredGoOutAsZeros() {
        a.post(pair.qpA, append(1, 10));
        a.looks = 1; // the check
        a.turn();
        assertThat(pair.ab.log.get(0).payload()).isEqualTo(new byte[10]);
    }

    // ---- given up
    // --------------------------------------------------------------------------------------------------------

    @Test
    void senderThatStopsInTheMiddleIsGivenUpAfterTheTimeout() {
        arrive(packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), 600));
        long looksAt = pair.qpB.deadline();
        assertThat(looksAt).isEqualTo(pair.now + UNFINISHED);
        assertThat(b.nextTimer()).isEqualTo(looksAt);
        pair.advance(UNFINISHED);
        assertThat(b.counted(NicCounter.UNFINISHED_APPENDS)).isZero(); // the first look finds the first packet
        assertThat(pair.qpB.deadline()).isEqualTo(pair.now + UNFINISHED);
        pair.advance(UNFINISHED - 1);
        assertThat(b.appender().large().openClaims()).isOne();
        pair.advance(1);
        assertThat(b.counted(NicCounter.UNFINISHED_APPENDS)).isOne();
        assertThat(b.appender().large().openClaims()).isZero();
        assertThat(pair.qpB.deadline()).isEqualTo(Long.MAX_VALUE);
        arrive(packet(Opcode.APPEND_MIDDLE, 101, MTU));
        assertThat(pair.ba.log).last().hasToString("ACKNOWLEDGE 101 ABORTED msn=0");
    }

    @Test
    void senderThatGoesOnSlowlyIsNotGivenUp() {
        arrive(packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), 600));
        pair.advance(UNFINISHED + UNFINISHED / 2);
        arrive(packet(Opcode.APPEND_MIDDLE, 101, MTU));
        pair.advance(UNFINISHED);
        arrive(packet(Opcode.APPEND_LAST, 102, 88));
        assertThat(b.messages(queue)).hasSize(1);
        assertThat(b.counted(NicCounter.UNFINISHED_APPENDS)).isZero();
        assertThat(pair.qpB.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void errorInTheMiddleOfAnAppendUndoesIt() {
        arrive(packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), 600));
        assertThat(b.appender().large().openClaims()).isOne();
        pair.qpB.error();
        assertThat(b.appender().large().openClaims()).isZero();
    }

    @Test
    void resetInTheMiddleOfAnAppendUndoesIt() {
        arrive(packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), 600));
        pair.qpB.state(QpState.RESET);
        assertThat(b.appender().large().openClaims()).isZero();
    }

    @Test
    void queueThatIsDestroyedInTheMiddleIsInvalid() {
        arrive(packet(Opcode.APPEND_FIRST, 100, MTU).append(queue.id(), queue.key(), 257));
        queue.destroy(true);
        arrive(packet(Opcode.APPEND_LAST, 101, 1));
        assertThat(pair.ba.log).last().hasToString("ACKNOWLEDGE 101 INVALID msn=0");
        assertThat(b.appender().large().openClaims()).isZero();
    }
}
