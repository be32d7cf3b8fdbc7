package io.verbena.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class DrainBatonTest {
    private final DrainBaton baton = new DrainBaton();
    private int rounds;
    private int told;

    private boolean pokesOnce() {
        rounds++;
        if (rounds == 1) {
            baton.drain(this::pokesOnce, () -> told++); // as another thread would
            assertThat(rounds).as("it is not entered twice").isEqualTo(1);
        }
        return false;
    }

    @Test
    void looksOnceMoreForWhoComesMeanwhile() {
        baton.drain(this::pokesOnce, () -> told++);
        assertThat(rounds).isEqualTo(2);
        baton.drain(this::pokesOnce, () -> told++);
        assertThat(rounds).isEqualTo(3);
        assertThat(baton.isLeft()).isFalse();
        assertThat(told).isZero();
    }

    @Test
    void letsGoAfterManyRounds() {
        baton.drain(() -> ++rounds > 0, () -> told++);
        assertThat(rounds).isEqualTo(DrainBaton.MAX_ROUNDS);
        assertThat(baton.isLeft()).isTrue();
        assertThat(told).isEqualTo(1);
        baton.drain(() -> ++rounds < 0, () -> told++);
        assertThat(rounds).isEqualTo(DrainBaton.MAX_ROUNDS + 1);
        assertThat(baton.isLeft()).isFalse();
    }

    @Test
    void letsGoWhenADrainFails() {
        assertThatThrownBy(() -> baton.drain(
                        () -> {
                            throw new IllegalStateException("no");
                        },
                        () -> told++))
                .hasMessage("no");
        assertThat(baton.isLeft()).isTrue();
        assertThat(told).isEqualTo(1);
        baton.drain(() -> ++rounds < 0, () -> told++);
        assertThat(rounds).isEqualTo(1);
        assertThat(baton.isLeft()).isFalse();
    }

    @Test
    void whoHoldsItDrainsForAllWhoComeMeanwhile() {
        assertThat(baton.hold()).isTrue();
        assertThat(baton.hold()).isFalse();
        baton.drain(() -> ++rounds < 0, () -> told++);
        baton.drain(() -> ++rounds < 0, () -> told++);
        assertThat(rounds).isZero();
        baton.release(this::pokesOnce, () -> told++);
        assertThat(rounds).isEqualTo(2);
        assertThat(told).isZero();
        baton.drain(
                () -> {
                    assertThat(baton.hold()).as("somebody drains").isFalse();
                    return ++rounds < 0;
                },
                () -> told++);
        assertThat(rounds).isEqualTo(3);
    }

    /** What threads add is drained by one of them at a time, all of it, unless it is known as left. */
    @Test
    void threadsDrainForEachOther() throws InterruptedException {
        int each = 20_000;
        ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        long[] sum = new long[1]; // by whoever drains
        Thread[] threads = new Thread[3];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 1; i <= each; i++) {
                    queue.add(i);
                    baton.drain(() -> drainOne(queue, sum), () -> {});
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        while (baton.isLeft()) {
            baton.drain(() -> drainOne(queue, sum), () -> {});
        }
        assertThat(queue).isEmpty();
        assertThat(sum[0]).isEqualTo(threads.length * (each * (each + 1L) / 2));
    }

    private static boolean drainOne(ConcurrentLinkedQueue<Integer> queue, long[] sum) {
        Integer value = queue.poll();
        sum[0] += value == null ? 0 : value;
        return !queue.isEmpty();
    }
}
