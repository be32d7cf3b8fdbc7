package io.verbena.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.path.PathKind;
import io.verbena.bench.trial.Measure;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final Globs ALL = new Globs(List.of());

    @Test
    void everyRowNamesPathsThatExistAndHasAReference() {
        for (ComparisonRow row : ComparisonPlan.rows()) {
            assertThat(row.references()).as(row.id()).isNotEmpty();
            for (Contestant each : row.contestants()) {
                if (each.setting().measure() == Measure.IDLE) {
                    continue;
                }
                PathKind kind = PathKind.of(each.setting().path());
                assertThat(each.setting().threads() || kind.isBetweenProcesses())
                        .as(row.id() + " " + each.label())
                        .isTrue();
                assertThat(each.setting().queuePairs()).isLessThanOrEqualTo(kind.maxQueuePairs());
                for (FigureTarget target : each.targets()) {
                    assertThat(row.figures()).as(row.id()).contains(target.figure());
                }
            }
        }
        assertThat(ComparisonPlan.rows())
                .extracting(ComparisonRow::id)
                .doesNotHaveDuplicates()
                .contains("rtt-32-shm", "call-1k-tcp");
    }

    @Test
    void patternsPickRowsAndPeers() {
        assertThat(ComparisonPlan.select(ComparisonPlan.rows(), new Globs(List.of("rtt-*-shm")), ALL))
                .extracting(ComparisonRow::id)
                .containsExactly("rtt-32-shm", "rtt-1k-shm");
        List<ComparisonRow> netty =
                ComparisonPlan.select(ComparisonPlan.rows(), ALL, new Globs(List.of("netty-uds", "netty-framed-*")));
        assertThat(netty)
                .extracting(ComparisonRow::id)
                .containsExactly("rtt-32-uds", "echo-32-tcp", "write-1m-uds", "echo-32-tls");
        assertThat(netty.get(0).references()).extracting(Contestant::label).containsExactly("netty-uds");
        assertThat(netty.get(0).subjects()).hasSize(2);
        List<ComparisonRow> shared = ComparisonPlan.select(ComparisonPlan.rows(), new Globs(List.of("srq-*")), ALL);
        assertThat(shared)
                .extracting(ComparisonRow::id)
                .contains("srq-rtt-231", "srq-rate-16k")
                .hasSize(8);
    }

    @Test
    void aFewRowsAreForThoseInAHurry() {
        assertThat(ComparisonPlan.brief(ComparisonPlan.rows()))
                .extracting(ComparisonRow::id)
                .containsExactly(
                        "rtt-32-shm", "rate-32-shm", "bytes-64k-shm", "rtt-32-tcp", "call-1k-tcp", "idle-node");
        assertThat(ComparisonPlan.rows()).allSatisfy(row -> {
            assertThat(row.againstFirst().references())
                    .containsExactly(row.references().get(0));
            assertThat(row.againstFirst().subjects()).isEqualTo(row.subjects());
        });
    }

    @Test
    void aPatternThatPicksNothingIsNamed() {
        assertThatThrownBy(() -> ComparisonPlan.select(ComparisonPlan.rows(), new Globs(List.of("rtt-*", "rat")), ALL))
                .hasMessageStartingWith("no row matches 'rat'; there are rtt-32-local ");
        assertThatThrownBy(() -> ComparisonPlan.select(ComparisonPlan.rows(), ALL, new Globs(List.of("aeron"))))
                .hasMessageStartingWith("no peer matches 'aeron'; there are aeron-ipc ");
    }
}
