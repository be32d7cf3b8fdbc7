package io.verbena.papers.avatar;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.MutationRun;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperFigure.Size;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which claims hold, that they turn where what they are about is broken, and that a seed gives one result. */
@Tag("computed") // the same on every JDK
@Timeout(300)
class AvatarFiguresTest {
    private static List<String> holding(PaperFigure figure) {
        FigureReport report = figure.run(1, Size.QUICK);
        return report.claims().stream().filter(Claim::holds).map(Claim::id).toList();
    }

    @Test
    void threadsBehindALockLose() {
        assertThat(holding(new Figure1())).containsExactly("1.spin.3", "1.spin.9", "1.mutex.9");
    }

    @Test
    void aMessageWaitsForTheOthers() {
        assertThat(holding(new Figure2())).containsExactly("2.own", "2.knee", "2.mux", "2.printed");
    }

    @Test
    void whoPostsMoreHoldsUpWhoSharesItsOrder() {
        assertThat(holding(new Figure3a())).containsExactly("3a.spin", "3a.mux", "3a.printed");
    }

    @Test
    void theStrictClassWaitsForWhatHasBegun() {
        assertThat(holding(new Figure3b())).containsExactly("3b.own", "3b.mux", "3b.printed");
    }

    @Test
    void connectionsThatShareKeepTheRate() {
        assertThat(holding(new Figure5a())).containsExactly("5a.mux", "5a.printed", "5a.own");
    }

    @Test
    void blocksThatAreSentWholeHoldUpOthers() {
        assertThat(holding(new Figure6()))
                .containsExactly(
                        "6.fair.same",
                        "6.round_robin.same",
                        "6.round_robin.strict",
                        "6.mux.same",
                        "6.mux.strict",
                        "6.round_robin.tail");
    }

    @Test
    void segmentsGainOverRequestsOneAfterTheOther() {
        assertThat(holding(CircleFigure.figure7())).containsExactly("7.printed.single", "7.mux.single");
        assertThat(holding(CircleFigure.figure8())).containsExactly("8.printed.single", "8.mux.single");
    }

    @Test
    void turnsBySegmentsAreFairToShortRequests() {
        assertThat(holding(new Figure9()))
                .containsExactly(
                        "9.round_robin.4.same",
                        "9.mux.4.same",
                        "9.mux.4.strict",
                        "9.round_robin.8.same",
                        "9.mux.8.same",
                        "9.round_robin.8.strict",
                        "9.mux.8.strict");
    }

    @Test
    void aWorkerAddsToTheLatency() {
        assertThat(holding(new Figure10a())).containsExactly("10a.printed.small", "10a.mux.small");
    }

    @Test
    void epollTakesTimeInTheKernel() {
        assertThat(holding(new Figure10b()))
                .containsExactly("10c.printed.user", "10c.printed.kernel", "10c.mux.kernel");
    }

    @Test
    void threadsThatShareKeepTheRate() {
        FigureReport report = new Figure5b().run(1, Size.QUICK);
        assertThat(report.claims().stream().filter(Claim::holds).map(Claim::id))
                .containsExactly("5b.mux.4096.loss", "5b.mux.64.loss", "5b.mux.64.gain", "5b.round_robin.64.gain");
        FigureReport again = new Figure5b().run(1, Size.QUICK);
        assertThat(again.tables()).isEqualTo(report.tables());
        assertThat(again.claims()).isEqualTo(report.claims());
    }

    static List<String> figures() {
        return AvatarFigures.figures().stream().map(PaperFigure::id).toList();
    }

    @ParameterizedTest
    @MethodSource("figures")
    void claimsTurn(String id) {
        List<PaperFigure> figure = AvatarFigures.figures().stream()
                .filter(each -> each.id().equals(id))
                .toList();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> immune =
                new MutationRun(figure, 1, Size.QUICK).run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
