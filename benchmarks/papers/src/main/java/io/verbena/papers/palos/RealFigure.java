package io.verbena.papers.palos;

import io.verbena.bench.report.Machine;
import io.verbena.bench.tenants.TenantsProcess;
import io.verbena.bench.tenants.TenantsResult;
import io.verbena.bench.tenants.TenantsSetting;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;
import java.util.function.Function;

/**
 * Figures 7, 8, 9 and 11 on this machine, within one process and between two over links, as shares and ratios: what a
 * simulated wire cannot show is whether threads keep the NIC busy, and what its turns are worth where cores are what is
 * scarce.
 */
final class RealFigure extends PaperFigure {
    private static final List<FabricKind> FABRICS = List.of(FabricKind.LOCAL, FabricKind.UDS, FabricKind.TCP);

    private final List<FabricKind> fabrics;
    private final Function<TenantsSetting, TenantsResult> measurement;

    /** Measures in JVMs of its own. */
    RealFigure() {
        this(FABRICS, TenantsProcess::measure);
    }

    /** Judges what a measurement says. */
    RealFigure(List<FabricKind> fabrics, Function<TenantsSetting, TenantsResult> measurement) {
        super("real", "For real: figures 7, 8, 9 and 11 in one process and between two");
        this.fabrics = List.copyOf(fabrics);
        this.measurement = measurement;
    }

    @Override
    public boolean isRepeatable() {
        return false;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        RealRuns runs = new RealRuns(size, measurement);
        FigureReport report = new FigureReport(id(), title())
                .setting("machine", Machine.here().text())
                .setting("verb", "WRITE with immediate data, of which the peer counts each")
                .setting("large messages", "1 MiB")
                .setting("measured for", runs.text());
        RealShares shares = new RealShares(report, runs, size);
        RealLatency latency = new RealLatency(report, runs, size);
        fabrics.forEach(shares::run);
        fabrics.forEach(latency::run);
        shares.tables();
        latency.table();
        return report.note(
                        "A share is a group's part of what the receiving side has taken in all the time, each message"
                                + " with its headers, as it is charged; entitled is what eq. 1 gives. The share in the "
                                + "arbiter is of what it charged while both groups had work queued. A group without "
                                + "work leaves its share to the other: where both had work"
                                + " for less than half of the time, a claim does not hold, whatever the share.")
                .note("The seed decides nothing here: threads do.");
    }
}
