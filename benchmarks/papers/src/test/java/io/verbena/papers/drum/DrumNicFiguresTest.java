package io.verbena.papers.drum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.MutationRun;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.papers.figures.Samples;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Figure 2 says the same for the same seed, and its claims turn where what they are about is broken. */
@Tag("computed") // the same on every JDK
@Timeout(180)
class DrumNicFiguresTest {
    private static List<String> holding(PaperFigure figure) {
        FigureReport report = figure.run(1, Size.QUICK);
        return report.claims().stream().filter(Claim::holds).map(Claim::id).toList();
    }

    @Test
    void batchesOfOneConnectionLeaveTheOthersAlone() {
        assertThat(holding(new Figure2a())).containsExactly("2a.spread");
    }

    @Test
    void requestsFollowPollsAndBatches() {
        assertThat(holding(new Figure2b())).containsExactly("2b.monotone", "2b.slope.5", "2b.slope.10");
    }

    @Test
    void connectionsBeyondTheContextsCost() {
        FigureReport report = new Figure2c().run(1, Size.QUICK);
        Map<String, Double> ours = report.claims().stream().collect(Collectors.toMap(Claim::id, Claim::ours));
        assertThat(ours).containsEntry("2c.knee.rc", 20.0).containsEntry("2c.knee.uc", 20.0);
        assertThat(report.claims()).allMatch(Claim::holds);
        FigureReport again = new Figure2c().run(1, Size.QUICK);
        assertThat(again.tables()).isEqualTo(report.tables());
        assertThat(again.claims()).isEqualTo(report.claims());
    }

    @Test
    void claimsTurn() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> immune = new MutationRun(List.of(new Figure2a(), new Figure2b(), new Figure2c()), 1, Size.QUICK)
                .run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void percentilesAreOfTheNearestRank() {
        Samples samples = new Samples();
        for (int i = 10; i > 0; i--) {
            samples.add(1_000L * i);
        }
        assertThat(samples.micros(80)).isEqualTo(8);
        assertThat(samples.micros(99)).isEqualTo(10);
        assertThat(samples.variation()).isCloseTo(Math.sqrt(8.25) / 5.5, within(1e-12));
        samples.clear();
        assertThatThrownBy(() -> samples.micros(80)).isInstanceOf(IllegalStateException.class);
    }
}
