package io.verbena.papers.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.bench.cores.Cores;
import io.verbena.nic.sim.SimLock;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.MutationRun;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.papers.figures.Verdict;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the model says, against what is computed for it. */
@Timeout(300)
class ModelFiguresTest {
    @Test
    @Tag("computed") // the same on every JDK
    void eachPapersFigureNeedsACardOfItsOwn() {
        FigureReport report = new CardFigure().run(1, Size.QUICK);
        Map<String, Claim> claims = report.claims().stream().collect(Collectors.toMap(Claim::id, each -> each));
        assertThat(claims).hasSize(7);
        assertThat(claims.get("avatar.messages").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(claims.get("avatar.bursts").verdict()).isEqualTo(Verdict.HOLDS_NOT);
        assertThat(claims.get("avatar.packets").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(claims.get("avatar.knee").verdict()).isEqualTo(Verdict.HOLDS_NOT);
        assertThat(claims.get("palos.packets").verdict()).isEqualTo(Verdict.HOLDS_WITH_REASON);
        assertThat(claims.get("palos.bursts").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(claims.get("palos.messages").verdict()).isEqualTo(Verdict.HOLDS);
    }

    @Test
    @Tag("computed")
    void aCardThatTakesOtherTurnsTurnsTheClaims() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> immune = new MutationRun(List.of(new CardFigure()), 1, Size.QUICK)
                .run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(ModelFigures.figures())
                .allSatisfy(each -> assertThat(each.mutations().isEmpty()).isNotEqualTo(each.isRepeatable()));
    }

    @Test
    void whatThreadsTakeIsTheSumOfItsParts() {
        Predictions model = new Predictions(65);
        // Two lines a way, and up to a look.
        assertThat(model.spinning()).isBetween(260.0, 291.0);
        // A call, a core that wakes, a switch; on one core two calls and a switch.
        assertThat(model.sleeping(2, 0)).isCloseTo(2 * (300 + 4_500 + 350), within(30.0));
        assertThat(model.sleeping(1, 0)).isCloseTo(2 * (300 + 300 + 350), within(5.0));
        assertThat(model.sleeping(2, 1)).isCloseTo(2 * (300 + 4_500 + 350 + 300), within(30.0));
        assertThat(model.locked(1, SimLock.Kind.SPIN, 3, 100)).isCloseTo(100, within(0.1));
        assertThat(model.locked(2, SimLock.Kind.SPIN, 3, 100)).isCloseTo(100 + 5 * 65, within(1.0));
    }

    @Test
    void theMachineIsMeasuredWhenItIsNamed() {
        assertThat(ModelFigures.figures().stream().filter(each -> !each.isRepeatable()))
                .extracting(PaperFigure::id)
                .containsExactly("machine");
        assumeTrue(Cores.pinnable().size() >= 2, "threads cannot be pinned");
        FigureReport report = new MachineFigure().run(1, Size.QUICK);
        if (report.tables().isEmpty()) {
            assertThat(report.claims()).isEmpty();
            assertThat(report.notes()).singleElement().asString().startsWith("Void: a cache line took");
        } else {
            assertThat(report.claims())
                    .hasSize(7)
                    .allSatisfy(each -> assertThat(each.ours()).isFinite().isGreaterThan(-100));
            assertThat(report.tables().get(0).rows()).hasSize(12);
        }
    }
}
