package io.verbena.bench.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ShareMeterTest {
    private static final long MILLISECOND = 1_000_000;

    private final ShareMeter meter = new ShareMeter(2);

    @Test
    void countsOnlyWhatWasSentWhileAllHadWork() {
        meter.start(0, new long[] {100, 100});
        meter.sample(MILLISECOND, new long[] {110, 130}, new boolean[] {true, true});
        meter.sample(2 * MILLISECOND, new long[] {910, 130}, new boolean[] {true, false});

        assertThat(meter.share(0)).isCloseTo(0.25, within(1e-9));
        assertThat(meter.share(1)).isCloseTo(0.75, within(1e-9));
        assertThat(meter.contended()).isCloseTo(0.5, within(1e-9));
        assertThat(meter.backlogged(0)).isCloseTo(1, within(1e-9));
        assertThat(meter.backlogged(1)).isCloseTo(0.5, within(1e-9));
        assertThat(meter.rate(0)).as("in all the time").isCloseTo(810 / 2e-3, within(1e-6));
    }

    @Test
    void withoutContentionTheSharesAreOfAllTheTime() {
        meter.start(0, new long[2]);
        meter.sample(MILLISECOND, new long[] {30, 10}, new boolean[] {true, false});

        assertThat(meter.contended()).isZero();
        assertThat(meter.share(0)).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void nothingSentIsNoShare() {
        assertThat(meter.share(0)).isZero();
        assertThat(meter.rate(0)).isZero();
        assertThat(meter.contended()).isZero();
    }
}
