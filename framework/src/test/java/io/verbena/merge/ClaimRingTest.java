package io.verbena.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ClaimRingTest {
    private record Claim(long claim, int bytes) {}

    /** Random claims, against a model of which bytes are taken; far enough for positions to wrap around. */
    @Test
    void givesEachClaimBytesOfItsOwn() {
        Random random = new Random(5);
        int capacity = 1024;
        ClaimRing ring = new ClaimRing(16, capacity);
        ArrayDeque<Claim> held = new ArrayDeque<>();
        boolean[] taken = new boolean[capacity];
        int ticket = 0;
        int refused = 0;
        for (int i = 0; i < 200_000; i++) {
            if (random.nextInt(5) > 1) {
                int bytes = random.nextInt(capacity / 4 + 1);
                long claim = ring.tryClaim(bytes);
                if (claim == ClaimRing.FULL) {
                    refused++;
                    assertThat(held).as("something is held").isNotEmpty();
                } else {
                    assertThat(ClaimRing.ticket(claim)).isEqualTo(ticket);
                    ticket = ClaimRing.after(ticket);
                    mark(ring, taken, claim, bytes, true);
                    held.add(new Claim(claim, bytes));
                }
            } else if (!held.isEmpty()) {
                Claim oldest = held.remove();
                assertThat(ring.oldest()).isEqualTo(ClaimRing.ticket(oldest.claim));
                mark(ring, taken, oldest.claim, oldest.bytes, false);
                ring.giveBack(ClaimRing.end(oldest.claim, oldest.bytes));
            }
            assertThat(ring.outstanding()).isEqualTo(held.size()).isLessThanOrEqualTo(16);
        }
        assertThat(refused).isPositive();
    }

    private static void mark(ClaimRing ring, boolean[] taken, long claim, int bytes, boolean to) {
        int offset = ring.offset(claim);
        assertThat(offset % 8).isZero();
        for (int i = offset; i < offset + bytes; i++) {
            assertThat(taken[i]).isEqualTo(!to);
            taken[i] = to;
        }
    }

    @Test
    void takesAllItsBytesAndNoMore() {
        ClaimRing ring = new ClaimRing(8, 64);
        long first = ring.tryClaim(33);
        assertThat(ring.tryClaim(25)).isEqualTo(ClaimRing.FULL);
        assertThat(ring.tryClaim(24)).isNotNegative();
        assertThat(ring.tryClaim(1)).isEqualTo(ClaimRing.FULL);
        assertThat(ring.tryClaim(0)).isNotNegative();
        ring.giveBack(ClaimRing.end(first, 33));
        assertThat(ring.offset(ring.tryClaim(40))).isZero();
    }

    @Test
    void makesNoClaimOnceItIsClosed() {
        ClaimRing ring = new ClaimRing(4, 64);
        long first = ring.tryClaim(8);
        ring.close();
        assertThat(ring.tryClaim(0)).isEqualTo(ClaimRing.CLOSED);
        assertThat(ring.outstanding()).isEqualTo(1);
        ring.giveBack(ClaimRing.end(first, 8));
        assertThat(ring.outstanding()).isZero();
        assertThat(ring.isClosed()).isTrue();
    }

    /** Threads claim at once: each ticket is handed out once, and the bytes in the same order. */
    @Test
    void threadsGetTicketsAndBytesInOneOrder() throws InterruptedException {
        int claims = 60_000;
        ClaimRing ring = new ClaimRing(64, 4096);
        AtomicIntegerArray ends = new AtomicIntegerArray(64); // by slot: position after it, plus 1; 0: not claimed
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] threads = new Thread[3];
        for (int t = 0; t < threads.length; t++) {
            int bytes = 8 << t;
            threads[t] = new Thread(() -> {
                for (int made = 0; made < claims / threads.length; ) {
                    long claim = ring.tryClaim(bytes);
                    if (claim >= 0) {
                        made++;
                        if (!ends.compareAndSet(ClaimRing.ticket(claim) & 63, 0, ClaimRing.end(claim, bytes) + 1)) {
                            failure.set(new AssertionError("slot of ticket " + ClaimRing.ticket(claim) + " is taken"));
                        }
                    } else {
                        Thread.onSpinWait();
                    }
                }
            });
            threads[t].start();
        }
        int last = 0;
        for (int ticket = 0; ticket < claims && failure.get() == null; ticket++) {
            int end = ends.getAndSet(ticket & 63, 0);
            while (end == 0 && failure.get() == null) {
                Thread.onSpinWait();
                end = ends.getAndSet(ticket & 63, 0);
            }
            assertThat(end - 1 - last)
                    .as("bytes of ticket " + ticket + ", in units")
                    .isBetween(1, 7);
            last = end - 1;
            ring.giveBack(last);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
        assertThat(ring.outstanding()).isZero();
    }
}
