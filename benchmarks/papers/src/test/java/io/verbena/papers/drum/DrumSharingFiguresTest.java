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

/** RAW, SHARE and DRUM on the same NIC: which claims hold is the same each time, and turns where DRUM is broken. */
@Tag("computed") // the same on every JDK
@Timeout(600)
class DrumSharingFiguresTest {
    private static void holds(PaperFigure figure, String... ids) {
        List<String> holding = figure.run(1, Size.QUICK).claims().stream()
                .filter(Claim::holds)
                .map(Claim::id)
                .toList();
        assertThat(holding).containsExactly(ids);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> immune =
                new MutationRun(List.of(figure), 1, Size.QUICK).run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void ratesProtectOneFromBatchesOfAnother() {
        holds(new Figure8(), "8.one.most", "8.one.flat", "8.spread.most");
    }

    @Test
    void sharedQueuePairsSpareContexts() {
        holds(new Figure10(), "10.one.few", "10.one.grows", "10.four.raw", "10.four.grows");
    }
}
