package io.verbena.papers.rdmabox;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.PaperFigure.Size;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies against registrations: what is measured, and where they cross. */
@Timeout(180)
class Figure5Test {
    @Test
    void bothAreMeasuredAtEachLength() {
        FigureReport report = new Figure5().run(1, Size.QUICK);

        assertThat(report.claims()).extracting(Claim::id).containsExactly("5.crossover", "5.crossover.paper", "5.rate");
        assertThat(report.tables()).extracting(table -> table.rows().size()).containsExactly(13, 5);
        DataTable costs = report.tables().get(0);
        assertThat(costs.rows())
                .allSatisfy(row -> assertThat(Double.parseDouble(row.get(2).replace(",", "")))
                        .isPositive());
        assertThat(report.plots()).hasSize(1);
    }

    @Test
    void theyCrossWhereCopiesAreDearerFromThereOn() {
        List<Double> lengths = List.of(1.0, 2.0, 4.0, 8.0);
        List<Double> fixed = List.of(5.0, 5.0, 5.0, 5.0);
        assertThat(Figure5.crossover(lengths, List.of(1.0, 6.0, 4.0, 8.0), fixed))
                .isEqualTo(8.0);
        assertThat(Figure5.crossover(lengths, List.of(6.0, 6.0, 6.0, 8.0), fixed))
                .isEqualTo(1.0);
        assertThat(Figure5.crossover(lengths, List.of(1.0, 1.0, 1.0, 1.0), fixed))
                .isInfinite();
    }
}
