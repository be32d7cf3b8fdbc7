package io.verbena.bench.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.bench.polling.PollingRun.Load;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class PollingRunTest {
    @Test
    void schemesThatNeverSleepAreVoidWhereThereAreTooFewCores() {
        assertThat(SchemeName.BUSY.whyVoid(0, 2)).hasValue("void: 3 threads that never sleep, 2 cores");
        assertThat(SchemeName.SHARED_CQ.whyVoid(2, 4)).hasValue("void: 5 threads that never sleep, 4 cores");
        assertThat(SchemeName.BUSY.whyVoid(1, 4)).isEmpty();
        assertThat(SchemeName.EVENT.whyVoid(9, 1)).isEmpty();
    }

    @Test
    void readsWhatLinuxCounts() {
        assertThat(ProcessUsage.cpuNanos("914946394 3608310194 1488\n")).isEqualTo(914_946_394L);
        assertThat(ProcessUsage.sleeps("Name:\tjava\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t3\n"))
                .isEqualTo(150);
    }

    /** A cell between two processes: what was sent came back, and cost something. */
    @Test
    void measuresACell() {
        assumeThat(Files.isReadable(Path.of("/proc/self/schedstat"))).isTrue();
        List<PollingCell> cells = new ArrayList<>();
        new PollingRun("tcp://127.0.0.1:0", List.of(new Load("1 k/s", 1_000)), List.of(0), 0.3, 0.2)
                .measure(SchemeName.HYBRID, cells::add);
        assertThat(cells).hasSize(1);
        PollingCell.Figures figures = cells.get(0).figures();
        assertThat(cells.get(0).whyVoid()).isEmpty();
        assertThat(figures.messages()).isPositive();
        assertThat(figures.p99()).isGreaterThanOrEqualTo(figures.p50());
        assertThat(figures.p50()).isPositive();
        assertThat(figures.cpuNanos()).isPositive();
        assertThat(figures.wakeUps()).isPositive();
    }
}
