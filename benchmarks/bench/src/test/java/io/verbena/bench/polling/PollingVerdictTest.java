package io.verbena.bench.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.bench.polling.PollingCell.Figures;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class PollingVerdictTest {
    private static PollingCell cell(SchemeName scheme, String load, double p50, double cpu) {
        return new PollingCell(scheme, load, 0, Optional.empty(), new Figures(1, 1, p50, 2 * p50, cpu, 0));
    }

    private final PollingVerdict verdict = new PollingVerdict(List.of(
            cell(SchemeName.KVM, "few", 40, 10),
            cell(SchemeName.EVENT, "few", 10, 10.5),
            PollingCell.ofVoid(SchemeName.BUSY, "few", 0, "void"),
            cell(SchemeName.KVM, "many", 10, 30),
            cell(SchemeName.EVENT, "many", 40, 10)));

    @Test
    void schemesAreComparedWithTheBestOfEachRow() {
        assertThat(verdict.mean(SchemeName.KVM, Figures::p50)).isCloseTo(2, within(1e-9)); // of 4 and 1
        assertThat(verdict.mean(SchemeName.EVENT, Figures::p50)).isCloseTo(2, within(1e-9)); // of 1 and 4
        assertThat(verdict.mean(SchemeName.KVM, Figures::cpuNanos)).isCloseTo(Math.sqrt(3), within(1e-9));
        assertThat(verdict.mean(SchemeName.BUSY, Figures::p50)).isNaN();
    }

    @Test
    void theDefaultIsJudgedRowByRow() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        verdict.print(new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains(
                        "0 busy, few: default's round trip 4.00 of the best (event), beyond 1.10; default's CPU 1.00",
                        "0 busy, many: default's round trip 1.00 of the best (kvm); default's CPU 3.00 of the best")
                .containsPattern("\\| kvm +\\| 2\\.00 +\\| 2\\.00 +\\| 1\\.73 +\\| 2 +\\| 1 +\\| 1 +\\| 0 +\\|")
                .containsPattern("\\| event +\\| 2\\.00 +\\| 2\\.00 +\\| 1\\.02 +\\| 2 +\\| 1 +\\| 2 +\\| 1 +\\|")
                .doesNotContain("| busy");
    }
}
