package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.wire.AppendEthFlyweight.MAX_STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;

/** Appends that share a packet: what bounds a run, and what becomes of one that is lost, refused or wrong. */
class AppendRunTest {
    private static final int MAX_MESSAGE = 8000;
    private static final long UNFINISHED = 50_000_000;

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

    @Test
    void appendsThatAreThereTogetherShareAPacket() {
        pair.run(
                append(1, 10),
                append(2, 20).immediate(7),
                append(3, 0),
                append(4, 8).unsignaled());
        assertThat(pair.ab.sent()).containsExactly("APPEND_RUN 100 ask queue=0 length=80 messages=4 80B");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 103 ACK msn=4");
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 10", "2 SUCCESS APPEND 20", "3 SUCCESS APPEND 0");
        assertThat(b.messages(queue))
                .containsExactly(message(10, ""), message(20, " immediate=7"), "0B of 5 ", message(8, ""));
        assertThat(a.counted(NicCounter.MERGED_APPENDS)).isEqualTo(3);
        pair.run(append(5, 1));
        assertThat(pair.ab.sent()).containsExactly("APPEND_ONLY_AGAIN 104 ask 1B");
    }

    @Test
    void appendsOfSeveralStreamsShareAPacket() {
        pair.run(
                append(1, 10).stream(MAX_STREAM),
                append(2, 20).stream(1).immediate(7),
                append(3, 0),
                append(4, 8).stream(MAX_STREAM).immediate(-1));
        assertThat(pair.ab.sent()).containsExactly("APPEND_RUN 100 ask queue=0 length=80 messages=4 80B");
        assertThat(b.messages(queue))
                .containsExactly(
                        message(10, " stream=4095"),
                        message(20, " immediate=7 stream=1"),
                        "0B of 5 ",
                        message(8, " immediate=-1 stream=4095"));
    }

    @Test
    void runThatIsTakenOneByOneKeepsItsStreams() {
        SenderQuota quota = b.queues.openQuota(100); // for the first two only
        pair.qpB.senderQuota(quota);
        pair.run(append(1, 10).stream(3), append(2, 20).stream(4).immediate(7), append(3, 30).stream(5));
        assertThat(b.messages(queue)).containsExactly(message(10, " stream=3"), message(20, " immediate=7 stream=4"));
    }

    @Test
    void runIsChargedAsItIsOnTheLink() {
        a.post(pair.qpA, append(1, 10), append(2, 20));
        assertThat(a.visit(pair.qpA, 1000)).isEqualTo(16 + 16 + (8 + 16) + (8 + 24));
        assertThat(pair.qpA.operations()).isEqualTo(2);
        assertThat(pair.qpA.deadline()).isEqualTo(pair.now + TransportPair.TIMEOUT);
    }

    @Test
    void runIsBoundedByThePathMtuAsRecordsAre() {
        pair.run(append(1, 112), append(2, 112), append(3, 1)); // records of 128 and 128 bytes
        assertThat(pair.ab.sent())
                .containsExactly(
                        "APPEND_RUN 100 ask queue=0 length=240 messages=2 240B", "APPEND_ONLY_AGAIN 102 ask 1B");
    }

    @Test
    void runIsBoundedByTheBudget() {
        a.post(pair.qpA, append(1, 8), append(2, 8), append(3, 8)); // records of 24 bytes
        a.visit(pair.qpA, 71);
        assertThat(pair.ab.log.get(0)).hasToString("APPEND_RUN 100 ask queue=0 length=32 messages=2 32B");
    }

    @Test
    void runIsBoundedByTheLink() {
        pair.ab.maxPacket = 32 + 71;
        pair.run(append(1, 8), append(2, 8), append(3, 8));
        assertThat(pair.ab.log.get(0)).hasToString("APPEND_RUN 100 ask queue=0 length=32 messages=2 32B");
    }

    @Test
    void runEndsBeforeWhatDoesNotGoWithIt() {
        AppendQueue another = b.appendQueue(1000);
        MemoryRegion foreign = a.region(64, Access.ALL, 2);
        Wr[] strangers = {
            Wr.append(3, another.id(), another.key()).entry(a.region, 40, 10),
            Wr.append(3, queue.id(), queue.key() + 1).entry(a.region, 40, 10),
            append(3, 10).fence(),
            Wr.write(3, b.region, 0).entry(a.region, 40, 10),
            Wr.append(3, queue.id(), queue.key()).entry(foreign, 0, 10)
        };
        for (Wr stranger : strangers) {
            TransportPair fresh = new TransportPair();
            fresh.a.region(64, Access.ALL, 2); // takes the same key
            AppendQueue its = fresh.b.appendQueue(1000);
            fresh.a.post(
                    fresh.qpA,
                    Wr.append(1, its.id(), its.key()).entry(fresh.a.region, 40, 10),
                    Wr.append(2, its.id(), its.key()).inline(new byte[5]),
                    stranger);
            fresh.a.turn();
            assertThat(fresh.ab.log.get(0)).hasToString("APPEND_RUN 100 ask queue=0 length=40 messages=2 40B");
        }
    }

    @Test
    void runWithoutRoomOnTheLinkWaits() {
        pair.ab.room = 0;
        pair.run(append(1, 10), append(2, 20));
        assertThat(pair.qpA.outcome()).isEqualTo(QpContext.BLOCKED);
        pair.ab.room = 1;
        pair.settle();
        assertThat(a.done()).hasSize(2);
    }

