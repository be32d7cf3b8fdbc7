package io.verbena.papers.drum;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperFigure.Size;
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
}
