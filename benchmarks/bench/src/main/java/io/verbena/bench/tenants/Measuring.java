package io.verbena.bench.tenants;

import io.verbena.bench.report.Machine;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.RunCommand;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;
import picocli.CommandLine.Option;

/** What the commands have in common: how long, where to, and by whom it is measured. */
abstract class Measuring extends RunCommand {
    @Option(
            names = "--seconds",
            paramLabel = "<seconds>",
            defaultValue = "10",
            description = "How long each measurement takes; default ${DEFAULT-VALUE}.")
    double seconds = 10;

    @Option(
            names = "--warmup",
            paramLabel = "<seconds>",
            defaultValue = "8",
            description = "How long it warms up before; default ${DEFAULT-VALUE}.")
    double warmup = 8;

    Measuring() {
        super("bench");
    }

    @Override
    protected final int run() {
        out.println(Machine.here().text());
        tables();
        return 0;
    }

    /** Measures, and prints what came out. */
    abstract void tables();

    /** Tenants that are measured as long as was asked for, without pings. */
    TenantsSetting setting(
            FabricKind kind,
            boolean twoProcesses,
            Discipline discipline,
            ChargedUnit unit,
            List<MeasuredTenant> tenants) {
        return new TenantsSetting(kind, twoProcesses, discipline, unit, tenants, Ping.NONE, warmup, seconds);
    }

    static String percent(double part) {
        return text("%.2f %%", part * 100);
    }

    static String micros(long nanos) {
        return text("%.1f", nanos / 1e3);
    }
}
