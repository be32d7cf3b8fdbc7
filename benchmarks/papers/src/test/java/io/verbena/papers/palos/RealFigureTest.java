package io.verbena.papers.palos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.bench.Latency;
import io.verbena.bench.tenants.MeasuredTenant;
import io.verbena.bench.tenants.Ping;
import io.verbena.bench.tenants.TenantVerb;
import io.verbena.bench.tenants.TenantsResult;
import io.verbena.bench.tenants.TenantsSetting;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.papers.figures.Verdict;
import io.verbena.verification.fabric.FabricKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is measured for real, and how it is judged, with measurements that are made up. */
@Timeout(180)
class RealFigureTest {
    private static final int LARGE = 1 << 20;

    private final List<TenantsSetting> measured = new ArrayList<>();
    private double backlogged = 0.9;

    /** The first tenant's part of what it is entitled to. */
    private ToDoubleFunction<TenantsSetting> ours = setting -> 1;

    /** What the arbiter says of a share that arrives. */
    private DoubleUnaryOperator arbiters = arrived -> arrived;

    private ToDoubleFunction<TenantsSetting> packets = setting -> queuePairs(setting) > 17 ? 0.2 : 0.8;

    /** Nanoseconds of a ping, p50; p99 is three times as many. */
    private ToLongFunction<TenantsSetting> ping =
            setting -> (setting.tenants().isEmpty() ? 10_000L : 15_000L) * (isOurs(setting) ? 1 : 2);

    private static boolean isOurs(TenantsSetting setting) {
        return setting.discipline() == Discipline.CHUNKS;
    }

    private static int queuePairs(TenantsSetting setting) {
        return setting.tenants().stream().mapToInt(MeasuredTenant::queuePairs).sum();
    }

    private TenantsResult measure(TenantsSetting setting) {
        measured.add(setting);
        double weights =
                setting.tenants().stream().mapToInt(MeasuredTenant::weight).sum();
        List<TenantsResult.Figures> figures = new ArrayList<>();
        double first = 0;
        for (MeasuredTenant each : setting.tenants()) {
            double entitled = each.weight() / weights;
            boolean last = !figures.isEmpty();
            double share = last ? 1 - first : entitled * (isOurs(setting) ? ours : packets).applyAsDouble(setting);
            first = share;
            figures.add(new TenantsResult.Figures(
                    each.name(),
                    each.bytes(),
                    arbiters.applyAsDouble(share),
                    share,
                    entitled,
                    1e9 * share / each.bytes(),
                    1e9 * share,
                    backlogged,
                    List.of(1_000L, 2_000L)));
        }
        long nanos = ping.applyAsLong(setting);
        return new TenantsResult(
                1,
                backlogged,
                figures,
                setting.ping() == Ping.NONE ? Latency.NONE : new Latency(100, nanos, 3 * nanos, 4 * nanos, 5 * nanos));
    }

    private FigureReport run(Size size, FabricKind... fabrics) {
        return new RealFigure(List.of(fabrics), this::measure).run(1, size);
    }

