package io.verbena.nic.transport;

import static io.verbena.nic.queue.SendWqeDescriptor.CONTINUES;
import static io.verbena.nic.queue.SendWqeDescriptor.UNFINISHED;
import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.RNR_DELAY;
import static io.verbena.nic.transport.TransportPair.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;

/** Short appends between the parts of a long one: what the sender makes of parts, and what the receiver allows. */
class InterruptedAppendTest {
    private static final long UNFINISHED_NANOS = 100_000_000;
    private static final int LENGTH = 600;
    private static final int LONG = 1;
    private static final int SHORT = 2;

    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final AppendQueue queue = b.appendQueue(new AppendQueueAttributes()
            .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
            .maxMessage(8000)
            .unfinishedTimeoutNanos(UNFINISHED_NANOS));

    private Wr part(TransportPair of, int offset, int length) {
        int flags = (offset > 0 ? CONTINUES : 0) | (offset + length < LENGTH ? UNFINISHED : 0);
        return Wr.append(1 + offset, queueOf(of).id(), queueOf(of).key()).stream(LONG)
                .entry(of.a.region, 40 + offset, length)
                .part(flags, LENGTH);
    }

    private AppendQueue queueOf(TransportPair of) {
        return of == pair ? queue : directQueue;
    }

    private AppendQueue directQueue = queue;

    private Wr shortOne(TransportPair of, long id, int length) {
        return Wr.append(id, queueOf(of).id(), queueOf(of).key()).stream(SHORT).entry(of.a.region, 0, length);
    }

    private String longMessage() {
        byte[] bytes = a.bytes(40, LENGTH);
        return LENGTH + "B immediate=8 stream=1 of 5 " + bytes[0] + ".." + bytes[LENGTH - 1];
    }

    private String shortMessage(int length) {
        byte[] bytes = a.bytes(0, length);
        return length + "B stream=2 of 5 " + bytes[0] + ".." + bytes[length - 1];
    }

    private Packet packet(Opcode opcode, int psn, int payload) {
        Packet packet = Packet.of(opcode, BthFlyweight.ACK_REQUEST, QP_B, psn, QP_A, payload);
        return opcode.appendEthOffset() == Opcode.ABSENT ? packet : packet.append(queue.id(), queue.key(), payload);
    }

    private Packet first(int psn) {
        return packet(Opcode.APPEND_FIRST, psn, MTU).append(queue.id(), queue.key(), LENGTH, LONG);
    }

    private void arrive(Packet... packets) {
        for (Packet packet : packets) {
            b.arrive(NIC_A, packet);
        }
        b.turn();
    }

