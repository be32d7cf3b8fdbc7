package io.verbena.nic.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where requests lie: a ring that is found empty begins again at its first slot, and nobody's request is moved. */
@Timeout(180)
class SendRingTest {
    private static final int CAPACITY = 16;

    private final SendRing ring = new SendRing(CAPACITY, 1, 0);

    private int post(long value) {
        int slot = ring.claim();
        if (slot >= 0) {
            ring.buffer().putLong(slot, value);
            ring.posted();
        }
        return slot;
    }

    private void completeAll(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(ring.hasNext()).isTrue();
            ring.advanceNext();
            ring.advanceHead();
        }
        ring.releaseConsumed();
    }

    @Test
    void aRequestAtATimeStaysInTheFirstSlots() {
        int first = post(0);
        ring.publish();
        completeAll(1);
        int second = post(1);
        ring.publish();
        completeAll(1);
        for (int i = 2; i < 100; i++) {
            assertThat(post(i)).isIn(first, second);
            ring.publish();
            completeAll(1);
        }
    }

    @Test
    void aFullRingIsFullWhereverItBegan() {
        post(0);
        ring.publish();
        completeAll(1);
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(post(i)).isNotNegative();
        }
        assertThat(post(99)).isEqualTo(-1);
        ring.publish();
        completeAll(1);
        assertThat(post(99)).isNotNegative();
        assertThat(post(100)).isEqualTo(-1);
    }

    @Test
    void aBatchThatIsDroppedLeavesNoTrace() {
        post(1);
        ring.publish();
        completeAll(1);
        ring.startBatch();
        post(2);
        post(3);
        ring.dropBatch();
        post(4);
        ring.publish();
        assertThat(ring.hasNext()).isTrue();
        assertThat(ring.buffer().getLong(ring.slot(ring.next()))).isEqualTo(4);
        completeAll(1);
        assertThat(ring.hasNext()).isFalse();
    }

    @RepeatedTest(20)
    void everyRequestIsReadAsItWasPosted() {
        Random random = new Random();
        long posted = 0;
        long sent = 0;
        long completed = 0;
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    if (post(posted) >= 0) {
                        posted++;
                    } else {
                        assertThat(posted - completed).isEqualTo(CAPACITY);
                    }
                    if (random.nextBoolean()) {
                        ring.publish();
                    }
                }
                case 3 -> ring.publish();
                case 4, 5 -> {
                    if (ring.hasNext()) {
                        assertThat(ring.buffer().getLong(ring.slot(ring.next())))
                                .isEqualTo(sent++);
                        ring.advanceNext();
                    }
                }
                case 6 -> {
                    if (random.nextInt(8) == 0) {
                        ring.rewind(ring.head()); // go-back-N
                        sent = completed;
                    }
                }
                default -> {
                    while (completed < sent && random.nextInt(8) != 0) {
                        assertThat(ring.buffer().getLong(ring.slot(ring.head())))
                                .isEqualTo(completed++);
                        ring.advanceHead();
                    }
                    ring.releaseConsumed();
                }
            }
        }
    }

    /** A move to RESET and back. */
    @Test
    void aResetRingBeginsAnew() {
        int first = post(0);
        ring.publish();
        completeAll(1);
        post(1);
        ring.publish();
        ring.reset();
        assertThat(ring.hasNext()).isFalse();
        assertThat(post(2)).isEqualTo(first);
        ring.publish();
        assertThat(ring.hasNext()).isTrue();
        assertThat(ring.slot(ring.next())).isEqualTo(first);
    }

    @RepeatedTest(20)
    void whatIsOutstandingStaysWhenItsSizeChanges() {
        Random random = new Random();
        long posted = 0;
        long completed = 0;
        int grew = 0;
        int shrank = 0;
        for (int round = 0; round < 2000; round++) {
            for (int i = random.nextInt(40); i > 0 && post(posted) >= 0; i--) {
                posted++;
            }
            assertThat(posted - completed).isLessThanOrEqualTo(ring.capacity());
            int before = ring.capacity();
            if (round % 50 == 0) {
                ring.resize(2 * before > 512 ? before : 2 * before);
            } else if (posted == completed) {
                ring.resize(random.nextInt(before) + 1);
            }
            grew += ring.capacity() > before ? 1 : 0;
            shrank += ring.capacity() < before ? 1 : 0;
            ring.publish();
            boolean all = random.nextInt(4) == 0;
            for (int i = random.nextInt(40); (all || i > 0) && ring.hasNext(); i--) {
                assertThat(ring.buffer().getLong(ring.slot(ring.next()))).isEqualTo(completed++);
                ring.advanceNext();
                ring.advanceHead();
            }
            ring.releaseConsumed();
            assertThat(ring.outstanding()).isEqualTo((int) (posted - completed));
        }
        assertThat(grew).isPositive();
        assertThat(shrank).isPositive();
    }

    @Test
    void itCannotHoldFewerThanItMustWhileSomeAreOutstanding() {
        post(1);
        assertThatThrownBy(() -> ring.resize(CAPACITY / 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 requests are outstanding");
        ring.resize(CAPACITY);
        assertThat(ring.capacity()).isEqualTo(CAPACITY);
    }
}
