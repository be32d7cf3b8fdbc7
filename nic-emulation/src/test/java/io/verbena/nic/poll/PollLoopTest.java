package io.verbena.nic.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.port.PollStrategy.Step;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RDMAbox' algorithm 3, against a queue whose events are the test's. */
@Timeout(180)
class PollLoopTest {
    private long now = 1;
    private final Queue queue = new Queue();
    private final WaitCounters counters = new WaitCounters();

    /** Entries that are there, and those that come in the moment before an arm. */
    private static final class Queue implements PollLoop.Source {
        int entries;
        int beforeArm;
        boolean armed;
        final List<Integer> takes = new ArrayList<>();

        void add(int count) {
            entries += count;
            armed = false; // the event
        }

        @Override
        public int poll(int limit) {
            int taken = Math.min(limit, entries);
            entries -= taken;
            if (taken > 0) {
                takes.add(taken);
            }
            return taken;
        }

        @Override
        public void arm() {
            entries += beforeArm;
            beforeArm = 0;
            armed = true;
        }
    }

    private PollLoop loop(Polling polling) {
        return new PollLoop(queue, polling.clock(() -> now += 25), counters);
    }

    /** Steps until the loop blocks. @return steps */
    private int run(PollLoop loop) {
        int steps = 1;
        while (loop.step() != Step.SLEEP) {
            assertThat(++steps).isLessThan(100_000);
        }
        return steps;
    }

    /** Whatever the scheme: what came before the arm, after the last empty look, is taken and not slept over. */
    @ParameterizedTest
    @MethodSource("io.verbena.nic.poll.PollingTest#schemes")
    void looksOnceMoreAfterItHasArmed(Polling polling) {
        if (polling.drains() && polling.maxAwake() > 1) {
            return; // never arms
        }
        PollLoop loop = loop(polling);
        queue.beforeArm = 1;
        run(loop);
        assertThat(queue.takes).containsExactly(1);
        assertThat(queue.entries).isZero();
        assertThat(queue.armed).isTrue();
        assertThat(loop.arms()).isEqualTo(2);
        loop.close();
    }

    @Test
    void eventArmsAfterEachEntry() {
        PollLoop loop = loop(Polling.event());
        queue.add(5);
        run(loop);
        assertThat(queue.takes).containsExactly(1, 1, 1, 1, 1);
        assertThat(loop.arms()).as("behind every second one, and the last").isEqualTo(3);
        loop.close();
    }

    @Test
    void eventBatchArmsAfterEachBatchThoughThereIsMore() {
        PollLoop loop = loop(Polling.eventBatch(4));
        queue.add(20);
        run(loop);
        assertThat(queue.takes).containsExactly(4, 4, 4, 4, 4);
        assertThat(loop.arms()).isEqualTo(3);
        loop.close();
    }

    @Test
    void hybridArmsOnlyWhenNothingIsLeft() {
        PollLoop loop = loop(Polling.hybrid().batch(4));
        queue.add(20);
        assertThat(run(loop)).as("five batches, an empty look").isEqualTo(6);
        assertThat(queue.takes).containsExactly(4, 4, 4, 4, 4);
        assertThat(loop.arms()).isEqualTo(1);
        loop.close();
    }

    /** The hook of the paper: what comes within the retries costs no event. */
    @Test
    void adaptiveCatchesWhatComesWithinItsRetries() {
        PollLoop loop = loop(Polling.adaptive().retries(10));
        for (int burst = 0; burst < 50; burst++) {
            queue.add(3);
            assertThat(loop.step()).isEqualTo(Step.LOOK);
            for (int i = 0; i < 10; i++) { // as many empty looks as there may be
                assertThat(loop.step()).isNotEqualTo(Step.SLEEP);
            }
        }
        assertThat(loop.arms()).isZero();
        assertThat(loop.step()).as("the eleventh").isEqualTo(Step.SLEEP);
        assertThat(counters.statistics()).isEqualTo(new WaitStatistics(50 * 10 + 2, 1, 0));
        loop.woken();
        queue.add(1);
        assertThat(loop.step()).isEqualTo(Step.LOOK);
        assertThat(run(loop)).as("the count began anew").isEqualTo(11);
        assertThat(counters.statistics().wakeUps()).isEqualTo(1);
        loop.close();
    }

    @Test
    void busyNeverArms() {
        PollLoop loop = loop(Polling.busy());
        for (int i = 0; i < 10_000; i++) {
            assertThat(loop.step()).isEqualTo(Step.SPIN);
        }
        queue.add(40);
        assertThat(loop.step()).isEqualTo(Step.LOOK);
        assertThat(loop.step()).isEqualTo(Step.LOOK);
        assertThat(queue.takes).containsExactly(32, 8);
        assertThat(loop.arms()).isZero();
        loop.close();
    }
}