    @Test
    void partsAreOneMessageAndShortOnesOvertakeIt() {
        pair.run(
                part(pair, 0, 100).immediate(8),
                shortOne(pair, 1001, 10),
                part(pair, 100, 300).immediate(8),
                shortOne(pair, 1002, 20),
                shortOne(pair, 1003, 30),
                part(pair, 400, 200).immediate(8));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "APPEND_FIRST 100 ask queue=0 length=600 stream=1 100B",
                        "APPEND_ONLY 101 ask queue=0 length=10 stream=2 10B",
                        "APPEND_MIDDLE 102 256B",
                        "APPEND_MIDDLE 103 ask 44B",
                        "APPEND_RUN 104 ask queue=0 length=72 messages=2 72B",
                        "APPEND_LAST_IMMEDIATE 106 ask immediate=8 200B");
        assertThat(b.messages(queue))
                .containsExactly(shortMessage(10), shortMessage(20), shortMessage(30), longMessage());
        assertThat(a.done()).hasSize(6).allMatch(text -> text.contains("SUCCESS"));
        assertThat(b.appender().large().openClaims()).isZero();
    }

    /** The peer may have done any part of it before the link broke. */
    @Test
    void aBreakInTheMiddleRepeatsAndLosesNothing() {
        for (int visits = 1; visits < 6; visits++) {
            TransportPair broken = new TransportPair();
            AppendQueue its = broken.b.appendQueue(8000);
            directQueue = its;
            broken.a.post(
                    broken.qpA,
                    part(broken, 0, 256).immediate(8),
                    shortOne(broken, 1001, 10),
                    part(broken, 256, 256).immediate(8),
                    shortOne(broken, 1002, 20),
                    part(broken, 512, 88).immediate(8));
            for (int i = 0; i < visits; i++) {
                broken.a.visit(broken.qpA, 1);
            }
            broken.deliverToB();
            broken.cut();
            broken.join(false);
            broken.advance(2 * TIMEOUT);
            broken.settle();
            assertThat(broken.b.messages(its)).containsExactly(shortMessage(10), shortMessage(20), longMessage());
            assertThat(broken.a.done()).hasSize(5).allMatch(text -> text.contains("SUCCESS"));
        }
    }

    /** Parts are gathered by the peer; what would wait for their answers goes as a packet between them. */
    @Test
    void onMappedMemoryPartsAndWhatComesBetweenArePackets() {
        TransportPair direct = TransportPair.direct();
        directQueue = direct.b.appendQueue(8000);
        direct.run(shortOne(direct, 1000, 5));
        assertThat(direct.ab.sent()).isEmpty();
        direct.run(
                part(direct, 0, 256).immediate(8),
                shortOne(direct, 1001, 10),
                part(direct, 256, 344).immediate(8));
        assertThat(direct.ab.sent())
                .containsExactly(
                        "APPEND_FIRST 100 ask queue=0 length=600 stream=1 256B",
                        "APPEND_ONLY 101 ask queue=0 length=10 stream=2 10B",
                        "APPEND_MIDDLE 102 256B",
                        "APPEND_LAST_IMMEDIATE 103 ask immediate=8 88B");
        direct.run(shortOne(direct, 1002, 20));
        assertThat(direct.ab.sent()).isEmpty();
        assertThat(direct.b.messages(directQueue))
                .containsExactly(shortMessage(5), shortMessage(10), longMessage(), shortMessage(20));
    }

    /** So a sender that begins many and ends none has the memory of one, which goes with its queue pair. */
    @Test
    void oneMessageIsInPartsAtATime() {
        arrive(first(100), packet(Opcode.APPEND_FIRST, 101, MTU).append(queue.id(), queue.key(), LENGTH, SHORT));
        assertThat(pair.ba.log).last().hasToString("ACKNOWLEDGE 101 INVALID msn=0");
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
        assertThat(b.appender().large().openClaims()).isZero();
    }

    @Test
    void nothingButAnAppendInOnePacketMayComeBetween() {
        arrive(first(100), packet(Opcode.SEND_ONLY, 101, 10));
        assertThat(pair.ba.log).last().hasToString("ACKNOWLEDGE 101 INVALID msn=0");
        assertThat(b.appender().large().openClaims()).isZero();
    }

    @Test
    void partsMustStillMakeUpTheAnnouncedLength() {
        arrive(first(100), packet(Opcode.APPEND_ONLY, 101, 88), packet(Opcode.APPEND_LAST, 102, 88));
        assertThat(pair.ba.log).last().hasToString("ACKNOWLEDGE 102 INVALID msn=1");
        assertThat(b.messages(queue)).hasSize(1);
    }

    /** Its bytes are free only when it has ended, and it ends only behind the short one. */
    @Test
    void aShortOneDoesNotWaitForTheQuotaOfTheMessageAroundIt() {
        SenderQuota quota = b.queues.openQuota(620);
        pair.qpB.senderQuota(quota);
        pair.run(
                part(pair, 0, 256).immediate(8),
                shortOne(pair, 1001, 10),
                part(pair, 256, 344).immediate(8));
        assertThat(b.messages(queue)).containsExactly(shortMessage(10), longMessage());
        assertThat(quota.bytes()).isZero();
        assertThat(a.done()).hasSize(3);
    }

    /** Beyond that the quota holds. */
    @Test
    void shortOnesWaitForEachOthersQuota() {
        SenderQuota quota = b.queues.openQuota(620);
        pair.qpB.senderQuota(quota);
        pair.run(
                part(pair, 0, 256).immediate(8),
                shortOne(pair, 1001, 250),
                shortOne(pair, 1002, 250),
                shortOne(pair, 1003, 250));
        assertThat(a.done()).hasSize(3);
        assertThat(b.counted(NicCounter.SENDER_QUOTA_REFUSALS)).isPositive();
        assertThat(b.messages(queue)).hasSize(2);
        pair.advance(RNR_DELAY);
        assertThat(b.messages(queue)).hasSize(1);
    }

    /** A full queue may hold up what comes between for any time. */
    @Test
    void aMessageIsNotGivenUpWhileItsSenderIsHeard() {
        arrive(first(100));
        for (int i = 1; i <= 5; i++) {
            pair.advance(UNFINISHED_NANOS);
            arrive(packet(Opcode.APPEND_ONLY, 100 + i, 10));
        }
        pair.advance(UNFINISHED_NANOS);
        arrive(packet(Opcode.APPEND_MIDDLE, 106, MTU), packet(Opcode.APPEND_LAST, 107, 88));
        assertThat(b.messages(queue)).hasSize(6);
        assertThat(b.counted(NicCounter.UNFINISHED_APPENDS)).isZero();
    }

    /** Where memory is mapped nothing of the sender is heard while its short message finds no room. */
    @Test
    void aMessageIsNotGivenUpWhileAShortOneFindsNoRoomInMappedMemory() {
        TransportPair direct = TransportPair.direct();
        direct.qpA.retries().rnrRetry(7);
        directQueue = direct.b.appendQueue(new AppendQueueAttributes()
                .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .memoryLimit(3L * AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .reserveChunks(1)
                .maxMessage(8000)
                .unfinishedTimeoutNanos(UNFINISHED_NANOS));
        direct.run(part(direct, 0, 256).immediate(8));
        int sent = 0;
        while (direct.a.counted(NicCounter.RECEIVER_NOT_READY) + direct.b.counted(NicCounter.RECEIVER_NOT_READY) == 0) {
            direct.run(shortOne(direct, 1000 + sent++, 250));
            assertThat(sent).isLessThan(10_000);
        }
        for (int i = 0; i < 40; i++) {
            direct.advance(UNFINISHED_NANOS / 4);
        }
        assertThat(direct.b.counted(NicCounter.UNFINISHED_APPENDS)).isZero();
        assertThat(direct.b.messages(directQueue)).hasSize(sent - 1);
        while (direct.b.allocator.doWork() > 0) {}
        direct.a.post(direct.qpA, part(direct, 256, 344).immediate(8));
        direct.advance(10 * RNR_DELAY);
        assertThat(direct.qpA.state()).isEqualTo(QpState.RTS);
        assertThat(direct.b.messages(directQueue)).hasSize(2).last().isEqualTo(longMessage());
    }
}
