package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.append.AppendConsumer;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.append.AppendRecord;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Append queues: who may keep records, how much memory that takes, and when it goes back. */
final class AppendMemoryTest extends ConformanceTest {
    private static final int CHUNK = 64 * 1024;
    private static final int LENGTH = 8_000;

    private static AppendQueueAttributes small() {
        return new AppendQueueAttributes()
                .chunkLength(CHUNK)
                .maxMessage(LENGTH)
                .reserveChunks(1)
                .surplusNanos(5 * MILLI);
    }

    /** The player does not poll this queue: the test does. */
    private AppendQueue own(AppendQueueAttributes attributes) {
        return b.pd.createAppendQueue(attributes);
    }

    private void append(AppendQueue queue, int number, int length) {
        a.fill(0, length, number);
        a.qp.postSend(a.request.appendImmediate(queue.id(), queue.key(), number).local(a.key(), 0, length));
        p.untilSent(a.sends.size() + 1);
    }

    private static boolean isWhole(AppendRecord record) {
        for (int i = 0; i < record.length(); i++) {
            if (record.buffer().getByte(record.offset() + i) != TestNic.pattern(record.immediate(), i)) {
                return false;
            }
        }
        return true;
    }

    /** Lets surplus be given back; maintenance is the application's here. */
    private void quiet() {
        for (int i = 0; i < 20; i++) {
            p.runFor(5 * MILLI);
            b.step();
        }
    }

    @Proves(Row.AQ_HOLD)
    @Test
    void aRecordThatIsHeldStopsNobody() {
        AppendQueue queue = own(small().memoryLimit(6 * CHUNK));
        AppendRecord first = new AppendRecord();
        AppendRecord other = new AppendRecord();
        append(queue, 1, 500);
        assertThat(queue.poll((m, o, l, q, i, f) -> queue.hold(first), 1)).isEqualTo(1);
        for (int number = 2; number < 100; number++) {
            append(queue, number, LENGTH);
            int is = number;
            assertThat(queue.poll(
                            (m, o, l, q, i, f) -> {
                                assertThat(i).isEqualTo(is);
                                if (i == 50) {
                                    queue.hold(other);
                                }
                            },
                            1))
                    .isEqualTo(1);
        }
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(queue.query().heldRecords()).isEqualTo(2);
        assertThat(first.qpNumber()).isEqualTo(b.qp.number());
        assertThat(first.length()).isEqualTo(500);
        assertThat(isWhole(first)).isTrue();
        assertThat(isWhole(other)).isTrue();
        other.release(); // out of order
        refused(other::release, "not held");
        first.release();
        quiet();
        assertThat(queue.query().heldRecords()).isZero();
        assertThat(queue.query().heldChunks()).isZero();
        assertThat(queue.query().footprint()).isLessThanOrEqualTo(3L * CHUNK);
    }

    @Proves({Row.AQ_HOLD, Row.AQ_BUSY})
    @Test
    void destroyWithRecordsHeldIsBusyUnlessForced() {
        AppendQueue queue = own(small());
        AppendRecord record = new AppendRecord();
        append(queue, 7, LENGTH);
        queue.poll((m, o, l, q, i, f) -> queue.hold(record), 1);
        assertThat(queue.destroy(false)).as("EBUSY").isFalse();
        append(queue, 8, 10);
        assertThat(queue.destroy(true)).isTrue();
        quiet();
        assertThat(queue.isFreed()).isFalse();
        assertThat(isWhole(record)).isTrue();
        record.release();
        quiet();
        assertThat(queue.isFreed()).isTrue();
    }

