package io.verbena.bench.cores;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Slices by a clock, probes and compilers that the test moves. */
class SlicedRunTest {
    private static final long SECOND = 1_000_000_000;

    private final Deque<Double> probes = new ArrayDeque<>();
    private double lastProbe;
    private long clock = 5 * SECOND;
    private long compiled;
    private long compiling; // nanoseconds a slice
    private int measured;
    private final SlicedRun run = new SlicedRun(this::probe, () -> compiled, () -> clock);

    private double probe() {
        lastProbe = probes.isEmpty() ? lastProbe : probes.remove();
        return lastProbe;
    }

    private int slice() {
        clock += SECOND;
        compiled += compiling;
        return ++measured;
    }

    private List<Slice<Integer>> measure(int count, Double... values) {
        probes.addAll(List.of(values));
        return run.measure(count, this::slice);
    }

    @Test
    void probesTagTheirSlice() {
        assertThat(Tag.of(105, 125)).isEqualTo(Tag.NEAR);
        assertThat(Tag.of(460, 420)).isEqualTo(Tag.FAR);
        assertThat(Tag.of(105, 460)).isEqualTo(Tag.VOID);
        assertThat(Tag.of(460, 105)).isEqualTo(Tag.VOID);
        assertThat(Tag.of(250, 250)).isEqualTo(Tag.VOID);
        assertThat(Tag.of(200, 105)).isEqualTo(Tag.VOID);
        assertThat(Tag.of(350, 351)).isEqualTo(Tag.VOID);
        assertThat(Tag.of(0, 0)).isEqualTo(Tag.UNPINNED);
    }

    @Test
    void aProbeStandsBetweenTwoSlices() {
        List<Slice<Integer>> slices = measure(2, 100.0, 104.0, 110.0);
        assertThat(slices)
                .containsExactly(new Slice<>(Tag.NEAR, 100, 104, 0, 1), new Slice<>(Tag.NEAR, 104, 110, 0, 2));
        assertThat(slices.get(1).line()).isEqualTo(107);
        assertThat(probes).isEmpty();
    }

    @Test
    void aVoidSliceIsRepeated() {
        assertThat(measure(2, 100.0, 460.0, 455.0, 460.0))
                .extracting(Slice::tag)
                .containsExactly(Tag.VOID, Tag.FAR, Tag.FAR);
    }

    @Test
    void aProbeThatMetTheMoveIsTakenAgain() {
        assertThat(measure(1, 100.0, 270.0, 460.0, 461.0))
                .containsExactly(new Slice<>(Tag.VOID, 100, 270, 0, 1), new Slice<>(Tag.FAR, 460, 461, 0, 2));
    }

    @Test
    void repetitionIsBounded() {
        List<Slice<Integer>> slices = measure(2, 250.0);
        assertThat(slices)
                .hasSize(2 + SlicedRun.MAX_REPEATS)
                .allSatisfy(slice -> assertThat(slice.tag()).isEqualTo(Tag.VOID));
        assertThat(slices.get(0).whyVoid()).isEqualTo("a line took 250 ns before it and 250 ns after it");
    }

    @Test
    void whatIsReportedIsNeverMoreThanWasAsked() {
        assertThat(SlicedRun.reported(measure(1, 250.0), 1))
                .extracting(Slice::result)
                .containsExactly(1 + SlicedRun.MAX_REPEATS);
        measured = 0;
        assertThat(SlicedRun.reported(measure(2, 100.0, 460.0, 455.0, 460.0), 2))
                .extracting(Slice::result)
                .containsExactly(2, 3);
    }

    @Test
    void aSliceWhoseCompilersRunIsVoid() {
        compiling = SECOND / 10;
        List<Slice<Integer>> slices = measure(1, 100.0);
        assertThat(slices).hasSize(1 + SlicedRun.MAX_REPEATS);
        assertThat(slices.get(0)).isEqualTo(new Slice<>(Tag.VOID, 100, 100, 0.1, 1));
        assertThat(slices.get(0).whyVoid()).isEqualTo("compilers ran for 10 % of the time");
        compiling = SECOND / 25;
        assertThat(measure(1, 100.0)).extracting(Slice::tag).containsExactly(Tag.NEAR);
    }

    @Test
    void whatIsNotPinnedCounts() {
        assertThat(measure(2, 0.0)).extracting(Slice::tag).containsExactly(Tag.UNPINNED, Tag.UNPINNED);
    }

    private List<Long> warmUp(long least, long... compilers) {
        List<Long> steps = new ArrayList<>();
        run.warmUp(least, nanos -> {
            steps.add(nanos);
            clock += nanos;
            compiled += compilers[Math.min(steps.size(), compilers.length) - 1];
        });
        return steps;
    }

    @Test
    void itWarmsUpUntilTheCompilersRest() {
        long step = SECOND / 2;
        assertThat(warmUp(SECOND, 0)).containsExactly(step, step);
        assertThat(warmUp(SECOND, step, step, step, step / 10, step / 50)).hasSize(5);
    }

    @Test
    void warmingUpIsBounded() {
        assertThat(warmUp(SECOND, SECOND)).hasSize(2 * SlicedRun.MAX_WARM_UP);
        assertThat(warmUp(0, SECOND)).isEmpty();
    }
}
