package io.verbena.papers.drum;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.MutationRun;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.papers.figures.Verdict;
import io.verbena.rate.AdmmSettings;
import io.verbena.rate.Allocation;
import io.verbena.rate.Delivery;
import io.verbena.rate.ExactHost;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The figures say what the solvers' own tests say, and the same for the same seed. */
@Tag("computed") // the same on every JDK
@Timeout(180)
class DrumFiguresTest {
    private static Map<String, Claim> claims(FigureReport report) {
        return report.claims().stream().collect(Collectors.toMap(Claim::id, Function.identity()));
    }

    @Test
    void oursConvergesAndWhatIsPrintedDoesNot() {
        FigureReport report = ConvergenceFigure.figure4().run(1, Size.QUICK);
        Map<String, Claim> claims = claims(report);
        for (String id : List.of("4.rounds.one", "4.accepted.one", "4.residual.one", "4.dual")) {
            assertThat(claims.get(id).verdict()).as("%s", claims.get(id)).isEqualTo(Verdict.HOLDS);
        }
        for (String id : List.of("4.printed", "4.scalar", "4.averages", "4.dual.step")) {
            assertThat(claims.get(id).verdict()).as("%s", claims.get(id)).isEqualTo(Verdict.HOLDS_NOT);
        }
        assertThat(claims.get("4.rounds.two").ours()).isBetween(5.0, 30.0);
        FigureReport again = ConvergenceFigure.figure4().run(1, Size.QUICK);
        assertThat(again.tables()).isEqualTo(report.tables());
        assertThat(again.claims()).isEqualTo(report.claims());
    }

    @Test
    void figuresTurnWhereASolverIsBrokenOrMessagesAreLost() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> immune = new MutationRun(List.of(ConvergenceFigure.figure4(), new LossFigure()), 1, Size.QUICK)
                .run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(DrumFigures.figures())
                .allSatisfy(each -> assertThat(each.mutations().isEmpty()).isNotEqualTo(each.isRepeatable()));
    }

    @Test
    void theLargestSizeIsSolvedExactlyByHost() {
        RandomHosts hosts = new RandomHosts(1, 10_000, 5_000, 1, 0.01);
        Allocation answer = new Allocation();
        new ExactHost().solve(hosts.host(9_999), answer);
        assertThat(answer.applications()).isEqualTo(5_000);
        assertThat(answer.gap()).isLessThan(1e-9);
        assertThat(answer.residual()).isLessThan(1e-9);
    }

    @Test
    void aHostIsAFunctionOfSeedAndNumber() {
        RandomHosts hosts = new RandomHosts(3, 4, 10, 2, 0.1);
        Allocation first = new Allocation();
        Allocation second = new Allocation();
        new ExactHost().solve(hosts.host(2), first);
        new ExactHost().solve(hosts.host(2), second);
        assertThat(second.objective()).isEqualTo(first.objective());
        new ExactHost().solve(hosts.host(3), second);
        assertThat(second.objective()).isNotEqualTo(first.objective());
    }

    @Test
    void roundsCountFromWhereTheGapStaysNear() {
        List<Double> residuals = List.of(3.0, 2.0, 1.0, 0.0);
        assertThat(new Trajectory(List.of(0.1, 0.004, 0.006, 0.001), residuals).rounds())
                .isEqualTo(4);
        assertThat(new Trajectory(List.of(0.004, 0.004, 0.003, 0.001), residuals).rounds())
                .isEqualTo(1);
        Trajectory never = new Trajectory(List.of(0.1, 0.1, 0.1, 0.1), residuals);
        assertThat(never.isNear()).isFalse();
        assertThat(never.roundsText()).isEqualTo("not in 4");
        Trajectory diverged = new Trajectory(List.of(0.1, Double.NaN, Double.NaN, Double.NaN), residuals);
        assertThat(diverged.isNear()).isFalse();
    }

    @Test
    void loss() {
        RandomHosts hosts = new RandomHosts(1, 20, 10, 1, 0.01);
        Trajectory whole = OneSided.run(hosts, AdmmSettings.ONE_SIDED, Delivery.ALL, 20);
        Trajectory lossy = OneSided.run(hosts, AdmmSettings.ONE_SIDED, Delivery.lossy(1, 0.1), 20);
        assertThat(lossy.gap(5)).isGreaterThan(whole.gap(5));
        assertThat(lossy.gap(20) - whole.gap(20)).isLessThan(1e-3);
    }
}
