package io.verbena.bench.tenants;

import io.verbena.bench.report.Machine;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** What the commands have in common: how long, where to, and by whom it is measured. */
class Measuring {
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

    final PrintStream out;
    final PrintStream err;

    Measuring(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Runs a command's work; what it may end with is one line and the status 1. */
    int guard(Runnable work) {
        try {
            out.println(Machine.here().text());
            work.run();
            return 0;
        } catch (RunException e) {
            err.println("bench: " + e.getMessage());
            return 1;
        }
    }

    /** Tenants that are measured as long as was asked for, without pings. */
    TenantsSetting setting(
            FabricKind kind, boolean twoProcesses, Discipline discipline, ChargedUnit unit, List<Tenant> tenants) {
        return new TenantsSetting(kind, twoProcesses, discipline, unit, tenants, Ping.NONE, warmup, seconds);
    }

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    static String percent(double part) {
        return text("%.2f %%", part * 100);
    }

    static String micros(long nanos) {
        return text("%.1f", nanos / 1e3);
    }
}
