package io.verbena.papers.drum;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.PaperFigure.Size;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is said of times that are of the machine. */
@Timeout(180)
class AgentFigureTest {
    private static List<String> holding(double... parts) {
        FigureReport report = new FigureReport("17", "parts of a core");
        AgentFigure.judge(report, parts);
        return report.claims().stream().filter(Claim::holds).map(Claim::id).toList();
    }

    @Test
    void eachClaimCanFail() {
        assertThat(holding(0.01, 0.018, 0.024, 0.028, 0.03)).containsExactly("17.most", "17.solver", "17.concave");
        assertThat(holding(0.01, 0.015, 0.02, 0.03, 0.04)).containsExactly("17.most", "17.solver");
        assertThat(holding(0.1, 0.15, 0.2, 0.22, 0.25)).containsExactly("17.most", "17.concave");
        assertThat(holding(0.1, 0.15, 0.2, 0.25, 0.31)).isEmpty();
    }

    /** Every epoch solves, or it throws. */
    @Test
    void measuresTheAgent() {
        FigureReport report = new AgentFigure().run(1, Size.QUICK);
        assertThat(report.claims())
                .hasSize(3)
                .allSatisfy(claim -> assertThat(claim.ours()).isFinite());
        assertThat(report.claims().get(0).ours()).isPositive();
    }
}
