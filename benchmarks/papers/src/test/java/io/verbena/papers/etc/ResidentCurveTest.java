package io.verbena.papers.etc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.etc.ResidentCurve.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ResidentCurveTest {
    private static final long MIB = 1 << 20;
    private static final long SECOND = 1_000_000_000L;
    private static final StallPlan PLAN = new StallPlan(77, 20 * SECOND, 10 * SECOND, SECOND / 10);

    @Test
    void stallsComeInTheMiddleOfEachPeriod() {
        assertThat(PLAN.count()).isEqualTo(2);
        assertThat(PLAN.begin(1)).isEqualTo(77 + 15 * SECOND);
        assertThat(new StallPlan(0, 5 * SECOND, 10 * SECOND, 1).count()).isZero();
        assertThat(new StallPlan(0, 5 * SECOND + 1, 10 * SECOND, 1).count()).isEqualTo(1);
        assertThat(new StallPlan(0, 60 * SECOND, 10 * SECOND, 0).count()).isZero();
    }

    @Test
    void stallsAndWhatFollowsThemAreDisturbed() {
        long begin = PLAN.begin(1);
        assertThat(PLAN.isDisturbed(begin - 1)).isFalse();
        assertThat(PLAN.isDisturbed(begin)).isTrue();
        assertThat(PLAN.isDisturbed(begin + 2 * PLAN.stall() - 1)).isTrue();
        assertThat(PLAN.isDisturbed(begin + 2 * PLAN.stall())).isFalse();
        assertThat(PLAN.isDisturbed(begin + PLAN.every())).as("after the last").isFalse();
    }

    @Test
    void aStallHasABaseAPeakAndAWayBack() {
        List<Sample> samples = new ArrayList<>();
        for (int tenth = 0; tenth < 200; tenth++) {
            double at = tenth / 10.0 + 0.05;
            boolean isUp = (at > 5 && at < 7) || at > 15;
            samples.add(new Sample(at, 0, isUp ? 9 * MIB : 3 * MIB));
        }
        List<ResidentCurve.Stall> stalls = ResidentCurve.stalls(samples, PLAN);
        assertThat(stalls).hasSize(2);
        assertThat(stalls.get(0).base()).isEqualTo(3 * MIB);
        assertThat(stalls.get(0).peak()).isEqualTo(9 * MIB);
        assertThat(stalls.get(0).secondsUntilBack()).isBetween(1.8, 2.0);
        assertThat(stalls.get(1).secondsUntilBack()).as("never back").isNegative();
    }
}