    @Proves(Row.AQ_CONSUMERS)
    @Test
    void severalConsumersTakeWholeRecordsEachOnce() {
        AppendQueue queue = own(small());
        AppendConsumer one = queue.consumer();
        AppendConsumer two = queue.consumer();
        refused(() -> queue.poll((m, o, l, q, i, f) -> {}, 1), "AppendConsumer.poll", "AppendQueue.poll");
        List<Integer> seen = new ArrayList<>();
        AppendRecord slow = new AppendRecord();
        for (int number = 0; number < 100; number++) {
            append(queue, number, number % 3 == 0 ? LENGTH : number);
            AppendConsumer taker = number % 2 == 0 ? one : two;
            int polled = taker.poll(
                    (m, o, l, q, i, f) -> {
                        for (int at = 0; at < l; at++) {
                            assertThat(m.getByte(o + at)).isEqualTo(TestNic.pattern(i, at));
                        }
                        seen.add(i);
                        if (i == 1) {
                            taker.hold(slow);
                        }
                    },
                    number < 50 ? 1 : 10);
            assertThat(polled).isEqualTo(1);
        }
        assertThat(seen).hasSize(100).isSorted();
        assertThat(one.isEmpty()).isTrue();
        assertThat(slow.immediate()).isEqualTo(1);
        assertThat(isWhole(slow)).isTrue();
        slow.release();
        assertThat(queue.query().heldRecords()).isZero();
        assertThat(queue.destroy(false)).isTrue();
    }

