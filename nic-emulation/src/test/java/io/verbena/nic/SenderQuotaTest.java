package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendConsumer;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sender has so many bytes in queues and no more, and gets back what was taken, given up, or went with its queue. */
@Timeout(180)
class SenderQuotaTest {
    private static final long MILLI = 1_000_000L;
    private static final int SMALL = 100;
    private static final int STAGED = 15 << 10; // a message in parts that fits in a chunk
    private static final int LARGE = 1 << 20;
    private static final long TIMEOUT = 100 * MILLI;
    private static final AppendHandler TAKE = (buffer, offset, length, qpNumber, immediate, flags) -> {};

    private final VerbsPair p = new VerbsPair();
    private final AppendQueue queue = p.b.pd.createAppendQueue(new AppendQueueAttributes()
            .chunkLength(64 << 10)
            .maxMessage(LARGE)
            .memoryLimit(16 << 20)
            .unfinishedTimeoutNanos(TIMEOUT));
    private final MemoryRegion data = p.a.pd.allocate(LARGE, Access.ALL);
    private final List<Long> taken = new ArrayList<>();
    private SenderQuota quota;
    private QueuePair qp;
    private int sent;

    @BeforeEach
    void settle() {
        p.settle();
    }

    @AfterEach
    void close() {
        p.close();
    }

    private QueuePair connected() {
        QueuePair own = p.a.newQueuePair();
        p.connect(
                own,
                p.b.pd.createQueuePair(
                        new QueuePairAttributes().completionQueue(p.b.cq).senderQuota(quota)));
        return own;
    }

    private void quotaOf(long bytes) {
        quota = p.b.nic.createSenderQuota(bytes);
        qp = connected();
    }

    private void send(QueuePair by, int length) {
        p.a.request.append(queue.id(), queue.key()).wrId(++sent).local(data.key(), 0, length);
        by.postSend(p.a.request);
    }

    private void run() {
        p.simulation.runFor(50 * MILLI);
    }

