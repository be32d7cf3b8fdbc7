package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.QueuePair;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Append queues: messages of any size from anyone, once, in their sender's order. */
final class AppendQueueTest extends ConformanceTest {
    private static final int CHUNK = 64 * 1024;

    private static AppendQueueAttributes small() {
        return new AppendQueueAttributes().chunkLength(CHUNK).maxMessage(8_000).reserveChunks(2);
    }

    private void append(AppendQueue queue, int id, int length) {
        a.fill(0, length, id);
        a.qp.postSend(a.request.append(queue.id(), queue.key()).wrId(id).local(a.key(), 0, length));
        int sent = a.sends.size() + 1;
        p.untilSent(sent);
    }

    @Proves(Row.AQ_LIFE)
    @Test
    void createQueryDestroy() {
        AppendQueue queue = b.newAppendQueue(small());
        p.settle();
        AppendQueueStatistics empty = queue.query();
        assertThat(empty.depth()).isZero();
        assertThat(empty.records()).isZero();
        assertThat(empty.footprint()).isBetween((long) CHUNK, 4L * CHUNK);
        for (int i = 0; i < 10; i++) {
            append(queue, i, 100 + i);
        }
        p.settle();
        AppendQueueStatistics used = queue.query();
        assertThat(used.records()).isEqualTo(10);
        assertThat(used.bytes()).isEqualTo(10 * 100 + 45);
        assertThat(used.depth()).isZero();
        assertThat(queue.destroy(false)).isTrue();
        assertThat(queue.isDestroyed()).isTrue();
        p.settle();
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 10));
        p.untilSent(11);
        assertThat(a.sends.get(10).isSuccess()).as("there is no such queue").isFalse();
        assertThat(b.messages).hasSize(10);
    }

    @Proves(Row.AQ_MODIFY)
    @Test
    void modifyWhatMayChange() {
        AppendQueue queue = b.newAppendQueue(small());
        queue.modify(
                new AppendQueueAttributes(queue.attributes()).reserveChunks(4).lowWatermark(-1));
        p.settle();
        assertThat(queue.attributes().reserveChunks()).isEqualTo(4);
        assertThat(queue.query().announcedFree()).isGreaterThan(4L * CHUNK);
        refused(
                () -> queue.modify(new AppendQueueAttributes(queue.attributes()).chunkLength(2 * CHUNK)),
                2 * CHUNK,
                CHUNK);
        refused(() -> queue.modify(new AppendQueueAttributes(queue.attributes()).maxMessage(9_000)), 9_000, 8_000);
        append(queue, 1, 8_000);
        p.until(() -> b.messages.size() == 1);
        assertThat(b.messages.get(0).bytes()).isEqualTo(a.bytes(0, 8_000));
    }

    @Proves(Row.AQ_SIZES)
    @Test
    void anySizeUpToTheLimitMixedFreely() {
        AppendQueue queue =
                b.newAppendQueue(new AppendQueueAttributes().chunkLength(CHUNK).maxMessage(200_000));
        Random random = new Random(7);
        int[] lengths = new int[60];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = i % 12 == 0 ? 200_000 - i : random.nextInt(i % 3 == 0 ? 20_000 : 300);
            append(queue, i, lengths[i]);
            int seen = i + 1;
            p.until(() -> b.messages.size() == seen);
            assertThat(b.messages.get(i).bytes()).isEqualTo(a.bytes(0, lengths[i]));
        }
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
    }

    @Proves({Row.AQ_SENDERS, Row.AQ_ONCE})
    @Test
    void fromAnyQueuePairOfAnyPeerInEachSendersOrder() {
        AppendQueue queue = b.newAppendQueue();
        int senders = 5;
        int each = 30;
        QueuePair[] from = new QueuePair[senders];
        int[] arrivesBy = new int[senders];
        for (int i = 0; i < senders; i++) {
            from[i] = a.newQueuePair();
            QueuePair other = b.newQueuePair();
            p.connect(from[i], other, attributes());
            arrivesBy[i] = other.number();
        }
        UnsafeBuffer number = new UnsafeBuffer(new byte[8]);
        for (int k = 0; k < each; k++) {
            for (int i = 0; i < senders; i++) {
                number.putInt(0, i);
                number.putInt(4, k);
                from[i].post(a.request.append(queue.id(), queue.key()).inline(number, 0, 8));
            }
        }
        for (QueuePair qp : from) {
            qp.doorbell();
        }
        p.until(() -> b.messages.size() == senders * each);
        p.settle();
        Map<Integer, Integer> next = new HashMap<>();
        for (TestNic.Message message : b.messages) {
            UnsafeBuffer bytes = new UnsafeBuffer(message.bytes());
            int sender = bytes.getInt(0);
            assertThat(bytes.getInt(4)).isEqualTo(next.getOrDefault(sender, 0));
            next.put(sender, bytes.getInt(4) + 1);
            assertThat(message.qp()).isEqualTo(arrivesBy[sender]);
        }
        assertThat(b.messages).hasSize(senders * each);
    }

    @Proves({Row.AQ_WATERMARK_CROSSED, Row.EV_AQ_WATERMARK})
    @Test
    void theLowWatermarkIsCountedAndAnEvent() {
        AppendQueue queue = b.newAppendQueue(small().lowWatermark(2L * CHUNK)); // the whole reserve
        p.settle();
        b.polls = false;
        assertThat(queue.query().watermarkCrossings()).isZero();
        long footprint = queue.query().footprint();
        for (int i = 0; i < 20; i++) {
            append(queue, i, 8_000);
        }
        AppendQueueStatistics full = queue.query();
        assertThat(full.depth()).isGreaterThanOrEqualTo(20 * 8_000L);
        assertThat(full.watermarkCrossings()).isPositive();
        assertThat(full.footprint()).isGreaterThan(footprint);
        assertThat(full.highWater()).isGreaterThanOrEqualTo(full.footprint());
        p.settle();
        assertThat(b.events.stream()
                        .filter(e -> e.type() == AsyncEventType.AQ_WATERMARK)
                        .map(AsyncEvent::element)
                        .toList())
                .isNotEmpty()
                .containsOnly((long) queue.id());
    }

    @Proves(Row.AQ_SHRINKS)
    @Test
    void itShrinksWhenItIsDrained() {
        AppendQueue queue = b.newAppendQueue(small().surplusNanos(5 * MILLI));
        p.settle();
        long footprint = queue.query().footprint();
        b.polls = false;
        for (int i = 0; i < 60; i++) {
            append(queue, i, 8_000);
        }
        assertThat(queue.query().footprint()).isGreaterThan(footprint + 4L * CHUNK);
        b.polls = true;
        p.until(() -> b.messages.size() == 60);
        for (int i = 0; i < 20; i++) {
            p.runFor(5 * MILLI); // maintenance is the application's here
            b.step();
        }
        assertThat(queue.query().footprint()).isLessThanOrEqualTo(footprint + CHUNK);
        assertThat(queue.query().depth()).isZero();
        append(queue, 99, 8_000);
        p.until(() -> b.messages.size() == 61);
        assertThat(b.messages.get(60).bytes()).isEqualTo(a.bytes(0, 8_000));
    }

    @Proves(Row.AQ_BUSY)
    @Test
    void destroyWithRecordsUnreadIsBusyUnlessForced() {
        AppendQueue queue = b.newAppendQueue(small());
        b.polls = false;
        append(queue, 1, 100);
        assertThat(queue.destroy(false)).as("EBUSY").isFalse();
        assertThat(queue.isDestroyed()).isFalse();
        append(queue, 2, 100);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(queue.destroy(true)).isTrue();
        p.settle();
        b.polls = true;
        p.settle();
        assertThat(b.messages).isEmpty();
    }

    @Proves({Row.AQ_FULL, Row.RNR_FOREVER, Row.EV_AQ_EXHAUSTED})
    @Test
    void roomThatIsMadeInTimeIsFound() {
        reconnect(attributes().rnrRetry(7).minRnrTimer(14));
        AppendQueue queue = b.newAppendQueue(small().reserveChunks(1).memoryLimit(3 * CHUNK));
        b.polls = false;
        for (int i = 0; i < 40; i++) {
            a.qp.post(a.request.append(queue.id(), queue.key()).wrId(i).local(a.key(), 0, 8_000));
        }
        a.fill(0, 8_000, 3);
        a.qp.doorbell();
        p.runFor(20 * MILLI);
        assertThat(a.sends).as("the queue is full").hasSizeLessThan(40).allMatch(Wc::isSuccess);
        assertThat(b.count(AsyncEventType.AQ_EXHAUSTED)).isEqualTo(1);
        b.polls = true;
        p.untilSent(40);
        p.settle();
        assertThat(b.messages).hasSize(40).allMatch(m -> m.bytes().length == 8_000);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
    }

    @Proves(Row.AQ_WRONG_NAME)
    @Test
    void aQueueOfAnotherDomainIsNotFound() {
        AppendQueue foreign = b.nic.allocateProtectionDomain().createAppendQueue(small());
        a.qp.postSend(a.request.append(foreign.id(), foreign.key()).local(a.key(), 0, 10));
        p.untilSent(1);
        p.settle();
        assertThat(a.sends.get(0).isSuccess()).isFalse();
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(foreign.query().depth()).isZero();
        assertThat(foreign.isEmpty()).isTrue();
        assertThat(foreign.destroy(false)).isTrue();
    }

    @Proves(Row.UC_APPEND)
    @Test
    void aLostUnreliableAppendLeavesNothing() {
        AppendQueue queue = b.newAppendQueue(small());
        QueuePair qa = a.pd.createQueuePair(a.attributes().type(QpType.UC));
        QueuePair qb = b.pd.createQueuePair(b.attributes().type(QpType.UC));
        p.connect(qa, qb, attributes());
        p.toB.lose(2);
        for (int i = 0; i < 3; i++) {
            qa.postSend(a.request.appendImmediate(queue.id(), queue.key(), i).local(a.key(), 0, 100));
        }
        p.until(() -> b.messages.size() == 2);
        p.settle();
        assertThat(b.messages).extracting(TestNic.Message::immediate).containsExactly(0, 2);
        assertThat(queue.isEmpty()).isTrue();
    }
}
