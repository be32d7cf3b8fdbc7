package io.verbena.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.cores.Slice;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.path.FakeEnd;
import io.verbena.bench.path.Idle;
import io.verbena.bench.path.Waiting;
import io.verbena.verification.RunException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The measuring loops against an end whose speed is given, by a clock that only its turns move. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MeasurementTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicLong clock = new AtomicLong(5_000_000_000L);

    /** Each turn of polling takes so long. */
    private FakeEnd end(int room, int turns, long turnNanos) {
        return new FakeEnd(room, turns, turn -> clock.addAndGet(turnNanos));
    }

    private static Vigil vigil() {
        return new Vigil(new Idle(Waiting.SPIN), () -> {});
    }

    private ScheduledMeasurement scheduled(FakeEnd end, long rate) {
        return new ScheduledMeasurement(end, vigil(), rate, 512, clock::get);
    }

    @Test
    void aRateThatIsReachedHasLatenciesFromScheduledTimes() {
        Figures figures = scheduled(end(16, 1, 100), 100_000).run(10 * MILLI);
        assertThat(figures.count()).isEqualTo(1000);
        // A message is due every 10 us, looked for every 100 ns, and back a turn later.
        assertThat(figures.value(Figure.P50).orElseThrow()).isBetween(100.0, 400.0);
        assertThat(figures.value(Figure.MAX).orElseThrow()).isLessThan(500);
        assertThat(figures.curve()).isNotEmpty();
    }

    @Test
    void aRunThatMissesItsRateIsVoid() {
        assertThatThrownBy(() -> scheduled(end(1, 1, 20_000), 100_000).run(10 * MILLI))
                .isInstanceOf(VoidRunException.class)
                .hasMessageMatching("reached [45]\\d\\.\\d k/s of 100 k/s");
    }

    @Test
    void aStallCountsForEveryMessageThatItDelays() {
        FakeEnd stalling =
                new FakeEnd(512, 1, turn -> clock.addAndGet(turn == 5000 ? TimeUnit.MICROSECONDS.toNanos(500) : 100));
        Figures figures = scheduled(stalling, 100_000).run(100 * MILLI);
        // 50 of 10,000 messages were due while nothing moved: more than one in a thousand was late by up to 500 us.
        assertThat(figures.value(Figure.P999).orElseThrow()).isGreaterThan(400_000);
        assertThat(figures.value(Figure.P50).orElseThrow()).isLessThan(1000);
    }

    @Test
    void aWindowCountsAnswersAndSamplesLatencies() {
        Setting setting = Setting.of("fake", Measure.WINDOW, 8).withDepth(8);
        Figures figures = new WindowMeasurement(end(8, 1, 0), vigil(), setting).run(5 * MILLI);
        assertThat(figures.count()).isPositive();
        assertThat(figures.value(Figure.RATE).orElseThrow()).isPositive();
        assertThat(figures.value(Figure.BYTES).orElseThrow())
                .isEqualTo(8 * figures.value(Figure.RATE).orElseThrow());
        assertThat(figures.value(Figure.P50)).isPresent();
    }

    @Test
    void roundTripsAreOneAtATime() {
        Figures figures = new RoundTripMeasurement(end(1, 3, 0), vigil()).run(5 * MILLI);
        assertThat(figures.count()).isPositive();
        assertThat(figures.value(Figure.P99)).isPresent();
        assertThat(figures.value(Figure.RATE)).isEmpty();
    }

    @Test
    void aFarEndThatFailedEndsTheWait() {
        Vigil watched = new Vigil(new Idle(Waiting.SPIN), () -> {
            throw new RunException("the far end is gone");
        });
        assertThatThrownBy(() -> new RoundTripMeasurement(end(1, Integer.MAX_VALUE, 0), watched).run(MILLI))
                .hasMessage("the far end is gone");
    }

    @Test
    void settingsNameBothValues() {
        assertThatThrownBy(() -> Setting.of("a", Measure.ROUND_TRIP, 7)).hasMessage("bytes 7 < minimum 8");
        assertThatThrownBy(() -> Setting.of("a", Measure.ROUND_TRIP, 8).withBusy(65))
                .hasMessage("busy 65 > maximum 64");
        assertThatThrownBy(() -> new Pace(1, 0)).hasMessageContaining("seconds 0.0 not between");
    }

    @Test
    void settingsAndReportsSurviveJson() {
        Setting setting =
                Setting.of("aeron-ipc", Measure.SCHEDULED, 32).withRate(1000).withWaiting(Waiting.API);
        assertThat(Json.parse(Json.line(setting), Setting.class)).isEqualTo(setting);
        Figures figures = scheduled(end(16, 1, 100), 100_000).run(MILLI);
        Report report = Report.of(List.of(new Slice<>(Tag.NEAR, 105.5, 104, 0.01, figures)));
        assertThat(report.kind()).isEqualTo(TrialOutcome.Kind.MEASURED);
        assertThat(Json.parse(Json.line(report), Report.class)).isEqualTo(report);
    }

    @Test
    void aMeasurementOfVoidSlicesIsVoid() {
        Figures figures = scheduled(end(16, 1, 100), 100_000).run(MILLI);
        Report report = Report.of(List.of(new Slice<>(Tag.VOID, 105, 460, 0, figures)));
        assertThat(report.kind()).isEqualTo(TrialOutcome.Kind.VOID);
        assertThat(report.reason()).isEqualTo("a line took 105 ns before it and 460 ns after it");
        Report cold = Report.of(List.of(new Slice<>(Tag.VOID, 105, 104, 0.31, figures)));
        assertThat(cold.reason()).isEqualTo("compilers ran for 31 % of the time");
    }

    @Test
    void whatIsColdMayCatchUp() {
        ScheduledMeasurement slow = scheduled(end(1, 1, 20_000), 100_000);
        slow.warmUp(10 * MILLI);
        assertThatThrownBy(() -> slow.run(10 * MILLI)).isInstanceOf(VoidRunException.class);
    }

    @Test
    void socketsWarmUpThriceAsLong() {
        assertThat(Setting.of("aeron-ipc", Measure.ROUND_TRIP, 8).warmUpFactor())
                .isEqualTo(1);
        assertThat(Setting.of("verbena-append-shm", Measure.ROUND_TRIP, 8).warmUpFactor())
                .isEqualTo(1);
        for (String path : List.of("aeron-udp", "netty-uds", "verbena-rpc-tcp", "grpc-unary")) {
            assertThat(Setting.of(path, Measure.ROUND_TRIP, 8).warmUpFactor())
                    .as(path)
                    .isEqualTo(3);
        }
        assertThat(new Pace(2, 2).total(3)).isEqualTo(8);
        assertThat(new Pace(2, 0.4).slices()).isEqualTo(1);
        assertThat(new Pace(2, 3).slices()).isEqualTo(3);
        assertThat(new Pace(2, 3).sliceNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
    }
}
