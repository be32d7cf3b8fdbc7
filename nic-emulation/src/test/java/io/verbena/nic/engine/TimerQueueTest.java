package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
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
                new QpContext.Queues(new SendRing(2, 1, 0), new ReceiveRing(2, 1, 1), false, completions, completions),
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
