package io.verbena.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who may be inside of what is for one thread at a time. */
@Timeout(180)
class SingleThreadGuardTest {
    private static final int THREADS = 3;
    private static final int USES = 200_000;

    private final SingleThreadGuard use = new SingleThreadGuard();
    private long count; // by whoever is inside

    @Test
    void onlyOneIsInside() throws Exception {
        long entered = sum(run(() -> {
            long mine = 0;
            for (int i = 0; i < USES; i++) {
                if (use.tryEnter()) {
                    count++;
                    mine++;
                    use.leave();
                }
                if ((i & 0xfff) == 0) {
                    Thread.sleep(1); // lets another have the bias
                }
            }
            return mine;
        }));
        assertThat(entered).isPositive();
        assertThat(count).as("uses counted inside").isEqualTo(entered);
    }

    @Test
    void onlyOneIsInsideWithoutABias() throws Exception {
        use.forMany();
        onlyOneIsInside();
    }

    /** Threads that keep apart by themselves are never refused. */
    @Test
    void handingOverIsNoMisuse() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        long refused = sum(run(() -> {
            long mine = 0;
            for (int i = 0; i < USES / 10; i++) {
                lock.lock();
                try {
                    if (use.tryEnter()) {
                        count++;
                        use.leave();
                    } else {
                        mine++;
                    }
                } finally {
                    lock.unlock();
                }
            }
            return mine;
        }));
        assertThat(refused).isZero();
        assertThat(count).isEqualTo((long) THREADS * (USES / 10));
    }

    /** Who uses the object is never refused for the sake of threads that only look, and never beside one. */
    @Test
    void whoUsesWaitsForWhoLooks() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger user = new AtomicInteger();
        long looks = sum(run(() -> {
            if (user.getAndIncrement() > 0) {
                return lookUntil(over);
            }
            try {
                for (int i = 0; i < USES / 10; i++) {
                    assertThat(use.tryEnter()).as("use %d", i).isTrue();
                    assertThat(use.tryEnter()).as("use %d again", i).isFalse();
                    count++;
                    use.leave();
                }
            } finally {
                over.set(true);
            }
            return 0L;
        }));
        assertThat(count).isEqualTo(USES / 10 + looks);
    }

    private long lookUntil(AtomicBoolean over) throws InterruptedException {
        long looks = 0;
        while (!over.get()) {
            if (use.tryLook()) {
                count++;
                looks++;
                use.endLook();
            }
            if ((looks & 0xff) == 0) {
                Thread.sleep(1); // lets the user have the bias
            }
        }
        return looks;
    }

    @Test
    void nobodyLooksWhileItIsUsed() {
        assertThat(use.tryEnter()).isTrue();
        assertThat(use.tryLook()).isFalse();
        use.leave();
        assertThat(use.tryLook()).isTrue();
        assertThat(use.tryLook()).isFalse();
        use.endLook();
        assertThat(use.tryEnter()).isTrue();
    }

    @Test
    void whoRestsIsInsideAndIsSeenToRest() throws Exception {
        assertThat(use.isResting()).isFalse();
        assertThat(use.tryEnter()).isTrue();
        assertThat(use.isResting()).isFalse();
        use.rest();
        assertThat(run(() -> use.isResting() && !use.isMine() && !use.tryEnter() && !use.tryLook() ? 1L : 0L))
                .containsOnly(1L);
        assertThat(use.isMine()).isTrue();
        assertThat(use.tryEnter()).isFalse();
        use.goOn();
        assertThat(use.isResting()).isFalse();
        assertThat(use.isMine()).isTrue();
        use.rest();
        use.leave();
        assertThat(use.isResting()).isFalse();
        assertThat(use.tryLook()).isTrue();
    }

    @Test
    void whoRestsWithoutABiasIsSeenToo() throws Exception {
        use.forMany();
        whoRestsIsInsideAndIsSeenToRest();
    }

    @Test
    void enteringTwiceIsRefused() {
        assertThat(use.tryEnter()).isTrue();
        assertThat(use.isMine()).isTrue();
        assertThat(use.tryEnter()).isFalse();
        assertThat(use.refusal("it", "wait")).hasMessageContaining("cannot be entered twice");
        use.leave();
        assertThat(use.isMine()).isFalse();
        assertThat(use.tryEnter()).isTrue();
    }

    @Test
    void aThreadThatStaysGetsTheBiasBack() throws Exception {
        assertThat(use.tryEnter()).isTrue();
        use.leave();
        run(() -> {
            for (int i = 0; i < 3 * SingleThreadGuard.REBIAS; i++) {
                synchronized (this) {
                    assertThat(use.tryEnter()).isTrue();
                    assertThat(use.isMine()).isTrue();
                    use.leave();
                    assertThat(use.isMine()).isFalse();
                }
            }
            return 0L;
        });
        assertThat(use.thread).as("whose the first bias was, and stays").isSameAs(Thread.currentThread());
    }

    private static long sum(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).sum();
    }

    private static List<Long> run(Callable<Long> task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Long> results = new ArrayList<>();
            for (Future<Long> result : threads.invokeAll(List.of(task, task, task))) {
                results.add(result.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
