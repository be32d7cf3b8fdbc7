package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.RNR_DELAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Appends that leave out the header which a connection's last append has had: when they may, and whom they reach. */
class AppendAgainTest {
    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final AppendQueue queue = queue();
    private final AppendQueue another = queue();

    private AppendQueue queue() {
        return b.appendQueue(new AppendQueueAttributes()
                .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .maxMessage(1000));
    }

    private static Wr append(AppendQueue queue, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) length);
        return Wr.append(length, queue.id(), queue.key()).inline(bytes);
    }

    private static String message(int length, String extra) {
        return length + "B" + extra + " of 5 " + length + ".." + length;
    }

    private static Packet again(int psn, int payload) {
        return Packet.of(Opcode.APPEND_ONLY_AGAIN, BthFlyweight.ACK_REQUEST, QP_B, psn, QP_A, payload);
    }

    @Test
    void secondAppendIsAsShortAsASend() {
        pair.run(append(queue, 10).stream(3));
        pair.run(append(queue, 20).stream(3));
        pair.run(append(queue, 30).stream(3).immediate(-9));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "APPEND_ONLY 100 ask queue=0 length=10 stream=3 10B",
                        "APPEND_ONLY_AGAIN 101 ask 20B",
                        "APPEND_ONLY_AGAIN_IMMEDIATE 102 ask immediate=-9 30B");
        assertThat(b.messages(queue))
                .containsExactly(
                        message(10, " stream=3"), message(20, " stream=3"), message(30, " immediate=-9 stream=3"));
        assertThat(Opcode.APPEND_ONLY_AGAIN.headerLength()).isEqualTo(Opcode.SEND_ONLY.headerLength());
    }

    @Test
    void anotherQueueStreamOrWeightIsNamed() {
        pair.run(append(queue, 10));
        pair.run(append(another, 11));
        pair.run(append(another, 12));
        pair.run(append(another, 13).stream(1));
        a.group.weight(7);
        pair.run(append(another, 14).stream(1));
        pair.run(append(another, 15).stream(1));
        assertThat(pair.ab.sent())
                .containsExactly(
                        "APPEND_ONLY 100 ask queue=0 length=10 10B",
                        "APPEND_ONLY 101 ask queue=1 length=11 11B",
                        "APPEND_ONLY_AGAIN 102 ask 12B",
                        "APPEND_ONLY 103 ask queue=1 length=13 stream=1 13B",
                        "APPEND_ONLY 104 ask queue=1 length=14 stream=1 14B",
                        "APPEND_ONLY_AGAIN 105 ask 15B");
        assertThat(b.messages(queue)).containsExactly(message(10, ""));
        assertThat(b.messages(another))
                .containsExactly(
                        message(11, ""),
                        message(12, ""),
                        message(13, " stream=1"),
                        message(14, " stream=1"),
                        message(15, " stream=1"));
    }

    @Test
    void appendInPartsNamesItsQueueToo() {
        pair.run(append(queue, 10));
        pair.run(Wr.append(2, another.id(), another.key()).entry(a.region, 40, 600));
        pair.run(append(another, 11));
        assertThat(pair.ab.sent()).last().isEqualTo("APPEND_ONLY_AGAIN 104 ask 11B");
        assertThat(b.messages(another)).hasSize(2);
    }

    @Test
    void runNamesWhatItsLastMessageIsFor() {
        pair.run(append(queue, 10));
        pair.run(append(another, 11), append(another, 12).stream(2));
        pair.run(append(another, 13).stream(2));
        pair.run(append(queue, 14));
        assertThat(pair.ab.sent())
                .endsWith("APPEND_ONLY_AGAIN 103 ask 13B", "APPEND_ONLY 104 ask queue=0 length=14 14B");
        assertThat(b.messages(queue)).containsExactly(message(10, ""), message(14, ""));
        assertThat(b.messages(another))
                .containsExactly(message(11, ""), message(12, " stream=2"), message(13, " stream=2"));
    }

    /** What went alone at first may be sent again in a run, and a copy of what was behind it come after that. */
    @Test
    void aLateCopyBehindARunIsForWhatTheRunEndedWith() {
        pair.run(append(queue, 10));
        pair.run(append(another, 11), append(another, 12));
        b.arrive(NIC_A, again(103, 13));
        b.turn();
        assertThat(b.messages(queue)).hasSize(1);
        assertThat(b.messages(another)).hasSize(3);
    }

    @Test
    void runIsBoundedByTheLinkBehindAShortPacketAsWell() {
        pair.run(append(queue, 10));
        pair.ab.maxPacket = 32 + 71;
        pair.run(append(queue, 8), append(queue, 8), append(queue, 8)); // records of 24 bytes
        assertThat(pair.ab.sent()).element(1).isEqualTo("APPEND_RUN 101 ask queue=0 length=32 messages=2 32B");
    }

    @Test
    void whatIsSentAgainHasItsHeaderAndNamesNothing() {
        pair.run(append(queue, 10));
        pair.ba.loses = packet -> true; // B does what A does not hear of
        a.post(pair.qpA, append(queue, 11), Wr.write(1, b.region, 0).entry(a.region, 0, 1), append(another, 12));
        pair.settle();
        pair.ba.loses = packet -> false;
        pair.ab.lose(104, 1);
        pair.ab.sent();
        pair.advance(TransportPair.TIMEOUT);
        pair.run(append(another, 13));
        pair.run(append(another, 14));
        assertThat(pair.ab.sent())
                .filteredOn(text -> text.startsWith("APPEND"))
                .containsExactly(
                        "APPEND_ONLY 101 ask queue=0 length=11 11B",
                        "APPEND_ONLY 103 ask queue=1 length=12 12B",
                        "APPEND_ONLY 104 ask queue=1 length=13 13B",
                        "APPEND_ONLY_AGAIN 105 ask 14B",
                        "APPEND_RUN 104 ask queue=1 length=48 messages=2 48B");
        assertThat(b.messages(queue)).containsExactly(message(10, ""), message(11, ""));
        assertThat(b.messages(another)).containsExactly(message(12, ""), message(13, ""), message(14, ""));
    }

    @Test
    void appendThatIsRefusedForWantOfRoomComesAgainWithItsHeader() {
        pair.run(append(queue, 10));
        SenderQuota quota = b.queues.openQuota(40); // of one record
        pair.qpB.senderQuota(quota);
        pair.run(append(queue, 11));
        pair.run(append(queue, 12));
        assertThat(b.messages(queue)).hasSize(2);
        pair.advance(RNR_DELAY * 2);
        assertThat(b.messages(queue)).containsExactly(message(12, ""));
        assertThat(pair.ab.sent())
                .contains("APPEND_ONLY_AGAIN 102 ask 12B", "APPEND_ONLY 102 ask queue=0 length=12 12B");
    }

    @Test
    void nobodyHasNamedAQueue() {
        b.arrive(NIC_A, again(100, 10));
        b.turn();
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
        assertThat(b.messages(queue)).isEmpty();
    }

    @Test
    void headerThatIsWrongNamesNothing() {
        pair.run(append(queue, 10));
        b.arrive(NIC_A, again(101, 10));
        Packet wrong = Packet.of(Opcode.APPEND_ONLY, BthFlyweight.ACK_REQUEST, QP_B, 102, QP_A, 10)
                .append(queue.id(), queue.key(), 11);
        b.arrive(NIC_A, wrong);
        b.turn();
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
        assertThat(b.messages(queue)).hasSize(2);
    }

    @Test
    void queueThatIsGoneIsRefusedThoughItWasNamed() {
        pair.run(append(queue, 10));
        queue.destroy(true);
        pair.run(append(queue, 11));
        assertThat(a.done()).last().asString().startsWith("11 REM_INV_REQ_ERR");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyMessageReachesItsQueueWhateverIsLost(int seed) {
        Random random = new Random(seed);
        pair.qpA.retries().retryCount(7);
        int toQueue = 0;
        int toAnother = 0;
        pair.ab.loses = packet -> random.nextInt(12) == 0;
        pair.ba.loses = packet -> random.nextInt(12) == 0;
        for (int i = 0; i < 60; i++) {
            boolean first = random.nextInt(3) > 0;
            int stream = random.nextInt(2);
            // The length says which queue and stream it is for.
            int length = 1 + 4 * random.nextInt(20) + (first ? 0 : 2) + stream;
            a.post(pair.qpA, append(first ? queue : another, length).stream(stream));
            toQueue += first ? 1 : 0;
            toAnother += first ? 0 : 1;
            if (random.nextInt(3) == 0) {
                pair.settle();
            }
            if (random.nextInt(9) == 0) {
                a.group.weight(1 + random.nextInt(3));
            }
        }
        for (int i = 0; i < 6; i++) {
            pair.advance(TransportPair.TIMEOUT);
        }
        pair.ab.loses = packet -> false;
        pair.ba.loses = packet -> false;
        pair.advance(TransportPair.TIMEOUT * 2);
        assertThat(pair.qpA.state()).isEqualTo(QpState.RTS);
        assertThat(b.messages(queue)).hasSize(toQueue).allSatisfy(text -> isFor(text, 0));
        assertThat(b.messages(another)).hasSize(toAnother).allSatisfy(text -> isFor(text, 2));
    }

    private static void isFor(String text, int queue) {
        int kind = (Integer.parseInt(text.substring(0, text.indexOf('B'))) - 1) % 4;
        assertThat(kind - queue).isEqualTo(text.contains("stream=1") ? 1 : 0);
    }

    static IntStream seeds() {
        return IntStream.range(0, 100);
    }
}
