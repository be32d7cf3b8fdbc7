package io.verbena.fabric.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class EventLoopWaiterTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(20);
    private static final long ENOUGH = TimeUnit.SECONDS.toNanos(8);

    @ParameterizedTest
    @EnumSource
    void aWakeBeforeTheAwaitEndsIt(SocketTransport transport) {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        EventLoopWaiter waiter = new EventLoopWaiter(transport);
        waiter.own();
        for (int i = 0; i < 100; i++) {
            waiter.wake();
            waiter.await(LONG);
        }
        waiter.close();
    }

    @ParameterizedTest
    @EnumSource
    void awaitEndsWithTheTime(SocketTransport transport) {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        EventLoopWaiter waiter = new EventLoopWaiter(transport);
        waiter.await(1_000_000);
        waiter.await(0);
        waiter.loop();
        waiter.await(1_000_000);
        waiter.await(0);
        waiter.close();
    }

    /** Neither while it parks, nor while it gets a loop, nor in the loop. */
    @ParameterizedTest
    @EnumSource
    void noWakeIsLost(SocketTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        EventLoopWaiter waiter = new EventLoopWaiter(transport);
        AtomicInteger posted = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        AtomicBoolean failed = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger(20_000);
        Thread owner = new Thread(() -> {
            while (seen.get() < rounds.get()) {
                long start = System.nanoTime();
                if (posted.get() == seen.get()) {
                    waiter.await(LONG);
                }
                seen.set(posted.get());
                if (System.nanoTime() - start > LONG / 2) {
                    failed.set(true);
                    return;
                }
            }
            waiter.close();
        });
        owner.start();
        long begin = System.nanoTime();
        boolean hasLoop = false;
        for (int i = 1; i <= rounds.get(); i++) {
            long passed = System.nanoTime() - begin;
            if (!hasLoop && (i == rounds.get() / 2 || passed > ENOUGH / 2)) {
                hasLoop = true;
                waiter.loop();
            }
            if (passed > ENOUGH) {
                rounds.set(i); // a machine that is busy takes a slice for each
            }
            posted.set(i);
            waiter.wake();
            while (seen.get() < i && owner.isAlive()) {
                Thread.yield(); // on few processors the owner may wait for this one
            }
        }
        owner.join(20_000);
        assertThat(failed).isFalse();
        assertThat(seen).hasValue(rounds.get());
        assertThat(hasLoop).isTrue();
    }

    private static int pollsUntilATaskRuns(EventLoopWaiter waiter) {
        AtomicBoolean ran = new AtomicBoolean();
        waiter.loop().execute(() -> ran.set(true));
        int polls = 0;
        while (!ran.get() && polls < 1000) {
            waiter.poll();
            polls++;
        }
        return polls;
    }

    @ParameterizedTest
    @EnumSource
    void fewPollsLookWhereNothingHappensUnlessTheyComeSlowly(SocketTransport transport) {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        AtomicLong clock = new AtomicLong();
        EventLoopWaiter waiter = new EventLoopWaiter(transport, clock::get);
        while (waiter.poll() > 0) {
            continue; // what opening it left to do
        }
        assertThat(pollsUntilATaskRuns(waiter)).as("at first").isEqualTo(1);
        for (int i = 0; i < 1000; i++) {
            clock.addAndGet(1_000);
            waiter.poll();
        }
        assertThat(pollsUntilATaskRuns(waiter)).as("nothing for long").isBetween(2, 4);
        for (int i = 0; i < 1000; i++) {
            clock.addAndGet(1_000);
            waiter.poll();
        }
        for (int i = 0; i < 8; i++) {
            clock.addAndGet(10_000_000);
            waiter.poll();
        }
        assertThat(pollsUntilATaskRuns(waiter)).as("slowly").isEqualTo(1);
        waiter.close();
    }

    @ParameterizedTest
    @EnumSource
    void belongsToTheFirstThreadThatDrivesIt(SocketTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        EventLoopWaiter waiter = new EventLoopWaiter(transport);
        waiter.poll();
        waiter.await(0);
        waiter.loop();
        assertThat(waiter.isOwner()).as("nobody owns it yet").isTrue();
        CountDownLatch owned = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread owner = new Thread(
                () -> {
                    waiter.poll();
                    owned.countDown();
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "the-owner");
        owner.start();
        owned.await();
        assertThat(waiter.isOwner()).isFalse();
        assertThatThrownBy(() -> waiter.await(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("belongs to thread the-owner");
        done.countDown();
        owner.join();
        waiter.close();
        waiter.wake();
    }

    @ParameterizedTest
    @EnumSource
    void runsTasksOfOtherThreads(SocketTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        EventLoopWaiter waiter = new EventLoopWaiter(transport);
        waiter.own();
        AtomicBoolean ran = new AtomicBoolean();
        Thread other = new Thread(() -> waiter.loop().execute(() -> ran.set(true)));
        other.start();
        long deadline = System.nanoTime() + LONG;
        while (!ran.get() && System.nanoTime() < deadline) {
            waiter.await(LONG);
        }
        assertThat(ran).isTrue();
        other.join();
        waiter.close();
    }
}