    @Proves({Row.AQ_LARGE, Row.AQ_SIZES})
    @Test
    void largeMessagesOfSeveralSendersAtOnce() {
        int length = 16 << 20;
        int senders = 3;
        ConnectAttributes patient = attributes().pathMtu(4096).timeout(14).rnrRetry(7);
        AppendQueue queue = own(new AppendQueueAttributes().chunkLength(CHUNK));
        MemoryRegion[] from = new MemoryRegion[senders];
        for (int s = 0; s < senders; s++) {
            from[s] = a.pd.allocate(length, Access.LOCAL_WRITE);
            for (int at = 0; at < length; at += 8) {
                from[s].buffer().putLong(at, (long) s << 40 | at);
            }
            QueuePair sender = a.newQueuePair();
            p.connect(sender, b.newQueuePair(), patient);
            sender.post(a.request.appendImmediate(queue.id(), queue.key(), s).local(from[s].key(), 0, length));
            sender.doorbell();
        }
        append(queue, 9, 100); // small ones go between
        List<Integer> seen = new ArrayList<>();
        p.until(() -> {
            queue.poll(
                    (m, o, l, q, i, f) -> {
                        seen.add(i);
                        if (i == 9) {
                            return;
                        }
                        assertThat(l).isEqualTo(length);
                        for (int at = 0; at < length; at += 8) {
                            if (m.getLong(o + at) != ((long) i << 40 | at)) {
                                throw new AssertionError("message " + i + " is torn at " + at);
                            }
                        }
                    },
                    10);
            return seen.size() == senders + 1;
        });
        p.untilSent(senders + 1);
        assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 9);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        quiet();
        quiet();
    }

    @Proves(Row.AQ_DESTROY_IN_FLIGHT)
    @Test
    void destroyWithTrafficInFlight() {
        AppendQueue queue = own(small());
        AppendQueue sibling = b.newAppendQueue(small());
        for (int number = 0; number < 40; number++) {
            a.qp.post(a.request.append(queue.id(), queue.key()).wrId(number).local(a.key(), 0, LENGTH));
        }
        a.qp.doorbell();
        p.until(() -> queue.depth() > 0);
        assertThat(queue.destroy(true)).isTrue();
        p.untilSent(40);
        p.settle();
        assertThat(a.sendIds()).hasSize(40).isSorted();
        List<WcStatus> statuses = a.sendStatuses();
        int refused = statuses.indexOf(WcStatus.REM_INV_REQ_ERR);
        assertThat(refused).as("as for an unknown queue, in " + statuses).isNotNegative();
        assertThat(statuses.subList(0, refused)).allMatch(s -> s == WcStatus.SUCCESS);
        assertThat(statuses.subList(refused + 1, 40)).containsOnly(WcStatus.WR_FLUSH_ERR);
        QueuePair next = a.newQueuePair();
        p.connect(next, b.newQueuePair(), attributes());
        a.fill(0, 100, 5);
        next.postSend(a.request.append(sibling.id(), sibling.key()).local(a.key(), 0, 100));
        p.until(() -> b.messages.size() == 1);
        assertThat(b.messages.get(0).bytes()).as("the NIC lives").isEqualTo(a.bytes(0, 100));
        quiet();
        assertThat(queue.isFreed()).isTrue();
    }

    @Proves({Row.AQ_CAP, Row.AQ_FULL})
    @Test
    void theMemoryLimitHoldsWithEverythingThatTakesMemory() {
        reconnect(attributes().rnrRetry(7).minRnrTimer(14));
        long limit = 8L * CHUNK;
        AppendQueue queue = own(small().maxMessage(2 * CHUNK).memoryLimit(limit));
        List<AppendRecord> held = new ArrayList<>();
        int count = 60;
        for (int number = 0; number < count; number++) {
            int length = number % 5 == 0 ? 2 * CHUNK - number : LENGTH + number;
            a.qp.post(a.request.append(queue.id(), queue.key()).wrId(number).local(a.key(), 0, length));
        }
        a.qp.doorbell();
        int[] seen = new int[1];
        for (int round = 0; seen[0] < count; round++) {
            assertThat(round).isLessThan(3000);
            p.runFor(MILLI);
            assertThat(queue.query().footprint()).isLessThanOrEqualTo(limit);
            seen[0] += queue.poll(
                    (m, o, l, q, i, f) -> {
                        if (held.size() < 4) {
                            AppendRecord record = new AppendRecord();
                            queue.hold(record);
                            held.add(record);
                        }
                    },
                    1);
            if (!held.isEmpty() && round % 20 == 0) {
                held.remove(held.size() / 2).release();
            }
        }
        p.untilSent(count);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        AppendQueueStatistics after = queue.query();
        assertThat(after.highWater()).isLessThanOrEqualTo(limit);
        assertThat(after.rnr()).as("it was full").isPositive();
        held.forEach(AppendRecord::release);
    }

    @Proves(Row.AQ_GIVEN_BACK)
    @Test
    void whatIsDrainedIsGivenBack() {
        AppendQueue queue = own(small().maxMessage(2 * CHUNK));
        p.settle();
        long least = queue.query().footprint();
        for (int round = 1; round <= 3; round++) {
            for (int number = 0; number < 60; number++) {
                append(queue, number, number % 20 == 0 ? 2 * CHUNK : LENGTH);
            }
            AppendQueueStatistics full = queue.query();
            assertThat(full.footprint()).isGreaterThan(least + 8L * CHUNK);
            assertThat(queue.poll((m, o, l, q, i, f) -> {}, 100)).isEqualTo(60);
            quiet();
            AppendQueueStatistics drained = queue.query();
            assertThat(drained.footprint()).isEqualTo(least);
            assertThat(drained.stagedBytes()).isZero();
            assertThat(drained.releases()).isEqualTo(drained.allocations() - least / CHUNK);
            assertThat(drained.meanFootprint()).isBetween(least, drained.highWater());
        }
    }

    @Proves({Row.UC_APPEND, Row.UD_APPEND, Row.AQ_WRONG_NAME})
    @Test
    void refusedUnreliableAppendsLeaveTheQueueUntouched() {
        AppendQueue queue = b.newAppendQueue(small().maxMessage(100));
        QueuePair qa = a.pd.createQueuePair(a.attributes().type(QpType.UC));
        QueuePair qb = b.pd.createQueuePair(b.attributes().type(QpType.UC));
        p.connect(qa, qb, attributes());
        QueuePair da = a.pd.createQueuePair(a.attributes().type(QpType.UD));
        QueuePair db = b.pd.createQueuePair(b.attributes().type(QpType.UD));
        da.activate(7);
        db.activate(7);
        AddressHandle toB = a.pd.createAddressHandle(b.nic.id());
        int[][] wrong = {
            {queue.id(), queue.key(), 101}, {queue.id(), queue.key() ^ 1, 50}, {queue.id() + 1, queue.key(), 50}
        };
        for (int[] w : wrong) {
            qa.postSend(a.request.append(w[0], w[1]).local(a.key(), 0, w[2]));
            da.postSend(a.request.append(w[0], w[1]).to(toB, db.number(), 7).local(a.key(), 0, w[2]));
        }
        p.untilSent(6);
        p.settle();
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.messages).isEmpty();
        assertThat(queue.query().depth()).isZero();
        a.fill(0, 100, 6);
        qa.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 100));
        da.postSend(a.request
                .append(queue.id(), queue.key())
                .to(toB, db.number(), 7)
                .local(a.key(), 0, 100));
        p.until(() -> b.messages.size() == 2);
        assertThat(b.messages).allMatch(m -> m.bytes().length == 100);
    }
}
