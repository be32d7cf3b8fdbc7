package io.verbena.papers.drum;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.figures.Claim;
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

/** RAW, SHARE and DRUM on the same NIC: which claims hold, where fewer connections and times are run. */
@Tag("computed") // the same on every JDK
@Timeout(600)
class DrumSharingFiguresTest {
    private static List<String> holding(PaperFigure figure) {
        return figure.run(1, Size.QUICK).claims().stream()
                .filter(Claim::holds)
                .map(Claim::id)
                .toList();
    }

    @Test
    void ratesProtectOneFromBatchesOfAnother() {
        assertThat(holding(new Figure8())).containsExactly("8.one.most", "8.one.flat", "8.spread.most");
    }

    @Test
    void sharedQueuePairsSpareContexts() {
        assertThat(holding(new Figure10())).containsExactly("10.one.few", "10.one.grows", "10.four.grows");
    }

    @Test
    void flowsAreStableBesideManyConnections() {
        assertThat(holding(new Figure9())).containsExactly("9.stable", "9.shift", "9.raw");
    }

    @Test
    void flowsOfSmallRequestsWaitForTheScheduler() {
        assertThat(holding(new Figure11())).containsExactly("11.raw", "11.few");
    }

    @Test
    void lengthDecidesWhetherContextsAreShort() {
        assertThat(holding(new Figure12())).containsExactly("12.small", "12.medium");
    }

    @Test
    void sharedQueuePairsSpareTheServersContexts() {
        assertThat(holding(new Figure13())).containsExactly("13.share", "14.share", "14.spread", "13.raw");
    }

    @Test
    void soTheyDoForGetsAndPuts() {
        assertThat(holding(StoreFigure.figure15(false)))
                .containsExactly(
                        "15.5put.rate",
                        "15.5put.share",
                        "15.50put.rate",
                        "15.50put.share",
                        "15.100put.rate",
                        "15.100put.share");
    }

    @Test
    void lessSoWhereTheServerAnswers() {
        assertThat(holding(StoreFigure.figure15(true)))
                .containsExactly(
                        "15-two-sided.5put.raw",
                        "15-two-sided.5put.share",
                        "15-two-sided.5put.less",
                        "15-two-sided.50put.raw",
                        "15-two-sided.50put.share",
                        "15-two-sided.50put.less",
                        "15-two-sided.100put.raw",
                        "15-two-sided.100put.share",
                        "15-two-sided.100put.less");
    }

    @Test
    void aPingDoesNotWaitForValuesWhereTheServerAnswers() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        List<PaperFigure> figures = List.of(StoreFigure.figure16(true));
        List<String> immune =
                new MutationRun(figures, 1, Size.QUICK).run(new PrintStream(text, true, StandardCharsets.UTF_8));
        assertThat(immune).isEmpty();
        assertThat(text.toString(StandardCharsets.UTF_8))
                .contains("2 of 2 claims", "16-two-sided.ping.time", "16-two-sided.ping.rate");
    }
}
