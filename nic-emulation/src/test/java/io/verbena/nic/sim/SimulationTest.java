package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void aSeedIsARun() {
        String first = stormyRun(42);
        assertThat(stormyRun(42)).isEqualTo(first);
        assertThat(stormyRun(43)).isNotEqualTo(first);
    }

    @Test
    void theHashCoversLinesThatWereForgotten() {
        SimPair one = storm(42);
        SimPair same = storm(42);
        SimPair other = storm(43);
        assertThat(one.simulation.trace().count()).isGreaterThan(SimTrace.DEFAULT_CAPACITY);
        assertThat(one.simulation.trace().hash())
                .isEqualTo(same.simulation.trace().hash());
        assertThat(one.simulation.trace().hash())
                .isNotEqualTo(other.simulation.trace().hash());
        assertThat(one.simulation.trace().text()).startsWith("... ");
    }

    private static String stormyRun(long seed) {
        SimPair pair = storm(seed);
        return pair.simulation.trace().text() + pair.connection + pair.simulation.nowNanos();
    }

    private static SimPair storm(long seed) {
        LinkProfile profile = new LinkProfile()
                .jitter(700)
                .loss(0.05)
                .duplication(0.05)
                .reordering(0.05, 5_000)
                .corruption(0.02);
        SimPair pair = new SimPair(seed, profile);
        SimRandom random = pair.simulation.newRandom();
        for (int i = 0; i < 3_000; i++) {
            pair.a.send(i, 16 + random.nextInt(100));
            pair.b.send(i, 16 + random.nextInt(100));
            pair.simulation.runFor(random.nextInt(200));
        }
        pair.simulation.runToIdle(SECOND);
        return pair;
    }

    @Test
    void traceReads() {
        SimPair pair = new SimPair(5, new LinkProfile().rate(8_000_000_000L).delay(234));
        pair.a.send(100, 1000);
        pair.simulation.runToIdle(SECOND);
        pair.simulation.note("done");
        assertThat(pair.simulation.trace().text()).isEqualTo("""
                        1.000 a>b SEND_ONLY qp=7 psn=100 len=1000
                        1.234 a>b SEND_ONLY qp=7 psn=100 len=1000 delivered
                        1.234 done
                        """);
        assertThat(pair.simulation.trace().tail(1)).isEqualTo("... 2 earlier\n1.234 done\n");
    }

    @Test
    void eventsComeByTimeThenByOrderOfScheduling() {
        Simulation simulation = new Simulation(1);
        List<String> order = new ArrayList<>();
        SimRandom random = simulation.newRandom();
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            long delay = random.nextInt(50);
            simulation.after(delay, () -> times.add(delay));
        }
        simulation.after(7, () -> order.add("first"));
        simulation.after(7, () -> {
            order.add("second");
            simulation.after(0, () -> order.add("fourth"));
        });
        simulation.after(7, () -> order.add("third"));
        simulation.runToIdle(SECOND);
        assertThat(order).containsExactly("first", "second", "third", "fourth");
        assertThat(times).hasSize(1_000).isSorted();
    }

    @Test
    void actorsAreSteppedUntilIdleThenTheClockGoesToTheNextDeadline() {
        Simulation simulation = new Simulation(1);
        Ticker ticker = new Ticker(simulation, 250, 4);
        simulation.add("ticker", ticker);
        simulation.runUntil(() -> ticker.ticks.size() == 4, SECOND);
        assertThat(ticker.ticks).containsExactly(250L, 500L, 750L, 1_000L);
        assertThat(simulation.nowNanos()).isEqualTo(1_000);
    }

    @Test
    void aTimerCoarserThanItsDeadlineIsReachedAllTheSame() {
        Simulation simulation = new Simulation(1);
        List<Long> fired = new ArrayList<>();
        simulation.add("coarse", new Actor() {
            @Override
            public int step() {
                if (fired.isEmpty() && simulation.nowNanos() >= 1_024) {
                    fired.add(simulation.nowNanos());
                    return 1;
                }
                return 0;
            }

            @Override
            public long nextDeadlineNanos() {
                return fired.isEmpty() ? 100 : NO_DEADLINE;
            }
        });
        simulation.runToIdle(SECOND);
        assertThat(fired).hasSize(1);
        assertThat(fired.get(0)).isBetween(1_024L, 2_300L);
    }

    @Test
    void pausesAndCostsHoldAnActorBack() {
        Simulation simulation = new Simulation(1);
        Ticker ticker = new Ticker(simulation, 100, 10);
        Simulation.Participant participant = simulation.add("ticker", ticker);
        simulation.runFor(250);
        participant.pauseFor(400);
        simulation.runFor(500);
        assertThat(ticker.ticks).containsExactly(100L, 200L, 650L, 750L);
        participant.pause();
        simulation.runFor(1_000);
        assertThat(ticker.ticks).hasSize(4);
        participant.resume();
        simulation.runFor(0);
        assertThat(ticker.ticks).endsWith(1_750L);
        participant.turnCost(330);
        simulation.runFor(500);
        assertThat(ticker.ticks).endsWith(1_850L, 2_180L);
        participant.remove();
        participant.resume();
        simulation.runFor(1_000);
        assertThat(ticker.ticks).endsWith(2_180L);
        assertThat(participant.steps()).isEqualTo(7);
    }

    @Test
    void aConditionThatDoesNotComeFailsWithSeedAndTrace() {
        SimPair pair = new SimPair(4711, new LinkProfile());
        pair.a.send(9, 100);
        assertThatThrownBy(() -> pair.simulation.runUntil(() -> false, SECOND))
                .isInstanceOfSatisfying(
                        SimulationException.class, e -> assertThat(e.seed()).isEqualTo(4711))
                .hasMessageContaining("nothing can happen")
                .hasMessageContaining("seed 4711")
                .hasMessageContaining("psn=9");
        pair.simulation.after(2 * SECOND, () -> {});
        assertThatThrownBy(() -> pair.simulation.runUntil(() -> false, SECOND)).hasMessageContaining("1000000000 ns");
    }

    @Test
    void circlesAreFound() {
        Simulation simulation = new Simulation(1);
        simulation.add("mad", () -> 1);
        assertThatThrownBy(() -> simulation.runFor(1))
                .hasMessageContaining("at one instant")
                .hasMessageContaining("mad");
    }

    @Test
    void chanceIsTheSameEverywhere() {
        // SplitMix64's published first outputs for seed 1234567.
        SimRandom random = new SimRandom(1234567);
        assertThat(Long.toUnsignedString(random.nextLong())).isEqualTo("6457827717110365317");
        assertThat(Long.toUnsignedString(random.nextLong())).isEqualTo("3203168211198807973");
        assertThat(SimRandom.forPart(1, 0).nextLong())
                .isNotEqualTo(SimRandom.forPart(1, 1).nextLong());
        assertThatThrownBy(() -> random.nextInt(0)).hasMessageContaining("bound 0");
    }

    @Test
    void profilesRefuseWhatMakesNoSense() {
        LinkProfile profile = new LinkProfile();
        assertThatThrownBy(() -> profile.loss(1.5)).hasMessageContaining("1.5").hasMessageContaining("0..1");
        assertThatThrownBy(() -> profile.loss(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> profile.maxPacket(511))
                .hasMessageContaining("511")
                .hasMessageContaining("512");
        assertThatThrownBy(() -> profile.delay(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> profile.window(0)).hasMessageContaining("0 < 1");
        assertThatThrownBy(() -> profile.reordering(0.1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Ticks every so often, a number of times. */
    private static final class Ticker implements Actor {
        final List<Long> ticks = new ArrayList<>();
        private final Simulation simulation;
        private final long period;
        private final int times;
        private long next;

        Ticker(Simulation simulation, long period, int times) {
            this.simulation = simulation;
            this.period = period;
            this.times = times;
            next = period;
        }

        @Override
        public int step() {
            long now = simulation.nowNanos();
            if (ticks.size() == times || now < next) {
                return 0;
            }
            ticks.add(now);
            next = now + period;
            return 1;
        }

        @Override
        public long nextDeadlineNanos() {
            return ticks.size() == times ? NO_DEADLINE : next;
        }
    }
}
