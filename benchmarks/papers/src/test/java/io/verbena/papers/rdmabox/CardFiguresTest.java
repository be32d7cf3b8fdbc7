package io.verbena.papers.rdmabox;

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

/** The simulated figures say the same for the same seed, and their claims turn where what they are about is broken. */
@Tag("computed") // the same on every JDK
@Timeout(600)
class CardFiguresTest {
    private static List<String> holding(PaperFigure figure) {
        FigureReport report = figure.run(1, Size.QUICK);
        return report.claims().stream().filter(Claim::holds).map(Claim::id).toList();
    }

    private static void turns(PaperFigure figure) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> immune =
                new MutationRun(List.of(figure), 1, Size.QUICK).run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void smallRequestsWithoutALockOverwhelmTheCard() {
        assertThat(holding(new Figure1()))
                .containsExactly(
                        "1.blocks.rises",
                        "1.pages.rises",
                        "1.small.free.peak",
                        "1.small.free.rises",
                        "1.small.random.rises");
        turns(new Figure1());
    }

    @Test
    void whoLooksLongEnoughIsNotWoken() {
        assertThat(holding(new Figure2()))
                .containsExactly(
                        "2.small.time.rate",
                        "2.small.time.wakes",
                        "2.medium.hybrid",
                        "2.medium.batch",
                        "2.medium.time.wakes",
                        "2.large.time.wakes");
        turns(new Figure2());
    }

    @Test
    void busyPollersTakeTheCoresOfTheApplication() {
        assertThat(holding(new Figure9())).contains("9.busy.many", "9.shared.more");
    }

    @Test
    void aWindowKeepsManyThreadsFromOverwhelmingTheCard() {
        assertThat(holding(new Figure8()))
                .containsExactly(
                        "8.small.drawn.peak",
                        "8.small.drawn.many",
                        "8.small.drawn.flat",
                        "8.small.streams.peak",
                        "8.small.streams.twice",
                        "8.small.streams.flat");
        turns(new Figure8());
    }

    @Test
    void whoRegistersAndWakesThePeerIsSlower() {
        assertThat(holding(new Figure12()))
                .containsExactly(
                        "12.write.accelio.least",
                        "12.write.accelio.most",
                        "12.write.verbs.most",
                        "12.write.gluster.least",
                        "12.write.gluster.most",
                        "12.read.accelio.least",
                        "12.read.accelio.most",
                        "12.read.verbs.most",
                        "12.read.gluster.least",
                        "12.read.gluster.most");
        turns(new Figure12());
    }

    @Test
    void whoComputesLeastGainsMost() {
        assertThat(holding(new Figure11()))
                .containsExactly(
                        "11.logreg.accelio",
                        "11.logreg.verbs",
                        "11.textrank.accelio",
                        "11.textrank.verbs",
                        "11.order.accelio",
                        "11.order.verbs");
        turns(new Figure11());
    }

    @Test
    void theGapGrowsWithWhatIsNotResident() {
        assertThat(holding(new Figure10()))
                .containsExactly(
                        "10.etc.accelio",
                        "10.etc.accelio.grows",
                        "10.etc.verbs",
                        "10.sys.accelio",
                        "10.sys.accelio.grows",
                        "10.sys.verbs");
        turns(new Figure10());
    }

    @Test
    void aRunIsAFunctionOfTheSeed() {
        FigureReport report = new Figure2().run(1, Size.QUICK);
        FigureReport again = new Figure2().run(1, Size.QUICK);
        assertThat(again.tables()).isEqualTo(report.tables());
        assertThat(again.claims()).isEqualTo(report.claims());
    }
}
