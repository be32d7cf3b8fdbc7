package io.verbena.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.bench.Interval;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.TrialOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private final ComparisonRow row = Fixtures.latencyRow("rtt");
    private final Contestant ours = row.subjects().get(0);
    private final Contestant peer = row.references().get(0);
    private final Results results = new Results(List.of(row));

    private void round(TrialOutcome own, TrialOutcome other) {
        results.add(row, ours, own);
        results.add(row, peer, other);
    }

    private void round(double own, double other) {
        round(Fixtures.of(Figure.P50, own), Fixtures.of(Figure.P50, other));
    }

    @Test
    void mediansAndRanges() {
        assertThat(Interval.of(List.of(3.0, 1.0, 2.0))).contains(new Interval(2, 1, 3, 3));
        assertThat(Interval.of(List.of(4.0, 1.0))).contains(new Interval(2.5, 1, 4, 2));
        assertThat(Interval.of(List.of())).isEmpty();
    }

    @Test
    void ratiosAreTakenRoundByRound() {
        round(100, 200);
        round(900, 1000); // a slow round for both
        round(120, 100);
        assertThat(results.interval(row, ours, Figure.P50, Tag.UNPINNED)).contains(new Interval(120, 100, 900, 3));
        assertThat(results.ratio(row, ours, peer, Figure.P50, Tag.UNPINNED)).contains(new Interval(0.9, 0.5, 1.2, 3));
        assertThat(results.remark(row, ours)).isEmpty();
        assertThat(results.failures()).isEmpty();
    }

    @Test
    void aRoundThatFailedHasNoRatioAndIsNamed() {
        round(100, 200);
        round(Fixtures.of(TrialOutcome.Kind.FAILED, "it hung"), Fixtures.of(Figure.P50, 50));
        assertThat(results.ratio(row, ours, peer, Figure.P50, Tag.UNPINNED)).contains(new Interval(0.5, 0.5, 0.5, 1));
        assertThat(results.interval(row, peer, Figure.P50, Tag.UNPINNED)).contains(new Interval(125, 50, 200, 2));
        assertThat(results.remark(row, ours)).isEqualTo("failed 1 of 2 (it hung)");
        assertThat(results.failures()).containsExactly("rtt, ours, round 2: it hung");
    }

    @Test
    void voidRunsAreNoFailuresAndHaveNoFigures() {
        round(Fixtures.of(TrialOutcome.Kind.VOID, "reached 1 of 2"), Fixtures.of(Figure.P50, 50));
        assertThat(results.interval(row, ours, Figure.P50, Tag.UNPINNED)).isEmpty();
        assertThat(results.remark(row, ours)).isEqualTo("void (reached 1 of 2)");
        assertThat(results.failures()).isEmpty();
        assertThat(results.curve(row, ours, Tag.UNPINNED)).isEmpty();
        assertThat(results.curve(row, peer, Tag.UNPINNED)).hasSize(2);
    }

    @Test
    void onlyEqualTagsCompare() {
        round(
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 100, 300), Fixtures.slice(Tag.FAR, 460, 800))),
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 100, 200), Fixtures.slice(Tag.NEAR, 100, 220))));
        round(
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 100, 300))),
                Fixtures.measured(List.of(Fixtures.slice(Tag.FAR, 460, 600))));
        round(
                Fixtures.measured(List.of(Fixtures.slice(Tag.FAR, 460, 900), Fixtures.slice(Tag.VOID, 250, 1))),
                Fixtures.measured(List.of(Fixtures.slice(Tag.FAR, 460, 600), Fixtures.slice(Tag.VOID, 250, 1))));
        assertThat(results.ratio(row, ours, peer, Figure.P50, Tag.NEAR))
                .contains(new Interval(300 / 210.0, 300 / 210.0, 300 / 210.0, 1));
        assertThat(results.ratio(row, ours, peer, Figure.P50, Tag.FAR)).contains(new Interval(1.5, 1.5, 1.5, 1));
        assertThat(results.ratio(row, ours, peer, Figure.P50, Tag.UNPINNED)).isEmpty();
        assertThat(results.compare(row, ours, peer, FigureTarget.atMost(Figure.P50, 1)))
                .get()
                .extracting(Interval::count)
                .isEqualTo(2);
        assertThat(results.interval(row, ours, Figure.P50, Tag.FAR)).contains(new Interval(850, 800, 900, 2));
        assertThat(results.tags(row, ours)).containsExactly(Tag.NEAR, Tag.FAR);
        assertThat(results.count(row, ours, Tag.VOID)).isEqualTo(1);
    }

    @Test
    void aRoundTripIsMadeOfCodeAndLines() {
        round(
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 100, 305), Fixtures.slice(Tag.FAR, 460, 809))),
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 100, 200))));
        round(
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 110, 319), Fixtures.slice(Tag.VOID, 250, 1))),
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 100, 200))));
        LineFit fit = results.fit(row, ours).orElseThrow();
        assertThat(fit.a()).isCloseTo(165, within(1e-6));
        assertThat(fit.b()).isCloseTo(1.4, within(1e-9));
        assertThat(fit.near()).isEqualTo(2);
        assertThat(fit.far()).isEqualTo(1);
        assertThat(results.fit(row, peer)).isEmpty();
    }

    @Test
    void targets() {
        FigureTarget most = FigureTarget.atMost(Figure.P50, 1.5);
        assertThat(most.isMet(most.compare(15, 10))).isTrue();
        assertThat(most.isMet(most.compare(16, 10))).isFalse();
        assertThat(most.score(10, 10)).isEqualTo(1.5);
        assertThat(most.text()).isEqualTo("<= 1.50");
        FigureTarget least = FigureTarget.atLeast(Figure.RATE, 0.9);
        assertThat(least.isMet(least.compare(9, 10))).isTrue();
        assertThat(least.isMet(least.compare(8, 10))).isFalse();
        assertThat(least.score(9, 10)).isEqualTo(1);
        assertThat(least.text(least.compare(8, 100))).isEqualTo("0.080");
        FigureTarget more = FigureTarget.moreBy(Figure.P50, 100);
        assertThat(more.isMet(more.compare(119, 20))).isTrue();
        assertThat(more.isMet(more.compare(121, 20))).isFalse();
        assertThat(more.score(60, 20)).isEqualTo(2);
        assertThat(more.text()).isEqualTo("<= +100 ns");
        assertThat(more.text(-20)).isEqualTo("-20.0 ns");
    }

    @Test
    void figuresHaveUnits() {
        assertThat(Figure.P50.text(412)).isEqualTo("412 ns");
        assertThat(Figure.P50.text(6049)).isEqualTo("6.05 us");
        assertThat(Figure.P99.text(2_100_000)).isEqualTo("2.10 ms");
        assertThat(Figure.RATE.text(24_500_000)).isEqualTo("24.5 M/s");
        assertThat(Figure.BYTES.text(7.84e9)).isEqualTo("7.84 GB/s");
        assertThat(Figure.MEMORY.text(64 << 20)).isEqualTo("64.0 MiB");
        assertThat(Figure.PROCESSOR.text(0.0043)).isEqualTo("0.43 %");
        assertThat(Figure.P50.text(999.7)).isEqualTo("1.00 us");
    }
}
