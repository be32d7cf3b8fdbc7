package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each thread is known to be in a callback from when it enters until it leaves, whatever others do. */
@Timeout(180)
class CallbackThreadsTest {
    private static final int ROUNDS = 10_000;

    private final CallbackThreads inside = new CallbackThreads();

    @Test
    void aThreadEntersOnce() {
        assertThat(inside.isInside()).isFalse();
        assertThat(inside.enter()).isTrue();
        assertThat(inside.enter()).isFalse();
        assertThat(inside.isInside()).isTrue();
        inside.leave();
        assertThat(inside.isInside()).isFalse();
    }

    @Test
    void anotherThreadThatEntersAndLeavesChangesNothing() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            inside.enter();
            assertThat(other.submit(inside::enter).get(10, TimeUnit.SECONDS)).isTrue();
            assertThat(inside.isInside()).isTrue();
            other.submit(inside::leave).get(10, TimeUnit.SECONDS);
            assertThat(inside.isInside()).isTrue();
            inside.leave();
            assertThat(inside.isInside()).isFalse();
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void manyAtATime() throws Exception {
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<Integer>> mistakes = new ArrayList<>();
            Callable<Integer> worker = () -> {
                start.await(10, TimeUnit.SECONDS);
                int wrong = 0;
                for (int i = 0; i < ROUNDS; i++) {
                    wrong += inside.isInside() ? 1 : 0;
                    wrong += inside.enter() ? 0 : 1;
                    wrong += inside.isInside() ? 0 : 1;
                    inside.leave();
                }
                return wrong;
            };
            for (int i = 0; i < threads; i++) {
                mistakes.add(executor.submit(worker));
            }
            for (Future<Integer> wrong : mistakes) {
                assertThat(wrong.get(20, TimeUnit.SECONDS)).isZero();
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
