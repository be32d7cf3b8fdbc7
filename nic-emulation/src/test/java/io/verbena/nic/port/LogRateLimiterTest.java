package io.verbena.nic.port;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LogRateLimiterTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LogRateLimiter limit = new LogRateLimiter();

    @Test
    void oneLineAMinuteSaysHowManyWereLeftOut() {
        long start = Long.MAX_VALUE - MINUTE / 2; // a clock may wrap
        assertThat(limit.ask(start)).isZero();
        for (int i = 1; i <= 1000; i++) {
            assertThat(limit.ask(start + i * (MINUTE / 1001))).isNegative();
        }
        assertThat(limit.ask(start + MINUTE)).isEqualTo(1000);
        assertThat(limit.ask(start + MINUTE + 1)).isNegative();
        assertThat(limit.ask(start + 3 * MINUTE)).isOne();
    }
}
