package io.verbena.verification.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AppendEthFlyweight;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each verb does what it says, at sizes around the packet's. */
final class OperationsTest extends ConformanceTest {

    @Proves({Row.RC_SEND, Row.SUCCESS, Row.ZERO_LENGTH_SEND, Row.PSN_WRAP})
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, MTU - 1, MTU, MTU + 1, 5 * MTU, 5 * MTU + 3, 100_000})
    void send(int length) {
        a.fill(64, length, 3);
        b.qp.postReceive(9, b.key(), 128, length + 5);
        a.qp.postSend(a.request.send().wrId(7).local(a.key(), 64, length));
        p.untilSent(1);
        assertThat(a.sends)
                .containsExactly(new Wc(7, WcStatus.SUCCESS, WcOpcode.SEND, length, false, 0, a.qp.number()));
        assertThat(b.receives)
                .containsExactly(new Wc(9, WcStatus.SUCCESS, WcOpcode.RECEIVE, length, false, 0, b.qp.number()));
        assertThat(b.holds(128, length, 3)).isTrue();
        assertThat(b.isZero(128 + length, 5)).isTrue();
    }

    @Proves(Row.RC_SEND_IMMEDIATE)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU, 3 * MTU + 1})
    void sendWithImmediate(int length) {
        a.fill(0, length, 4);
        b.qp.postReceive(9, b.key(), 0, length);
        a.qp.postSend(a.request.sendImmediate(0xCAFE_BABE).wrId(7).local(a.key(), 0, length));
        p.untilSent(1);
        assertThat(b.receives)
                .containsExactly(
                        new Wc(9, WcStatus.SUCCESS, WcOpcode.RECEIVE, length, true, 0xCAFE_BABE, b.qp.number()));
        assertThat(b.holds(0, length, 4)).isTrue();
    }

    @Proves({Row.RC_WRITE, Row.SUCCESS, Row.LAYOUT_UNTOUCHED, Row.PSN_WRAP})
    @ParameterizedTest
    @ValueSource(ints = {1, 7, MTU, MTU + 1, 5 * MTU + 3, 200_000})
    void write(int length) {
        a.fill(10, length, 5);
        a.qp.postSend(a.request.write(b.key(), 20).wrId(7).local(a.key(), 10, length));
        p.untilSent(1);
        assertThat(a.sends)
                .containsExactly(new Wc(7, WcStatus.SUCCESS, WcOpcode.WRITE, length, false, 0, a.qp.number()));
        assertThat(b.holds(20, length, 5)).isTrue();
        assertThat(b.isZero(0, 20)).isTrue();
        assertThat(b.isZero(20 + length, 20)).isTrue();
        assertThat(b.receives).isEmpty();
    }

    @Proves(Row.RC_WRITE_IMMEDIATE)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU, 3 * MTU + 1})
    void writeWithImmediate(int length) {
        a.fill(0, length, 6);
        b.qp.postReceive(9, 0, 0, 0);
        a.qp.postSend(a.request.writeImmediate(b.key(), 512, 77).wrId(7).local(a.key(), 0, length));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.receives)
                .containsExactly(
                        new Wc(9, WcStatus.SUCCESS, WcOpcode.RECEIVE_WRITE_IMMEDIATE, length, true, 77, b.qp.number()));
        assertThat(b.holds(512, length, 6)).isTrue();
    }

    @Proves({Row.RC_READ, Row.SUCCESS, Row.LAYOUT_UNTOUCHED, Row.PSN_WRAP})
    @ParameterizedTest
    @ValueSource(ints = {1, 7, MTU, MTU + 1, 5 * MTU + 3, 200_000})
    void read(int length) {
        b.fill(30, length, 7);
        a.qp.postSend(a.request.read(b.key(), 30).wrId(7).local(a.key(), 40, length));
        p.untilSent(1);
        assertThat(a.sends)
                .containsExactly(new Wc(7, WcStatus.SUCCESS, WcOpcode.READ, length, false, 0, a.qp.number()));
        assertThat(a.holds(40, length, 7)).isTrue();
        assertThat(a.isZero(0, 40)).isTrue();
        assertThat(a.isZero(40 + length, 40)).isTrue();
    }

    @Proves({Row.RC_COMPARE_SWAP, Row.ATOMIC_ALIGNED})
    @Test
    void compareAndSwap() {
        b.region.buffer().putLong(64, 5);
        a.qp.postSend(a.request.compareSwap(b.key(), 64, 5, 6).wrId(1).local(a.key(), 0, 8));
        a.qp.postSend(a.request.compareSwap(b.key(), 64, 5, 7).wrId(2).local(a.key(), 8, 8));
        p.untilSent(2);
        assertThat(a.sends)
                .containsExactly(
                        new Wc(1, WcStatus.SUCCESS, WcOpcode.COMPARE_SWAP, 8, false, 0, a.qp.number()),
                        new Wc(2, WcStatus.SUCCESS, WcOpcode.COMPARE_SWAP, 8, false, 0, a.qp.number()));
        assertThat(a.region.buffer().getLong(0)).isEqualTo(5);
        assertThat(a.region.buffer().getLong(8)).isEqualTo(6);
        assertThat(b.region.buffer().getLong(64)).isEqualTo(6);
    }

    @Proves({Row.RC_FETCH_ADD, Row.ATOMIC_ALIGNED})
    @Test
    void fetchAndAdd() {
        b.region.buffer().putLong(64, Long.MAX_VALUE);
        for (int i = 0; i < 100; i++) {
            a.qp.postSend(a.request.fetchAdd(b.key(), 64, 3).wrId(i).local(a.key(), 8L * i, 8));
        }
        p.untilSent(100);
        for (int i = 0; i < 100; i++) {
            assertThat(a.region.buffer().getLong(8 * i)).isEqualTo(Long.MAX_VALUE + 3L * i);
        }
        assertThat(b.region.buffer().getLong(64)).isEqualTo(Long.MAX_VALUE + 300);
    }

    @Proves(Row.RC_APPEND)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, MTU, MTU + 1, 9 * MTU + 3})
    void append(int length) {
        AppendQueue queue = b.newAppendQueue();
        a.fill(0, length, 8);
        a.qp.postSend(a.request.append(queue.id(), queue.key()).wrId(1).local(a.key(), 0, length));
        a.qp.postSend(
                a.request.appendImmediate(queue.id(), queue.key(), 55).wrId(2).local(a.key(), 0, length));
        p.until(() -> a.sends.size() == 2 && b.messages.size() == 2);
        assertThat(a.sends)
                .containsExactly(
                        new Wc(1, WcStatus.SUCCESS, WcOpcode.APPEND, length, false, 0, a.qp.number()),
                        new Wc(2, WcStatus.SUCCESS, WcOpcode.APPEND, length, false, 0, a.qp.number()));
        for (TestNic.Message message : b.messages) {
            assertThat(message.bytes()).isEqualTo(a.bytes(0, length));
            assertThat(message.qp()).isEqualTo(b.qp.number());
        }
        assertThat(b.messages.get(0).flags()).isZero();
        assertThat(b.messages.get(1).flags()).isEqualTo(RecordDescriptor.HAS_IMMEDIATE);
        assertThat(b.messages.get(1).immediate()).isEqualTo(55);
        assertThat(b.receives).isEmpty();
    }

    @Proves(Row.RC_APPEND)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU, MTU + 1, 100_000})
    void appendsAreOfTheStreamsThatTheirSenderNames(int length) {
        AppendQueue queue = b.newAppendQueue();
        int[] streams = {1, AppendEthFlyweight.MAX_STREAM, 0, 2048};
        for (int stream : streams) { // together, so that short ones go as a run
            a.qp.post(a.request.appendImmediate(queue.id(), queue.key(), -1).stream(stream)
                    .local(a.key(), 0, length));
        }
        a.qp.doorbell();
        p.until(() -> b.messages.size() == streams.length);
        for (int i = 0; i < streams.length; i++) {
            TestNic.Message message = b.messages.get(i);
            assertThat(RecordDescriptor.stream(message.flags())).isEqualTo(streams[i]);
            assertThat(message.immediate()).isEqualTo(-1);
            assertThat(message.qp()).isEqualTo(b.qp.number());
        }
    }

    @Proves({Row.RC_APPEND, Row.AQ_SIZES})
    @Test
    void appendsAboveAQuarterOfAChunk() {
        AppendQueue queue = b.newAppendQueue();
        int length = 100_000;
        a.fill(0, length, 9);
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, length));
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 10));
        p.until(() -> b.messages.size() == 2);
        assertThat(b.messages.get(0).bytes()).isEqualTo(a.bytes(0, length));
        assertThat(b.messages.get(1).bytes()).isEqualTo(a.bytes(0, 10));
    }

    @Proves(Row.SCATTER_GATHER)
    @Test
    void gathersAndScatters() {
        a.fill(0, 5_000, 1);
        b.qp.postReceive(1, b.key(), 0, 10_000);
        a.qp.postSend(a.request
                .send()
                .local(a.key(), 0, 1_000)
                .local(a.key(), 0, 0)
                .local(a.key(), 1_000, 3_333)
                .local(a.key(), 4_333, 667));
        p.untilSent(1);
        assertThat(b.holds(0, 5_000, 1)).isTrue();
        assertThat(b.receives.get(0).byteLength()).isEqualTo(5_000);

        b.fill(20_000, 3_000, 2);
        a.qp.postSend(a.request.read(b.key(), 20_000).local(a.key(), 30_000, 1).local(a.key(), 40_000, 2_999));
        p.untilSent(2);
        assertThat(a.bytes(30_000, 1)).isEqualTo(b.bytes(20_000, 1));
        assertThat(a.bytes(40_000, 2_999)).isEqualTo(b.bytes(20_001, 2_999));
    }

    @Proves(Row.INLINE)
    @Test
    void inlineDataIsTakenAtPostAndNeedsNoKey() {
        UnsafeBuffer mine = new UnsafeBuffer("hello, inline".getBytes(US_ASCII));
        b.qp.postReceive(1, b.key(), 100, 100);
        a.qp.post(a.request.send().inline(mine, 7, 6));
        a.qp.post(a.request.write(b.key(), 0).inline(mine, 0, 13));
        mine.setMemory(0, 13, (byte) 0);
        a.qp.doorbell();
        p.untilSent(2);
        assertThat(new String(b.bytes(100, 6), US_ASCII)).isEqualTo("inline");
        assertThat(new String(b.bytes(0, 13), US_ASCII)).isEqualTo("hello, inline");

        UnsafeBuffer large = new UnsafeBuffer(new byte[4096]);
        int most = a.qp.maxInline();
        assertThatThrownBy(() -> a.qp.postSend(a.request.send().inline(large, 0, most + 1)))
                .hasMessageContaining(String.valueOf(most + 1))
                .hasMessageContaining(String.valueOf(most));
        assertThatThrownBy(() -> a.qp.postSend(a.request.read(b.key(), 0).inline(large, 0, 8)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Proves(Row.UNSIGNALED)
    @Test
    void unsignaledSuccessMakesNoCompletion() {
        for (int i = 0; i < 10; i++) {
            a.qp.postSend(a.request.write(b.key(), 0).wrId(i).signaled(i == 9).local(a.key(), 0, 10));
        }
        p.untilSent(1);
        p.settle();
        assertThat(a.sendIds()).containsExactly(9L);
    }

    @Proves(Row.ZERO_LENGTH_ONE_SIDED)
    @Test
    void zeroLengthWriteAndReadLookAtNoKey() {
        a.qp.postSend(a.request.write(0xDEAD, -5).wrId(1));
        a.qp.postSend(a.request.read(0xDEAD, -5).wrId(2));
        a.qp.postSend(a.request.write(0xDEAD, Long.MAX_VALUE).wrId(3).local(0xBEEF, 99, 0));
        p.untilSent(3);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
    }

    @Proves(Row.RECEIVE_ORDER)
    @Test
    void receivesAreTakenInOrder() {
        for (int i = 0; i < 50; i++) {
            b.qp.postReceive(i, b.key(), i * 100L, 100);
        }
        for (int i = 0; i < 50; i++) {
            a.fill(0, 100, i);
            a.qp.postSend(a.request.send().wrId(100 + i).local(a.key(), 0, 100));
            p.untilSent(i + 1);
        }
        for (int i = 0; i < 50; i++) {
            assertThat(b.receives.get(i).wrId()).isEqualTo(i);
            assertThat(b.holds(i * 100, 100, i)).isTrue();
            assertThat(a.sends.get(i).wrId()).isEqualTo(100 + i);
        }
    }

    @Proves(Row.WRITE_BEFORE_SEND)
    @Test
    void bytesOfAWriteAreThereBeforeALaterSendIsReceived() {
        int length = 50_000;
        a.fill(0, length, 1);
        b.qp.postReceive(1, b.key(), 100_000, 10);
        a.qp.post(a.request.write(b.key(), 0).signaled(false).local(a.key(), 0, length));
        a.qp.post(a.request.send().local(a.key(), 0, 10));
        a.qp.doorbell();
        p.until(() -> !b.receives.isEmpty());
        assertThat(b.holds(0, length, 1)).isTrue();
    }

    @Proves(Row.FENCE)
    @Test
    void fenceWaitsForEarlierReads() {
        b.fill(0, 100_000, 1);
        a.fill(200_000, 50, 2);
        a.qp.post(a.request.read(b.key(), 0).wrId(1).local(a.key(), 0, 100_000));
        a.qp.post(a.request.write(b.key(), 99_950).wrId(2).fence().local(a.key(), 200_000, 50));
        a.qp.doorbell();
        p.untilSent(2);
        assertThat(a.sendIds()).containsExactly(1L, 2L);
        assertThat(a.holds(0, 100_000, 1)).as("what was there before the WRITE").isTrue();
        assertThat(b.holds(99_950, 50, 2)).isTrue();
    }

    @Proves(Row.SEND_ORDER)
    @Test
    void completionsKeepTheOrderOfPosting() {
        AppendQueue queue = b.newAppendQueue();
        for (int i = 0; i < 120; i++) {
            b.qp.postReceive(i, b.key(), 0, 4096);
        }
        for (int i = 0; i < 120; i++) {
            a.request.wrId(i);
            switch (i % 6) {
                case 0:
                    a.request.send().local(a.key(), 0, 3000);
                    break;
                case 1:
                    a.request.read(b.key(), 0).local(a.key(), 10_000, 5000);
                    break;
                case 2:
                    a.request.write(b.key(), 20_000).local(a.key(), 0, 2000);
                    break;
                case 3:
                    a.request.fetchAdd(b.key(), 30_000, 1).local(a.key(), 20_000, 8);
                    break;
                case 4:
                    a.request.append(queue.id(), queue.key()).local(a.key(), 0, 100);
                    break;
                default:
                    a.request.writeImmediate(b.key(), 20_000, i).local(a.key(), 0, 1);
            }
            assertThat(a.qp.post(a.request.wrId(i))).isEqualTo(PostResult.POSTED);
        }
        a.qp.doorbell();
        p.untilSent(120);
        for (int i = 0; i < 120; i++) {
            assertThat(a.sends.get(i).wrId()).isEqualTo(i);
            assertThat(a.sends.get(i).isSuccess()).isTrue();
        }
        assertThat(b.region.buffer().getLong(30_000)).isEqualTo(20);
    }

    @Proves(Row.BOTH_DIRECTIONS)
    @Test
    void bothDirectionsAtOnce() {
        a.fill(0, 100_000, 1);
        b.fill(0, 100_000, 2);
        a.qp.postSend(a.request.write(b.key(), 100_000).local(a.key(), 0, 100_000));
        b.qp.postSend(b.request.write(a.key(), 100_000).local(b.key(), 0, 100_000));
        p.until(() -> a.sends.size() == 1 && b.sends.size() == 1);
        assertThat(a.holds(100_000, 100_000, 2)).isTrue();
        assertThat(b.holds(100_000, 100_000, 1)).isTrue();
    }

    @Proves(Row.QUEUE_FULL)
    @Test
    void fullQueuesAreAReturnValue() {
        int most = a.qp.maxSend();
        for (int i = 0; i < most; i++) {
            assertThat(a.qp.post(a.request.write(b.key(), 0).local(a.key(), 0, 1)))
                    .isEqualTo(PostResult.POSTED);
        }
        assertThat(a.qp.post(a.request.write(b.key(), 0).local(a.key(), 0, 1))).isEqualTo(PostResult.QUEUE_FULL);
        a.qp.doorbell();
        p.untilSent(most);
        assertThat(a.qp.post(a.request.write(b.key(), 0).local(a.key(), 0, 1))).isEqualTo(PostResult.POSTED);

        PostResult result = PostResult.POSTED;
        int posted = 0;
        while (result == PostResult.POSTED && posted <= 100_000) {
            result = b.qp.postReceive(posted++, b.key(), 0, 1);
        }
        assertThat(result).isEqualTo(PostResult.QUEUE_FULL);
        assertThat(posted - 1).isEqualTo(256);
    }

    @Proves(Row.TOO_MANY_ENTRIES)
    @Test
    void tooManyEntriesAreRefused() {
        a.request.send();
        for (int i = 0; i < 5; i++) {
            a.request.local(a.key(), 0, 1);
        }
        assertThatThrownBy(() -> a.qp.postSend(a.request))
                .hasMessageContaining("5")
                .hasMessageContaining("4");
        a.request.write(b.key(), 0);
        assertThatThrownBy(() -> a.request.local(a.key(), 0, -1)).hasMessageContaining("-1");
    }

    @Proves(Row.LIST_STOPS)
    @Test
    void aListStopsAtTheFirstBadRequestAndTheEarlierOnesStand() {
        a.qp.post(a.request.write(b.key(), 0).wrId(1).local(a.key(), 0, 1));
        a.request.send().wrId(2);
        for (int i = 0; i < 5; i++) {
            a.request.local(a.key(), 0, 1);
        }
        assertThatThrownBy(() -> a.qp.post(a.request)).isInstanceOf(IllegalArgumentException.class);
        a.qp.doorbell();
        p.settle();
        assertThat(a.sendIds()).containsExactly(1L);
    }

    @Proves(Row.LOOPBACK)
    @Test
    void messagesToTheSameNicLoopBack() {
        QueuePair one = a.newQueuePair();
        QueuePair two = a.newQueuePair();
        p.loopback();
        one.connect(a.nic.id(), two.number(), attributes());
        two.connect(a.nic.id(), one.number(), attributes());
        a.fill(0, 3_000, 1);
        one.postSend(a.request.write(a.key(), 10_000).local(a.key(), 0, 3_000));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(a.holds(10_000, 3_000, 1)).isTrue();
    }

    @Proves(Row.LAYOUT_UNTOUCHED)
    @Test
    void aRegionEndsWhereItEnds() {
        MemoryRegion small = b.pd.allocate(100, Access.ALL);
        a.fill(0, 100, 1);
        a.qp.postSend(a.request.write(small.key(), 0).local(a.key(), 0, 100));
        sendsEnd(WcStatus.SUCCESS);
        a.qp.postSend(a.request.read(small.key(), 50).local(a.key(), 200, 50));
        p.untilSent(2);
        assertThat(a.bytes(200, 50)).isEqualTo(a.bytes(50, 50));
    }
}
