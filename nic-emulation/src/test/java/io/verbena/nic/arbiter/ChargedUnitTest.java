package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shares of what is charged, where that is not bytes. */
@Timeout(180)
class ChargedUnitTest {
    private static final int VISITS = 200_000;

    private record Run(Traffic traffic, TestFlow small, TestFlow large) {
        static Run of(ChargedUnit unit) {
            Traffic traffic = new Traffic(ArbiterSettings.defaults().withUnit(unit));
            OutputQueue output = new OutputQueue();
            Run run = new Run(
                    traffic,
                    traffic.flow(traffic.group(1), 1, output, 64),
                    traffic.flow(traffic.group(3), 1, output, 8192));
            traffic.activateAll();
            return run;
        }
    }

    @Test
    void operationsAreSharedByWeight() {
        Run run = Run.of(ChargedUnit.OPERATIONS);
        long[] operations = new long[2];
        for (int i = 0; i < VISITS; i++) {
            TestFlow flow = (TestFlow) run.traffic.arbiter.next();
            int bytes = flow.send(flow.budget());
            int done = bytes / flow.largest();
            operations[flow == run.small ? 0 : 1] += done;
            run.traffic.arbiter.charge(flow, bytes, done, 0);
            run.traffic.arbiter.active(flow);
        }
        assertThat(operations[1] / (double) operations[0]).isCloseTo(3, within(0.02));
        assertThat(run.small.statistics().charged()).isEqualTo(operations[0]);
    }

    @Test
    void timeIsSharedByWeight() {
        Run run = Run.of(ChargedUnit.NIC_TIME);
        long[] nanos = new long[2];
        for (int i = 0; i < VISITS; i++) {
            TestFlow flow = (TestFlow) run.traffic.arbiter.next();
            int bytes = flow.send(flow.budget());
            int done = bytes / flow.largest();
            long took = done * 150L + bytes / 10;
            nanos[flow == run.small ? 0 : 1] += took;
            run.traffic.arbiter.charge(flow, bytes, done, took);
            run.traffic.arbiter.active(flow);
        }
        assertThat(nanos[1] / (double) nanos[0]).isCloseTo(3, within(0.02));
        // It has learnt how many bytes fit in its chunk's time: visits are about as long as chunks.
        assertThat(run.small.budget()).isLessThan(64 * 1024);
    }

    /**
     * One-byte messages beside 4 KiB: whatever the clock shows in steps of, and whatever visits take longer than their
     * messages say, over- and underestimates are made up for.
     */
    @ParameterizedTest
    @CsvSource({"1, 0", "1000, 0", "30000, 0", "1, 300000", "1000, 300000"})
    void timeIsSharedWhateverTheClockAndTheEstimate(long tick, long longest) {
        Traffic traffic = new Traffic(ArbiterSettings.defaults().withUnit(ChargedUnit.NIC_TIME));
        TestFlow victim = traffic.flow(traffic.group(1), 1, null, 4096 + 32);
        traffic.flow(traffic.group(1), 1, null, 1 + 32);
        traffic.activateAll();
        Random random = new Random(7);
        long[] nanos = new long[2];
        long clock = 0;
        while (nanos[0] + nanos[1] < 20_000_000_000L) {
            TestFlow flow = (TestFlow) traffic.arbiter.next();
            int bytes = flow.send(flow.budget());
            long took = bytes / flow.largest() * (flow == victim ? 300L : 60L);
            took += longest > 0 && random.nextInt(20) == 0 ? random.nextLong(longest) : 0;
            nanos[flow == victim ? 0 : 1] += took;
            long begun = clock / tick * tick;
            clock += took;
            traffic.arbiter.charge(flow, bytes, bytes / flow.largest(), clock / tick * tick - begun);
            traffic.arbiter.active(flow);
        }
        assertThat(nanos[0] / (double) (nanos[0] + nanos[1])).isCloseTo(0.5, within(0.002));
        assertThat(victim.statistics().charged() / (double) clock).isCloseTo(0.5, within(0.002));
    }

    @Test
    void visitsAreTimedOnlyWhereTimeIsCharged() {
        ArbiterSettings settings = ArbiterSettings.defaults();
        assertThat(settings.withUnit(ChargedUnit.NIC_TIME).isTimed()).isTrue();
        assertThat(settings.isTimed()).isFalse();
    }
}
