package io.verbena.bench.polling;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.polling.PollingCell.Figures;
import io.verbena.bench.polling.PollingRun.Load;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.sim.HostPoller;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** The schemes on two simulated cores, in virtual time. */
@Timeout(180)
class SimulatedPollingTest {
    private static final long MILLI = 1_000_000;
    private static final long IDLE = 20;
    private static final long QUANTUM = 2_100_000; // of HostModel.virtualMachine
    private static final long CORE_WAKES_NANOS = 4_500; // likewise
    private static final int THREADS = 2;

    private static SimulatedEcho echo(SchemeName scheme, int busy) {
        return new SimulatedEcho(1, SimulatedPolling.polling(scheme), busy);
    }

    @Test
    void aRunIsAFunctionOfItsSeed() {
        List<SchemeName> schemes = List.of(SchemeName.EVENT, SchemeName.ADAPTIVE, SchemeName.KVM);
        List<Load> loads = List.of(new Load("some", 20_000), new Load("all", EchoClient.SATURATION));
        List<PollingCell> cells = new SimulatedPolling(1, loads, List.of(0, 1), 400 * MILLI).measure(schemes);
        assertThat(cells).hasSize(12).allMatch(cell -> cell.figures().messages() > 0);
        assertThat(new SimulatedPolling(1, loads, List.of(0, 1), 400 * MILLI).measure(schemes))
                .isEqualTo(cells);
        assertThat(new SimulatedPolling(2, loads, List.of(0, 1), 400 * MILLI).measure(schemes))
                .isNotEqualTo(cells);
    }

    @Test
    void whoNeverSleepsIsNotWokenAndBurnsACoreEach() {
        for (SchemeName scheme : List.of(SchemeName.BUSY, SchemeName.SHARED_CQ)) {
            Figures figures = echo(scheme, 0).run(IDLE, 0, 100 * MILLI);
            assertThat(figures.messages()).isEqualTo(THREADS);
            assertThat(figures.wakeUps()).isZero();
            assertThat(figures.cpuNanos() * figures.rate()).isEqualTo(THREADS * 1e9);
        }
    }

    @Test
    void eventsWakeEachThreadOnceAMessage() {
        Figures busy = echo(SchemeName.BUSY, 0).run(1_000, 2 * MILLI, 20 * MILLI);
        Figures event = echo(SchemeName.EVENT, 0).run(1_000, 2 * MILLI, 100 * MILLI);
        assertThat(event.messages()).isBetween(99L, 101L);
        assertThat(event.wakeUps() * event.messages()).isEqualTo((double) (THREADS * event.messages()));
        assertThat(event.p50()).isGreaterThan(busy.p50() + THREADS * CORE_WAKES_NANOS);
        assertThat(event.cpuNanos()).isLessThan(busy.cpuNanos() / 100);
    }

    /** Who stays awake for longer than the time between two messages is not woken at all. */
    @Test
    void adaptiveByTimeSleepsOnlyWhereMessagesAreFarApart() {
        assertThat(echo(SchemeName.ADAPTIVE_20US, 0)
                        .run(100_000, MILLI, 5 * MILLI)
                        .wakeUps())
                .isZero();
        assertThat(echo(SchemeName.ADAPTIVE_20US, 0)
                        .run(1_000, MILLI, 20 * MILLI)
                        .wakeUps())
                .isEqualTo(THREADS);
    }

    /** Each scheme arms before each sleep, looks once more, and blocks; what lies there then is not left to lie. */
    @ParameterizedTest
    @EnumSource(SchemeName.class)
    void noWakeUpIsLost(SchemeName scheme) {
        for (long rate : new long[] {1_000, 100_000, EchoClient.SATURATION}) {
            SimulatedEcho echo = echo(scheme, 0);
            boolean isSaturated = rate == EchoClient.SATURATION;
            Figures figures = echo.run(rate, MILLI, isSaturated ? 2 * MILLI : 10 * MILLI);
            assertThat(figures.rate()).isGreaterThan(isSaturated ? 1e6 : 0.8 * rate);
            assertThat(echo.longestNanos()).as(scheme + " at " + rate).isLessThan(200_000);
            for (HostPoller poller : echo.pollers()) {
                WaitStatistics waits = poller.waits();
                assertThat(poller.arms()).isGreaterThanOrEqualTo(waits.sleeps());
                assertThat(waits.sleeps() - waits.wakeUps())
                        .as("asleep at the end")
                        .isBetween(0L, 1L);
            }
        }
    }

    @Test
    void besideTwoBusyThreadsWhoNeverSleepsWaitsForASlice() {
        Figures busy = echo(SchemeName.BUSY, 2).run(1_000, 10 * MILLI, 100 * MILLI);
        assertThat(busy.p99()).isBetween(0.9 * QUANTUM, 1.1 * QUANTUM);
        assertThat(busy.cpuNanos() * busy.rate()).isBetween(0.9e9, 1.1e9); // half of the two cores
        assertThat(echo(SchemeName.BUSY, 0).run(1_000, 2 * MILLI, 10 * MILLI).p99())
                .isLessThan(10_000);
    }

    @Test
    void theCommandPrintsTheTable() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PollingCommand command = new PollingCommand();
        command.printTo(new PrintStream(printed, true, StandardCharsets.UTF_8), System.err);
        int status = new CommandLine(command)
                .execute("--simulated", "--seconds=0.1", "--busy=0", "--schemes=EVENT,KVM", "--seed=3");
        assertThat(status).isZero();
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("2 simulated cores, seed 3, 0.10 s an idle cell")
                .containsPattern("\\| 0 +\\| 1 k/s +\\| event +\\| 16\\.2 +\\| 16\\.2 +\\|")
                .contains("0 busy, saturation: default's round trip ")
                .contains("geometric mean");
    }
}