    @Test
    void runThatIsLostIsSentAgainAsItIsThen() {
        pair.ab.lose(100, 1);
        pair.run(append(1, 10), append(2, 20));
        pair.run(append(3, 30));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 SEQUENCE msn=0", "ACKNOWLEDGE 102 ACK msn=3");
        assertThat(pair.ab.sent())
                .containsExactly(
                        "APPEND_RUN 100 ask queue=0 length=56 messages=2 56B",
                        "APPEND_ONLY_AGAIN 102 ask 30B",
                        "APPEND_RUN 100 ask queue=0 length=96 messages=3 96B");
        assertThat(b.messages(queue)).containsExactly(message(10, ""), message(20, ""), message(30, ""));
    }

    @Test
    void runThatWasDoneInPartGoesOnBehindThat() {
        pair.ba.loses = packet -> packet.psn == 100;
        pair.run(append(1, 10));
        pair.run(append(2, 20), append(3, 30)); // is acknowledged with all before it
        assertThat(b.messages(queue)).hasSize(3);
        pair.ba.loses = packet -> false;
        TransportPair half = new TransportPair();
        AppendQueue its = half.b.appendQueue(1000);
        half.ba.loses = packet -> true;
        half.run(Wr.append(1, its.id(), its.key()).entry(half.a.region, 40, 10));
        half.ab.loses = packet -> true;
        half.run(Wr.append(2, its.id(), its.key()).entry(half.a.region, 40, 20));
        half.ab.loses = packet -> false;
        half.ba.loses = packet -> false;
        half.ab.sent();
        half.advance(TransportPair.TIMEOUT);
        assertThat(half.ab.sent()).containsExactly("APPEND_RUN 100 ask queue=0 length=56 messages=2 56B");
        assertThat(half.a.done()).containsExactly("1 SUCCESS APPEND 10", "2 SUCCESS APPEND 20");
        assertThat(half.b.messages(its)).containsExactly(message(10, ""), message(20, ""));
        assertThat(half.b.counted(NicCounter.DUPLICATE_REQUESTS)).isZero();
    }

    @Test
    void runThatWasDoneWholeIsADuplicate() {
        pair.ba.loses = packet -> true;
        pair.run(append(1, 10), append(2, 20));
        pair.ba.loses = packet -> false;
        pair.advance(TransportPair.TIMEOUT);
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isOne();
        assertThat(b.messages(queue)).hasSize(2);
        assertThat(a.done()).hasSize(2);
    }

    @Test
    void runWithAMessageTooLongForItsQueueIsDoneUpToThere() {
        TransportPair small = new TransportPair();
        AppendQueue its = small.b.appendQueue(20);
        small.run(
                Wr.append(1, its.id(), its.key()).entry(small.a.region, 40, 10),
                Wr.append(2, its.id(), its.key()).entry(small.a.region, 40, 20).immediate(2),
                Wr.append(3, its.id(), its.key()).entry(small.a.region, 40, 21),
                Wr.append(4, its.id(), its.key()).entry(small.a.region, 40, 1));
        assertThat(small.ba.sent()).containsExactly("ACKNOWLEDGE 102 INVALID msn=2");
        assertThat(small.a.done())
                .containsExactly(
                        "1 SUCCESS APPEND 10",
                        "2 SUCCESS APPEND 20",
                        "3 REM_INV_REQ_ERR solicited",
                        "4 WR_FLUSH_ERR solicited");
        assertThat(small.b.messages(its)).containsExactly(message(10, ""), message(20, " immediate=2"));
    }

    @Test
    void runAboveItsQuotaIsDoneOneByOneAsFarAsItGoes() {
        SenderQuota quota = b.queues.openQuota(70);
        pair.qpB.senderQuota(quota);
        pair.run(append(1, 10), append(2, 20), append(3, 30)); // records of 32, 40 and 48 bytes
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 RNR12 msn=1");
        assertThat(quota.bytes()).isEqualTo(32);
        assertThat(b.messages(queue)).containsExactly(message(10, ""));
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 10");
    }

    @Test
    void runWithinItsQuotaTakesWhatItsRecordsTake() {
        SenderQuota quota = b.queues.openQuota(72);
        pair.qpB.senderQuota(quota);
        pair.run(append(1, 10), append(2, 20));
        assertThat(quota.bytes()).isEqualTo(72);
        assertThat(b.messages(queue)).hasSize(2);
        assertThat(quota.bytes()).isZero();
    }

    @Test
    void runUnderAWrongKeyIsAnAccessError() {
        SenderQuota quota = b.queues.openQuota(1000);
        pair.qpB.senderQuota(quota);
        pair.run(
                Wr.append(1, queue.id(), queue.key() + 1).entry(a.region, 0, 1),
                Wr.append(2, queue.id(), queue.key() + 1).entry(a.region, 0, 1));
        assertThat(a.done()).containsExactly("1 REM_ACCESS_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(quota.bytes()).isZero();
    }

    @Test
    void runWhoseMessagesDoNotFillItIsInvalid() {
        a.post(pair.qpA, append(1, 10), append(2, 20));
        a.turn();
        Packet run = pair.ab.log.get(0);
        pair.ab.lose();
        AppendEthFlyweight.encodeRun(
                run.buffer, Opcode.APPEND_RUN.appendEthOffset(), queue.id(), queue.key(), 55, 2, 1);
        arrive(run);
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
        assertThat(b.messages(queue)).isEmpty();
    }

    @Test
    void runOfMoreMessagesThanItHoldsIsInvalid() {
        a.post(pair.qpA, append(1, 10), append(2, 20));
        a.turn();
        Packet run = pair.ab.log.get(0);
        pair.ab.lose();
        AppendEthFlyweight.encodeRun(
                run.buffer, Opcode.APPEND_RUN.appendEthOffset(), queue.id(), queue.key(), 56, 3, 1);
        arrive(run);
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
        assertThat(b.messages(queue)).isEmpty();
    }
}
