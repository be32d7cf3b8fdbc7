package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.QpQueues;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class TimerQueueTest {
    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final FlowGroup group = new FlowGroup(0, 1, 1);
    private final CompletionRing completions = new CompletionRing(1, 16);

    @AfterEach
    void close() {
        nic.close();
    }

    private QpContext newQueuePair(int number) {
        return new QpContext(
                QpType.RC,
                number,
                1,
                group,
                new QpQueues(new SendRing(2, 1, 0), new ReceiveRing(2, 1, 1), false, completions, completions),
                nic.engine(0).services());
    }

    @Test
    void theFirstDeadlineIsTheEarliest() {
        Random random = new Random(7);
        TimerQueue timers = newQueue();
        List<QpContext> queuePairs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            queuePairs.add(newQueuePair(i + 2));
        }
        for (int i = 0; i < 20_000; i++) {
            QpContext qp = queuePairs.get(random.nextInt(queuePairs.size()));
            if (random.nextInt(3) == 0) {
                timers.remove(qp);
            } else {
                timers.arm(qp, random.nextInt(1_000_000));
            }
            long earliest = Long.MAX_VALUE;
            for (QpContext each : queuePairs) {
                earliest = each.timerIndex < 0 ? earliest : Math.min(earliest, each.timerNanos);
            }
            assertThat(timers.next()).isEqualTo(earliest);
        }
    }

    @Test
    void earlierDeadlineMovesTheLookAndALaterOneDoesNot() {
        TimerQueue timers = newQueue();
        QpContext qp = newQueuePair(2);
        assertThat(timers.next()).isEqualTo(Long.MAX_VALUE);
        timers.arm(qp, 100);
        timers.arm(qp, 200);
        assertThat(timers.next()).isEqualTo(100);
        timers.arm(qp, 50);
        assertThat(timers.next()).isEqualTo(50);
        timers.remove(qp);
        assertThat(timers.next()).isEqualTo(Long.MAX_VALUE);
        timers.arm(qp, 200);
        assertThat(timers.next()).isEqualTo(200);
    }

    @Test
    void whatIsDueIsLookedAtOnceAndNothingElse() {
        TimerQueue timers = newQueue();
        for (int i = 0; i < 100; i++) {
            timers.arm(newQueuePair(i + 2), 1000 + (i * 37 % 100));
        }
        assertThat(timers.expire(999)).isZero();
        assertThat(timers.expire(1000)).isOne();
        assertThat(timers.expire(1009)).isEqualTo(9);
        assertThat(timers.next()).isEqualTo(1010);
        assertThat(timers.expire(5000)).isEqualTo(90);
        assertThat(timers.expire(Long.MAX_VALUE)).isZero();
        assertThat(timers.next()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void timesBelowZeroComeBeforeThoseAbove() {
        TimerQueue timers = newQueue();
        timers.arm(newQueuePair(2), 5);
        timers.arm(newQueuePair(3), -5);
        timers.arm(newQueuePair(4), Long.MIN_VALUE);
        assertThat(timers.next()).isEqualTo(Long.MIN_VALUE);
        assertThat(timers.expire(-6)).isOne();
        assertThat(timers.next()).isEqualTo(-5);
        assertThat(timers.expire(0)).isOne();
        assertThat(timers.next()).isEqualTo(5);
    }

    @Test
    void queuePairsThatAreRemovedAreNotLookedAt() {
        TimerQueue timers = newQueue();
        List<QpContext> queuePairs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queuePairs.add(newQueuePair(i + 2));
            timers.arm(queuePairs.get(i), 10 + i);
        }
        for (int i = 0; i < 10; i += 2) {
            timers.remove(queuePairs.get(i));
            timers.remove(queuePairs.get(i)); // a second time does nothing
        }
        assertThat(timers.next()).isEqualTo(11);
        assertThat(timers.expire(100)).isEqualTo(5);
    }

    @Test
    void lookThatThrowsIsItsQueuePairsAlone() {
        List<QpContext> broken = new ArrayList<>();
        TimerQueue timers = new TimerQueue((qp, e) -> broken.add(qp));
        QpContext bad = newQueuePair(2);
        bad.sendRing().claim();
        bad.sendRing().posted();
        bad.sendRing().publish();
        bad.state(QpState.RTS);
        // Without a path, which no engine lets happen.
        assertThatThrownBy(() -> bad.requester().awaitsRoom()).isInstanceOf(IllegalStateException.class);
        QpContext good = newQueuePair(3);
        timers.arm(bad, 5);
        timers.arm(good, 6);
        assertThat(timers.expire(Long.MAX_VALUE)).isEqualTo(2);
        assertThat(broken).containsExactly(bad);
        assertThat(timers.next()).isEqualTo(Long.MAX_VALUE);
    }

    /** The owner that is about to sleep asks without the baton, while another thread arms a timer under it. */
    @Test
    void theNextDeadlineIsReadWithoutTheBaton() throws InterruptedException {
        QpContext qp = newQueuePair(2);
        AtomicReference<TimerQueue> current = new AtomicReference<>(newQueue());
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        Thread sleeper = new Thread(() -> {
            try {
                while (!done.get()) {
                    long next = current.get().next();
                    if (next != Long.MAX_VALUE && next != 17) {
                        throw new AssertionError("a deadline that was never set: " + next);
                    }
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        sleeper.start();
        for (int i = 0; i < 3_000_000 && sleeper.isAlive(); i++) {
            TimerQueue timers = newQueue();
            current.set(timers);
            timers.arm(qp, 17);
            timers.remove(qp);
        }
        done.set(true);
        sleeper.join();
        assertThat(failure.get()).isNull();
    }

    private static TimerQueue newQueue() {
        return new TimerQueue((broken, e) -> {
            throw new AssertionError(e);
        });
    }
}
