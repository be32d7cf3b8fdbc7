package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.poll.RunDelay;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class VisitTimerTest {
    private static final long MILLI = 1_000_000;

    private long now = 12_345;
    private long waited;
    private int looks;
    private final RunDelay delay = new RunDelay();
    private final VisitTimer timer = new VisitTimer(() -> now, this::waited);

    private long waited() {
        looks++;
        return waited;
    }

    /** The thread has no core for so long. */
    private void haveNoCore(long nanos) {
        now += nanos;
        waited += nanos;
    }

    @AfterEach
    void close() {
        delay.close();
    }

    @Test
    void aVisitTakesWhatPassesOnTheClock() {
        timer.begin();
        now += 70_000;
        assertThat(timer.end()).isEqualTo(70_000);
        timer.begin();
        now += 3 * MILLI;
        assertThat(timer.end()).as("all of it at work").isEqualTo(3 * MILLI);
    }

    @Test
    void theTimeWithoutACoreIsNotTheVisits() {
        timer.begin();
        now += 30_000;
        haveNoCore(4 * MILLI);
        now += 20_000;
        assertThat(timer.end()).isEqualTo(50_000);
        timer.begin();
        now += VisitTimer.BRIEF;
        assertThat(timer.end()).as("the next is not let off").isEqualTo(VisitTimer.BRIEF);
    }

    @Test
    void whatWasWaitedBeforeAVisitIsNotTakenFromIt() {
        timer.begin();
        timer.end();
        haveNoCore(4 * MILLI);
        timer.begin();
        now += MILLI;
        assertThat(timer.end()).isEqualTo(MILLI);
        haveNoCore(VisitTimer.LOOK_INTERVAL - 1); // so soon after the last look that the next visit does not look
        timer.begin();
        now += VisitTimer.BRIEF;
        assertThat(timer.end()).as("never less than nothing").isZero();
    }

    @Test
    void briefVisitsAskSeldom() {
        for (int i = 0; i < 1000; i++) {
            timer.begin();
            now += 20_000;
            assertThat(timer.end()).isEqualTo(20_000);
        }
        assertThat(looks).isBetween(1, 21);
    }

    @Test
    void anotherThreadsWaitsAreNotTheCallers() throws InterruptedException {
        Thread other = new Thread(delay::look);
        other.start();
        other.join();
        assertThat(delay.sum()).isZero();
        assertThat(delay.isAbsent() || delay.isOfCurrentThread()).isTrue();
        assertThat(delay.sum()).isNotNegative();
    }
}
