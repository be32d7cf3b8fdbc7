package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the arbiter counts of groups and flows. */
@Timeout(180)
class ArbiterStatisticsTest {
    private static final long MB = 1_000_000;

    private final Traffic traffic = new Traffic();
    private final FlowGroup a = traffic.group(1);
    private final FlowGroup b = traffic.group(3);

    private static GroupStatistics of(FlowGroup group) {
        return group.statistics();
    }

    @Test
    void whatWasSentAndHowOften() {
        TestFlow one = traffic.flow(a, 1, null, 100);
        TestFlow two = traffic.flow(a, 1, null, 100);
        TestFlow three = traffic.flow(b, 1, null, 70_000);
        traffic.activateAll();
        long visits = 0;
        while (traffic.total < 100 * MB) {
            traffic.visit();
            visits++;
        }
        assertThat(of(a).bytes()).isEqualTo(one.served + two.served);
        assertThat(of(a).bytes())
                .isEqualTo(one.statistics().bytes() + two.statistics().bytes());
        assertThat(of(a).charged()).isEqualTo(of(a).bytes());
        assertThat(of(a).visits() + of(b).visits()).isEqualTo(visits);
        assertThat(of(a).messages())
                .isEqualTo(one.statistics().messages() + two.statistics().messages());
        assertThat(of(b).chunks()).isEqualTo(three.statistics().chunks());
        long mean = of(a).bytes() / of(a).chunks(); // of at least 64 KiB a lap, a quarter is its own
        assertThat(mean).isBetween(4_000L, 24_000L);
    }

    @Test
    void theShareIsTheEntitlement() {
        traffic.flow(a, 1, null, 64);
        traffic.flow(b, 1, null, 1 << 20);
        traffic.activateAll();
        traffic.run(1000 * MB);
        assertThat(of(a).entitlement(of(a), of(b))).isCloseTo(0.25, within(0.001));
        assertThat(of(a).share(of(a), of(b))).isCloseTo(0.25, within(0.001));
    }

    @Test
    void whoHasNoWorkIsEntitledToNothing() {
        TestFlow idle = traffic.flow(b, 1, null, 1000);
        traffic.flow(a, 1, null, 1000);
        traffic.activateAll();
        traffic.run(40 * MB); // 10 and 30
        while (traffic.serve() != idle) {
            traffic.arbiter.active(traffic.flows.get(1));
        }
        traffic.arbiter.idle(idle);
        traffic.run(60 * MB); // of which all is A's
        assertThat(of(a).entitled()).isCloseTo(70 * MB, Percentage.withPercentage(1));
        assertThat(of(b).entitled()).isCloseTo(30 * MB, Percentage.withPercentage(1));
    }

    @Test
    void onlyTimeWithOthersIsCounted() {
        TestFlow mine = traffic.flow(a, 1, null, 1000);
        traffic.flow(b, 1, null, 1000);
        traffic.activate(0);
        traffic.now = 1_000_000;
        traffic.activate(1);
        traffic.now = 4_000_000;
        while (traffic.serve() != mine) {
            traffic.arbiter.active(traffic.flows.get(1));
        }
        traffic.arbiter.idle(mine);
        traffic.now = 9_000_000;
        assertThat(of(a).backloggedNanos()).isEqualTo(3_000_000);
    }

    @Test
    void whatNobodyElseWantedIsNotContended() {
        TestFlow first = traffic.flow(a, 1, null, 1000);
        TestFlow second = traffic.flow(b, 1, null, 1000);
        traffic.activateAll();
        traffic.run(40 * MB); // 10 and 30
        while (traffic.serve() != second) {
            traffic.arbiter.active(first);
        }
        traffic.arbiter.idle(second);
        long sent = of(a).charged();
        long contended = of(a).contended();
        traffic.run(60 * MB);
        assertThat(contended).isEqualTo(sent).isCloseTo(10 * MB, Percentage.withPercentage(1));
        assertThat(of(a).contended()).isEqualTo(contended);
        assertThat(of(b).contended()).isEqualTo(of(b).charged());
    }

    @Test
    void comingAndGoingReadsTheClockForSamplesOnly() {
        int[] readings = {0};
        ChunkArbiter arbiter = new ChunkArbiter(ArbiterSettings.defaults(), 0, 1, () -> readings[0]++, () -> 0);
        TestFlow one = new TestFlow(a, 1, 64).oneAtATime();
        TestFlow two = new TestFlow(b, 1, 64).oneAtATime();
        arbiter.attach(one, null);
        arbiter.attach(two, null);
        for (int i = 0; i < 1600; i++) {
            arbiter.active(one);
            arbiter.active(two);
            for (TestFlow flow = (TestFlow) arbiter.next(); flow != null; flow = (TestFlow) arbiter.next()) {
                arbiter.charge(flow, flow.send(1), 1, 0);
                arbiter.idle(flow);
            }
        }
        assertThat(readings[0]).isBetween(1, 2 * 3200 / 16);
    }

    @Test
    void someWaitsAreTimed() {
        traffic.flow(a, 1, null, 1000);
        TestFlow mine = traffic.flow(b, 1, null, 1000).oneAtATime();
        assertThat(mine.statistics().delays().getTotalCount()).isZero();
        traffic.activate(0);
        for (int i = 0; i < 1000; i++) {
            traffic.arbiter.active(mine);
            traffic.now += 5_000;
            while (traffic.serve() != mine) {
                traffic.arbiter.active(traffic.flows.get(0));
            }
            traffic.arbiter.idle(mine);
        }
        Histogram delays = mine.statistics().delays();
        assertThat(delays.getTotalCount()).isBetween(50L, 80L);
        assertThat(delays.getValueAtPercentile(50)).isBetween(5_000L, 5_400L);
        assertThat(of(b).delays().getValueAtPercentile(100)).isBetween(5_000L, 5_400L);
        assertThat(of(a).delays().getTotalCount()).isZero();
    }
}
