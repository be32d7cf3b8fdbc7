package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.Polling.Scheme;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy.Waiting;
import io.verbena.nic.verbs.EngineMode;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Threads that poll several queues by each scheme: nothing is lost, and as many threads poll as the scheme says. */
@Timeout(180)
class CompletionPollersTest {
    private static final long WAIT_NANOS = 200_000_000; // longer than a pause before a thread sleeps

    private static final int QUEUES = 3;
    private static final int ROUNDS = 60;

    static List<Polling> schemes() {
        return List.of(
                Polling.busy(),
                Polling.event(),
                Polling.eventBatch(3),
                Polling.hybrid(),
                Polling.sharedCq(1),
                Polling.sharedCq(2),
                Polling.adaptive().retries(4),
                Polling.kvm());
    }

    private static Nic open() {
        return Nic.open(new NicContext().mode(EngineMode.THREAD));
    }

    private static List<CompletionQueue> queues(Nic nic, int count) {
        List<CompletionQueue> queues = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            queues.add(nic.createCompletionQueue(16));
        }
        return queues;
    }

    /** The engine itself completes, and raises events at the end of the turn that this asks for. */
    private static void complete(CompletionQueue cq, long wrId) {
        cq.engine().callSoon(() -> {
            cq.ring().offer(wrId, 0, 0, 0, 2, 3, 0, 0, 0);
            cq.ring().noteOffered(false);
            VarHandle.fullFence();
            cq.ring().fire();
        });
        cq.engine().wake();
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void handsOverEachCompletionOnceWhateverTheScheme(Polling polling) {
        AtomicInteger taken = new AtomicInteger();
        Set<Long> ids = ConcurrentHashMap.newKeySet();
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (Nic nic = open()) {
            List<CompletionQueue> queues = queues(nic, QUEUES);
            try (CompletionPollers pollers = CompletionPollers.start(
                    polling,
                    queues,
                    c -> {
                        ids.add(c.wrId());
                        threads.add(Thread.currentThread());
                        taken.incrementAndGet();
                    },
                    Thread::new)) {
                int expected = polling.scheme() == Scheme.SHARED_CQ ? polling.maxAwake() : QUEUES;
                assertThat(pollers.threads()).isEqualTo(expected);
                for (int i = 0; i < ROUNDS; i++) { // each waited for, so that pollers come to their waits between
                    complete(queues.get(i % QUEUES), i);
                    while (taken.get() <= i) {
                        Thread.yield();
                    }
                }
                assertThat(threads).hasSize(expected);
            }
            assertThat(taken.get()).isEqualTo(ROUNDS);
            assertThat(ids).hasSize(ROUNDS);
        }
    }

    @Test
    void aHandlerThatThrowsDoesNotEndThePoller() {
        AtomicInteger taken = new AtomicInteger();
        try (Nic nic = open()) {
            List<CompletionQueue> queues = queues(nic, 1);
            try (CompletionPollers pollers = CompletionPollers.start(
                    Polling.adaptive(),
                    queues,
                    c -> {
                        if (taken.incrementAndGet() == 1) {
                            throw new IllegalStateException("thrown by the test");
                        }
                    },
                    Thread::new)) {
                complete(queues.get(0), 1);
                complete(queues.get(0), 2);
                while (taken.get() < 2) {
                    Thread.yield();
                }
                assertThat(pollers.threads()).isEqualTo(1);
            }
        }
    }

    @Test
    void queuesOfSeveralEnginesAreRefused() {
        try (Nic nic = Nic.open(new NicContext().mode(EngineMode.THREAD).engines(2))) {
            List<CompletionQueue> queues = List.of(nic.createCompletionQueue(16, 0), nic.createCompletionQueue(16, 1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CompletionPollers.start(Polling.busy(), queues, c -> {}, Thread::new))
                    .withMessageContaining("pollers are for one");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CompletionPollers.start(Polling.busy(), List.of(), c -> {}, Thread::new))
                    .withMessageContaining("minimum 1");
        }
    }

    /** A queue's own choice is asked, and not the NIC's; what it costs is counted for the queue. */
    @Test
    void aQueueWaitsAsItWasTold() {
        try (Nic nic = Nic.open(new NicContext().mode(EngineMode.THREAD).polling(Polling.hybrid()))) {
            CompletionQueue own = nic.createCompletionQueue(16);
            CompletionQueue other = nic.createCompletionQueue(16);
            assertThat(own.waitStatistics()).isEqualTo(new WaitStatistics(0, 0, 0));
            own.polling(Polling.adaptive().retries(50).evenIfCoresAreShort());
            assertThat(own.await(WAIT_NANOS)).isFalse();
            assertThat(own.waitStatistics().emptyLooks()).isBetween(4L, 51L); // it reads the clock at each fourth
            assertThat(own.waitStatistics().wakeUps())
                    .isEqualTo(own.waitStatistics().sleeps());
            assertThat(nic.waitStatistics(Waiting.GUEST)).isEqualTo(new WaitStatistics(0, 0, 0));
            assertThat(other.await(WAIT_NANOS)).isFalse();
            assertThat(other.waitStatistics()).isEqualTo(new WaitStatistics(0, 0, 0));
            assertThat(nic.waitStatistics(Waiting.GUEST).emptyLooks()).isEqualTo(1);
            assertThat(nic.waitStatistics(Waiting.GUEST).sleeps()).isPositive();
            own.close();
            other.close();
        }
    }
}
