package io.verbena.papers.etc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.Latency;
import io.verbena.papers.etc.SchemeReport.Kills;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class EtcFigureTest {
    private static SchemeReport scheme(String name, long torn, double rate, long p50, long shared, double back) {
        Latency latency = new Latency(1000, p50, 10 * p50, 20 * p50, 30 * p50);
        return new SchemeReport(
                name,
                name,
                1000,
                0,
                1000,
                0,
                0,
                torn,
                0,
                50_000,
                rate,
                latency,
                latency,
                0,
                shared,
                new Kills(0, 0, 0, true),
                List.of(new ResidentCurve.Stall(5, shared, 2 * shared, back)),
                List.of(new ResidentCurve.Sample(1, shared, shared), new ResidentCurve.Sample(2, shared, shared)));
    }

    private static Verdict verdict(FigureReport report, String id) {
        return report.claims().stream()
                .filter(each -> each.id().equals(id))
                .map(Claim::verdict)
                .findFirst()
                .orElseThrow();
    }

    private static FigureReport report(SchemeReport append) {
        return new EtcFigure().report(List.of(append, scheme("srq", 0, 50_000, 50_000, 64 << 20, 0)), 20, 5, 1);
    }

    @Test
    void whatIsAsThePaperSaysHolds() {
        FigureReport report = report(scheme("append", 0, 49_900, 52_000, 8 << 20, 0.3));
        for (Claim claim : report.claims()) {
            assertThat(claim.verdict()).as(claim.id()).isNotEqualTo(Verdict.HOLDS_NOT);
        }
        assertThat(report.tables().get(0).rows()).hasSize(2);
    }

    @Test
    void eachClaimCanFail() {
        FigureReport report = report(scheme("append", 1, 40_000, 90_000, 40 << 20, -1));
        for (Claim claim : report.claims()) {
            assertThat(claim.verdict()).as(claim.id()).isEqualTo(Verdict.HOLDS_NOT);
        }
    }

    @Test
    void memoryThatComesBackLateIsNoGivingBack() {
        assertThat(verdict(report(scheme("append", 0, 50_000, 50_000, 8 << 20, 6)), "real.returned"))
                .isEqualTo(Verdict.HOLDS_NOT);
    }
}