    private static long charged(int length) {
        return RecordDescriptor.alignedLength(length);
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, STAGED, LARGE})
    void whatIsMoreWaitsUntilSomethingIsTaken(int length) {
        quotaOf(2 * charged(length) + 1);
        for (int i = 0; i < 5; i++) {
            send(qp, length);
        }
        run();
        assertThat(p.a.statuses()).containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS);
        assertThat(quota.bytes()).isEqualTo(2 * charged(length));
        assertThat(p.b.nic.counter(NicCounter.SENDER_QUOTA_REFUSALS)).isPositive();
        for (int i = 1; i <= 5; i++) {
            assertThat(queue.poll(TAKE, 1)).isEqualTo(1);
            run();
            assertThat(p.a.wcs).hasSize(Math.min(5, 2 + i));
        }
        assertThat(p.a.ids()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(p.a.statuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(quota.bytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, STAGED, LARGE})
    void ofSeveralConsumersEachGivesBack(int length) {
        quotaOf(2 * charged(length));
        AppendConsumer one = queue.consumer();
        AppendConsumer other = queue.consumer();
        for (int i = 0; i < 4; i++) {
            send(qp, length);
        }
        run();
        assertThat(quota.bytes()).isEqualTo(2 * charged(length));
        assertThat(one.poll(TAKE, 1)).isEqualTo(1);
        run();
        assertThat(p.a.wcs).hasSize(3);
        for (int i = 0; i < 3; i++) {
            assertThat(other.poll(TAKE, 1)).isEqualTo(1);
            run();
        }
        assertThat(p.a.statuses()).hasSize(4).containsOnly(WcStatus.SUCCESS);
        assertThat(quota.bytes()).isZero();
    }

    @Test
    void neighboursDoNotWait() {
        quotaOf(charged(SMALL));
        send(qp, SMALL);
        send(qp, SMALL);
        run();
        for (int i = 0; i < 20; i++) {
            send(p.a.qp, SMALL); // without a quota
        }
        run();
        assertThat(p.a.wcs).hasSize(21);
    }

    @Test
    void queuePairsOfOneSenderShareIt() {
        quotaOf(2 * charged(SMALL));
        QueuePair second = connected();
        send(qp, SMALL);
        run();
        send(second, SMALL);
        run();
        send(second, SMALL);
        run();
        assertThat(p.a.ids()).containsExactly(1L, 2L);
        assertThat(queue.poll(TAKE, 9)).isEqualTo(2);
        run();
        assertThat(p.a.ids()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void whatAHandlerLeavesStaysCounted() {
        quotaOf(10 * charged(SMALL));
        send(qp, SMALL);
        send(qp, SMALL);
        run();
        assertThat(queue.poll(
                        (buffer, offset, length, qpNumber, immediate, flags) -> {
                            if (taken.isEmpty()) {
                                taken.add(1L);
                            } else {
                                queue.leave();
                            }
                        },
                        9))
                .isEqualTo(1);
        assertThat(quota.bytes()).isEqualTo(charged(SMALL));
        assertThatThrownBy(() -> queue.poll(
                        (buffer, offset, length, qpNumber, immediate, flags) -> {
                            throw new IllegalStateException("of the handler");
                        },
                        9))
                .hasMessage("of the handler");
        assertThat(quota.bytes()).as("it counts as consumed").isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {STAGED, LARGE})
    void whatIsGivenUpGoesBack(int length) {
        p.connection.profiles(profile -> profile.rate(80_000_000).window(4096)); // a packet takes 0.1 ms
        quotaOf(2 * charged(LARGE));
        Simulation.Participant sender = p.simulation.participant("a");
        sender.act(() -> send(qp, length));
        p.until(() -> quota.bytes() > 0);
        sender.pause();
        p.simulation.runFor(2 * TIMEOUT + 10 * MILLI);
        assertThat(p.b.nic.counter(NicCounter.UNFINISHED_APPENDS)).isEqualTo(1);
        assertThat(quota.bytes()).isZero();
        sender.resume();
        p.settle();
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, STAGED, LARGE})
    void whatGoesWithItsQueueGoesBack(int length) {
        quotaOf(2 * charged(length));
        send(qp, length);
        send(qp, length);
        run();
        assertThat(quota.bytes()).isEqualTo(2 * charged(length));
        queue.destroy(true);
        p.until(() -> quota.bytes() == 0);
        assertThat(quota.bytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, STAGED, LARGE})
    void whatNeverFitsIsRefused(int length) {
        quotaOf(charged(length) - 1);
        send(qp, length);
        run();
        assertThat(p.a.statuses()).containsExactly(WcStatus.REM_INV_REQ_ERR);
        assertThat(quota.bytes()).isZero();
    }

    @Test
    void aNumberIsUsedAgainWhenNothingCountsAgainstIt() {
        quotaOf(charged(SMALL));
        send(qp, SMALL);
        run();
        SenderQuota first = quota;
        first.close();
        SenderQuota second = p.b.nic.createSenderQuota(1);
        assertThat(second.flags()).as("a record names the first").isNotEqualTo(first.flags());
        assertThat(queue.poll(TAKE, 1)).isEqualTo(1);
        assertThat(p.b.nic.createSenderQuota(1).flags()).isEqualTo(first.flags());
        assertThat(first.tryTake(1)).as("of one that is closed").isFalse();
    }

    @Test
    void theNumberOfQuotasIsBounded() {
        assertThatThrownBy(() -> {
                    while (true) {
                        taken.add((long) p.b.nic.createSenderQuota(1).flags());
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("quotas of senders 32767 = maximum 32767");
        assertThat(taken).hasSize(32767).doesNotHaveDuplicates();
        assertThatThrownBy(() -> p.b.nic.createSenderQuota(0)).hasMessageContaining("0 < minimum 1");
    }
}
