package io.verbena.papers.rdmabox;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.PaperFigure.Size;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that page, by each way to batch. */
@Timeout(180)
class BatchingFigureTest {
    @Test
    void eachWayPagesAndIsComparedWithSingleRequests() {
        FigureReport report = new BatchingFigure().run(1, Size.QUICK);

        assertThat(report.claims()).hasSize(34);
        assertThat(report.claims())
                .filteredOn(
                        claim -> claim.id().endsWith(".chained") || claim.id().equals("7.lone.alone"))
                .hasSize(5)
                .allSatisfy(claim -> assertThat(claim.ours()).as(claim.id()).isEqualTo(1))
                .allMatch(Claim::holds);
        assertThat(report.claims()) // the paper's reduction has two bounds
                .filteredOn(claim -> claim.id().endsWith(".requests"))
                .hasSize(4)
                .allSatisfy(claim -> assertThat(claim.holds())
                        .as(claim.id())
                        .isEqualTo(claim.ours() >= 0.83 && claim.ours() <= 0.9));
        DataTable table = report.tables().get(0);
        assertThat(table.rows()).hasSize(16);
        int requests = table.heads().indexOf("work requests a request");
        int doorbells = table.heads().indexOf("doorbells a request");
        for (List<String> row : table.rows()) {
            double each = Double.parseDouble(row.get(requests));
            double rung = Double.parseDouble(row.get(doorbells));
            switch (row.get(2)) {
                case "single" -> assertThat(List.of(each, rung)).containsExactly(1.0, 1.0);
                case "doorbell" -> assertThat(each).isEqualTo(1);
                case "merge" -> assertThat(rung).isEqualTo(each).isLessThanOrEqualTo(1);
                default -> assertThat(rung).isLessThanOrEqualTo(each).isLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void popularPagesAreMissingMoreOften() {
        PageChoice choice = new PageChoice(100, 3);
        int[] times = new int[100];
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 100_000; i++) {
            int page = choice.next(random);
            assertThat(page % PagingThread.CLUSTER).isZero();
            times[page / PagingThread.CLUSTER]++;
        }
        Arrays.sort(times);
        assertThat(times[0]).isPositive();
        assertThat(times[99] / 100_000.0).isBetween(0.17, 0.21); // 1 of 5.24
    }
}
