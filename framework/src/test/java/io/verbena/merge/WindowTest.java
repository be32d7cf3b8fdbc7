package io.verbena.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Windows that learn, on a path of the test's: a rate, a round trip without a queue, and what is more waits. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class WindowTest {
    private static final long US = 1_000;
    private static final long SECOND = 1_000_000_000;

    private long now = -3 * SECOND; // as a nanoTime may be
    private double rate = 1; // bytes a nanosecond
    private long least = 200 * US;

    /** Keeps as much under way as the window says, in pieces of 16 KiB. */
    private void run(Window window, long nanos) {
        int piece = 16 << 10;
        for (long end = now + nanos; now < end; ) {
            long underWay = window.bytes();
            long roundTrip = Math.max(least, (long) (underWay / rate));
            now += Math.max(1, roundTrip * piece / underWay);
            window.ended(piece, roundTrip, underWay - piece, now);
        }
    }

    @Test
    void aBacklogIsATimesWorthOfBytes() {
        Window window = new BacklogWindow(100 * US);
        run(window, SECOND);
        assertThat(window.bytes()).isBetween(280_000L, 320_000L); // 1 B/ns for 200 us and 100 us
        rate = 4;
        run(window, SECOND);
        assertThat(window.bytes()).as("it follows at once upwards").isBetween(1_120_000L, 1_280_000L);
        rate = 0.5;
        run(window, 14 * SECOND);
        assertThat(window.bytes()).as("and within its memory downwards").isBetween(140_000L, 160_000L);
    }

    @Test
    void aBacklogIsNeverBelowAWorkRequest() {
        rate = 0.001;
        Window window = new BacklogWindow(10 * US);
        run(window, 30 * SECOND);
        assertThat(window.bytes()).isBetween(Window.MIN_BYTES, Window.MIN_BYTES + 1000);
    }

    @Test
    void roundTripsStayBetweenTheirLimits() {
        Window window = new TimelyWindow(300 * US, 900 * US);
        run(window, SECOND);
        assertThat(window.bytes() / rate).isBetween(300.0 * US, 1000.0 * US);
        rate = 4;
        run(window, SECOND);
        assertThat(window.bytes() / rate).isBetween(300.0 * US, 1000.0 * US);
    }

    @Test
    void withoutAQueueTheWindowGrowsToItsMost() {
        rate = 1_000_000;
        Window window = new TimelyWindow(300 * US, 900 * US);
        run(window, SECOND);
        assertThat(window.bytes()).isEqualTo(64 << 20);
    }

    @Test
    void oneThatIsFixedStaysSo() {
        Window window = Window.fixed(5);
        window.ended(1 << 20, US, 0, now);
        assertThat(window.bytes()).isEqualTo(5);
        assertThat(window.learns()).isFalse();
    }
}
