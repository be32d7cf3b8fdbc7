package io.verbena.nic.append;

import static io.verbena.nic.append.AppendFixture.CHUNK;
import static io.verbena.nic.append.AppendFixture.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that really run at a time: direct initiators, the owner's responder, the consumer, the allocator. */
@Timeout(180)
class AppendConcurrencyTest {
    private final AppendFixture nic = new AppendFixture();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    /** Order of each sender, and that each message is whole: every 8 bytes of it name its sender and its number. */
    private static final class Checker implements AppendHandler {
        final int[] next;
        long count;

        Checker(int senders) {
            next = new int[senders];
        }

        @Override
        public void onMessage(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags) {
            if (immediate != next[qpNumber]) {
                throw new AssertionError(
                        "sender " + qpNumber + ": message " + immediate + ", expected " + next[qpNumber]);
            }
            if (length != lengthOf(qpNumber, immediate)) {
                throw new AssertionError("length " + length);
            }
            long stamp = (long) qpNumber << 32 | immediate;
            for (int i = 0; i + 8 <= length; i += 8) {
                if (buffer.getLong(offset + i) != stamp) {
                    throw new AssertionError("sender " + qpNumber + ": message " + immediate + " is torn at " + i);
                }
            }
            next[qpNumber]++;
            count++;
        }
    }

    private static int lengthOf(int sender, int number) {
        long hash = new SplittableRandom((long) sender << 32 | number).nextLong();
        return switch ((int) (hash & 63)) {
            case 0 -> 0;
            case 1 -> (int) (hash >>> 40) % (CHUNK / 4);
            default -> (int) (hash >>> 40) % 128;
        };
    }

    private Thread start(String name, Runnable body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                        stop.set(true);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void send(Appender appender, AppendQueue queue, int sender, int messages, int slot) {
        for (int number = 0; number < messages && !stop.get(); number++) {
            int length = lengthOf(sender, number);
            int status;
            while ((status = AppendFixture.claim(appender, queue, length, slot)) == Appender.RNR && !stop.get()) {
                Thread.yield();
            }
            if (stop.get()) {
                return;
            }
            if (status != Appender.OK) {
                throw new AssertionError("status " + status);
            }
            long stamp = (long) sender << 32 | number;
            int at = AppendFixture.payload(appender);
            for (int i = 0; i + 8 <= length; i += 8) {
                appender.roomBuffer().putLong(at + i, stamp);
            }
            if (!AppendFixture.commit(appender, length, sender, number)) {
                throw new AssertionError("sender " + sender + " lost message " + number);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everySendersOrderHoldsAndNothingIsTorn(boolean withAllocatorThread) throws InterruptedException {
        int messages = 350_000;
        int senders = 3;
        AppendQueue queue = nic.create(attributes().reserveChunks(2));
        List<Thread> threads = new ArrayList<>();
        threads.add(start("owner", () -> send(nic.queues.appender(0), queue, 0, messages, -1)));
        threads.add(start("direct-1", () -> send(nic.peer(), queue, 1, messages, 1)));
        threads.add(start("direct-2", () -> send(nic.peer(), queue, 2, messages, 2)));
        if (withAllocatorThread) {
            threads.add(start("allocator", () -> {
                while (!stop.get()) {
                    if (nic.allocator.doWork() == 0) {
                        LockSupport.parkNanos(50_000);
                    }
                }
            }));
        }
        Checker checker = new Checker(senders);
        while (checker.count < (long) senders * messages && failure.get() == null) {
            if (queue.poll(checker, 1 + (int) (checker.count % 100)) == 0) {
                Thread.yield();
            }
        }
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
        assertThat(checker.next).containsOnly(messages);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.depth()).isZero();
        AppendQueueStatistics statistics = queue.query();
        assertThat(statistics.records()).isEqualTo((long) senders * messages);
        assertThat(statistics.holes()).isZero();
        // What a backlog has mapped is given back once it was not needed for the surplus time, looked at twice.
        for (int i = 0; i < 2; i++) {
            nic.clock.addAndGet(attributes().surplusNanos());
            nic.settle();
        }
        assertThat(queue.query().footprint()).isEqualTo((1 + 2) * (long) CHUNK);
        assertThat(queue.query().setAside()).isZero();
    }

    @Test
    void queueMayBeDestroyedUnderItsSenders() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            AppendQueue queue = nic.create(attributes());
            AtomicBoolean gone = new AtomicBoolean();
            List<Thread> threads = new ArrayList<>();
            for (int sender = 1; sender <= 2; sender++) {
                int id = sender;
                threads.add(start("direct-" + id, () -> {
                    Appender appender = nic.peer();
                    while (!stop.get()) {
                        int status = AppendFixture.claim(appender, queue, 100, id);
                        if (status == Appender.OK) {
                            AppendFixture.commit(appender, 100, id, 0);
                        } else if (status == Appender.NO_QUEUE || status == Appender.BAD_KEY) {
                            gone.set(true);
                            return;
                        } else if (status != Appender.RNR) {
                            throw new AssertionError("status " + status);
                        }
                    }
                }));
            }
            for (int i = 0; i < 100 * round; i++) {
                queue.poll((buffer, offset, length, qp, immediate, flags) -> {}, 3);
            }
            assertThat(queue.destroy(true)).isTrue();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failure.get()).isNull();
            assertThat(gone.get()).isTrue();
            nic.settle();
            assertThat(queue.isFreed()).isTrue();
            assertThat(nic.memory.allocated()).isEqualTo(nic.control.buffer().capacity());
        }
    }
}
