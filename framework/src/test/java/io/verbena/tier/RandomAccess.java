package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Threads that read and write at random, and compare with what they should find. Each has every so many bytes of the
 * memory to itself, so that all of them meet in each page; the last eighth is written before, and read by all.
 */
final class RandomAccess {
    private static final int PIECE = 1536; // no part of a page, so that pages have several owners
    private static final int MAX_PIECES = 4;

    private final PagedMemory memory;
    private final int threads;
    private final int steps;
    private final byte[] model;
    private final int shared; // where the part begins that all read
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger done = new AtomicInteger();
    private final List<Thread> running = new ArrayList<>();

    RandomAccess(PagedMemory memory, int threads, int steps) {
        this.memory = memory;
        this.threads = threads;
        this.steps = steps;
        this.model = new byte[(int) memory.size()];
        this.shared = model.length / 8 * 7;
        new SplittableRandom(7).nextBytes(model);
        java.util.Arrays.fill(model, 0, shared, (byte) 0);
        memory.write(shared, new UnsafeBuffer(model), shared, model.length - shared);
    }

    RandomAccess start() {
        for (int i = 0; i < threads; i++) {
            int self = i;
            Thread thread = new Thread(() -> run(self), "random-access-" + i);
            running.add(thread);
            thread.start();
        }
        return this;
    }

    /** Accesses that were done. */
    int done() {
        return done.get();
    }

    void join() throws InterruptedException {
        for (Thread thread : running) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(done.get()).isEqualTo(threads * steps);
    }

    private void run(int self) {
        try {
            SplittableRandom random = new SplittableRandom(self);
            byte[] bytes = new byte[PIECE * MAX_PIECES];
            UnsafeBuffer buffer = new UnsafeBuffer(bytes);
            for (int i = 0; i < steps; i++) {
                int kind = random.nextInt(10);
                if (kind == 0) {
                    readShared(random, buffer);
                } else {
                    int at = (random.nextInt(shared / PIECE / threads) * threads + self) * PIECE;
                    if (kind < 6) {
                        random.nextBytes(bytes);
                        memory.write(at, buffer, 0, PIECE);
                        System.arraycopy(bytes, 0, model, at, PIECE);
                    } else {
                        expect(at, PIECE, buffer);
                    }
                }
                done.incrementAndGet();
            }
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    private void readShared(SplittableRandom random, UnsafeBuffer buffer) {
        int length = 1 + random.nextInt(PIECE * MAX_PIECES);
        expect(shared + random.nextInt(model.length - shared - length), length, buffer);
    }

    private void expect(int at, int length, UnsafeBuffer buffer) {
        memory.read(at, buffer, 0, length);
        for (int i = 0; i < length; i++) {
            if (buffer.getByte(i) != model[at + i]) {
                throw new AssertionError("byte " + (at + i) + " is " + buffer.getByte(i) + " and not " + model[at + i]);
            }
        }
    }

    /** Compares all of it, once the threads have ended. */
    void expectAll() {
        UnsafeBuffer all = new UnsafeBuffer(new byte[model.length]);
        memory.read(0, all, 0, model.length);
        assertThat(all.byteArray()).isEqualTo(model);
    }
}