    private static Claim claim(FigureReport report, String id) {
        return report.claims().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static void failsAlone(FigureReport report, String... ids) {
        assertThat(report.claims().stream()
                        .filter(each -> each.verdict() == Verdict.HOLDS_NOT)
                        .map(Claim::id))
                .containsExactlyInAnyOrder(ids);
    }

    @Test
    void exactSharesHoldOnEachFabric() {
        FigureReport report = run(Size.FULL, FabricKind.LOCAL, FabricKind.UDS, FabricKind.TCP);

        failsAlone(report);
        assertThat(report.claims()).hasSize(34);
        assertThat(claim(report, "real.7.uds").ours()).isCloseTo(100.0 / 17, within(1e-9));
        assertThat(claim(report, "real.9.tcp.rr").ours()).isEqualTo(0.25);
        assertThat(claim(report, "real.8.local").ours()).isEqualTo(1.5);
        assertThat(report.tables()).hasSize(4);
        assertThat(report.tables().get(0).rows()).hasSize(9);
        assertThat(report.tables().get(1).rows()).hasSize(18);
        assertThat(report.tables().get(2).rows()).hasSize(18);
        assertThat(report.tables().get(3).rows()).hasSize(12);
        assertThat(measured).hasSize(57);
    }

    @Test
    void bothKeepTheNicBusyWithWrites() {
        run(Size.QUICK, FabricKind.LOCAL, FabricKind.UDS);

        assertThat(measured).hasSizeLessThan(30).allSatisfy(setting -> {
            assertThat(setting.unit()).isEqualTo(ChargedUnit.BYTES);
            assertThat(setting.twoProcesses()).isEqualTo(setting.fabric() == FabricKind.UDS);
            assertThat(setting.tenants())
                    .allSatisfy(each -> assertThat(each.verb()).isEqualTo(TenantVerb.WRITE_IMMEDIATE));
        });
        MeasuredTenant small = measured.get(0).tenants().get(0);
        assertThat(List.of(small.weight(), small.queuePairs(), small.bytes())).containsExactly(16, 16, 64);
        MeasuredTenant large = measured.get(0).tenants().get(1);
        assertThat(List.of(large.weight(), large.queuePairs(), large.bytes())).containsExactly(1, 1, LARGE);
    }

    @Test
    void aSeventeenthThatIsFourPercentTooMuchDoesNotHold() {
        ours = setting -> queuePairs(setting) == 17
                        && setting.tenants().get(0).weight() == 16
                        && setting.tenants().get(0).bytes() == 1024
                ? 1 - 0.04 / 16
                : 1;

        FigureReport report = run(Size.FULL, FabricKind.LOCAL);

        failsAlone(report, "real.7.local");
        assertThat(claim(report, "real.7.local").ours()).isCloseTo(104 / 17.0, within(1e-9));
    }

    @Test
    void aGroupThatFeelsTheNumberOfFlowsIsNotIsolated() {
        ours = setting -> queuePairs(setting) == 24 ? 0.96 : 1;
        failsAlone(run(Size.FULL, FabricKind.UDS), "real.9.uds", "real.9.uds.half");

        ours = setting -> queuePairs(setting) >= 17 && setting.tenants().get(0).weight() == 1 ? 0.96 : 1;
        failsAlone(run(Size.FULL, FabricKind.UDS), "real.9.uds.half");
    }

    @Test
    void sharesThatDependOnSizesAreNotThoseOfEquationOne() {
        ours = setting -> queuePairs(setting) == 2 && setting.tenants().get(0).bytes() == LARGE ? 1.04 : 1;

        failsAlone(run(Size.FULL, FabricKind.TCP), "real.11.tcp", "real.11.tcp.swap");
    }

    @Test
    void latencyThatGrowsWithTheNumberOfFlowsDoesNotHold() {
        ping = setting -> switch (queuePairs(setting)) {
            case 0 -> 10_000;
            case 1 -> 15_000;
            default -> isOurs(setting) ? 40_000 : 39_000;
        };

        failsAlone(
                run(Size.FULL, FabricKind.LOCAL),
                "real.8.local",
                "real.8.local.p99",
                "real.8.local.flat",
                "real.8.local.rr");
    }

    /** Charged as it should be, and not what the peer has got. */
    @Test
    void theReceiverIsJudgedAndNotTheArbiter() {
        ours = setting -> setting.ping() == Ping.NONE && queuePairs(setting) == 2 ? 1.04 : 1;
        arbiters = arrived -> arrived / 1.04;
        FigureReport report = run(Size.QUICK, FabricKind.TCP);
        assertThat(claim(report, "real.11.tcp").verdict()).isEqualTo(Verdict.HOLDS_NOT);

        ours = setting -> 1;
        arbiters = arrived -> arrived / 2;
        failsAlone(run(Size.QUICK, FabricKind.TCP));
    }

    @Test
    void baselinesThatAreAsGoodAreSaidToBe() {
        packets = setting -> 1;

        failsAlone(run(Size.FULL, FabricKind.LOCAL), "real.7.local.rr", "real.9.local.rr", "real.11.local.rr");
    }

    @Test
    void nothingHoldsWhereWorkWasNotQueued() {
        backlogged = 0.4;

        FigureReport report = run(Size.QUICK, FabricKind.LOCAL);

        assertThat(report.claims()).isNotEmpty().allSatisfy(each -> {
            assertThat(each.verdict()).isEqualTo(Verdict.HOLDS_NOT);
            assertThat(each.reason()).startsWith("all had work queued for 40 % of the time only");
        });
        DataTable table = report.tables().get(0);
        assertThat(table.rows().get(0).get(table.heads().indexOf("both had work")))
                .isEqualTo("40 %");
    }
}
