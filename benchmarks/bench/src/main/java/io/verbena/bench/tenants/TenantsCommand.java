package io.verbena.bench.tenants;

import io.verbena.bench.report.MarkdownTable;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.JainIndex;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench tenants}: what two tenants get of one NIC, for real. */
@Command(
        name = "tenants",
        description = {
            "Two tenants of one NIC, one with small messages and one with large, both "
                    + "with more to send than the NIC can: what",
            "each gets in the charged unit, over the time for which both had work "
                    + "queued. Messages of up to 1 KiB go on 8 queue",
            "pairs. Each measurement has JVMs of its own; prints Markdown.%n"
        })
public final class TenantsCommand extends Measuring {
    private static final double TOLERANCE = 0.03;

    /**
     * One send queue of small messages is soon empty: a socket takes as much, and beside an append of a megabyte, which
     * is never cut, as much is sent in a row.
     */
    private static final int QUEUE_PAIRS_OF_SMALL = 8;

    private static final int SMALL = 1024;
    private static final double NANOS = 1e9;

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "<name>",
            description = "local (one process), shm, uds or tcp (two processes); default local,uds,tcp.")
    List<String> fabrics = List.of("local", "uds", "tcp");

    @Option(names = "--verb", split = ",", paramLabel = "<name>", description = "write, send or append; default all.")
    List<String> verbs = List.of("all");

    @Option(
            names = "--discipline",
            split = ",",
            paramLabel = "<name>",
            description = "How the NIC schedules: chunks (default), deficit-round-robin, "
                    + "palos-as-printed, packet-round-robin,"
                    + " software-chunking, virtual-lanes, whole-messages or all.")
    List<String> disciplines = List.of("chunks");

    @Mixin
    UnitOption unit = new UnitOption();

    @Option(
            names = "--weights",
            split = ",",
            arity = "1",
            paramLabel = "<weight>",
            description = "Of the two tenants; default 1,3.")
    int[] weights = {1, 3};

    @Option(
            names = "--bytes",
            split = ",",
            arity = "1",
            paramLabel = "<bytes>",
            description = "Of their messages; default 64,1048576.")
    int[] bytes = {64, 1 << 20};

    @Option(names = "--swap", description = "Also with the messages of the one sent by the other.")
    boolean swap;

    private final Function<TenantsSetting, TenantsResult> measurement;

    /** Measures in JVMs of its own and prints to the standard streams. */
    public TenantsCommand() {
        this(TenantsProcess::measure);
    }

    TenantsCommand(Function<TenantsSetting, TenantsResult> measurement) {
        this.measurement = measurement;
    }

    @Override
    void tables() {
        List<TenantVerb> posted = Choice.of(TenantVerb.class, verbs);
        List<Discipline> scheduling = Choice.of(Discipline.class, disciplines);
        ChargedUnit charged = unit.charged();
        if (weights.length != 2 || bytes.length != 2) {
            throw new RunException(weights.length + " weights and " + bytes.length + " lengths for 2 tenants");
        }
        for (String fabric : fabrics) {
            FabricKind kind = FabricKind.of(fabric);
            out.println(text("%n**%s, weights %d:%d, shares of %s**%n", fabric, weights[0], weights[1], unit.name));
            List<String> columns = new ArrayList<>(List.of(
                    "verb",
                    "discipline",
                    "messages",
                    "share of " + weights[0],
                    "share of " + weights[1],
                    "entitled",
                    "within 3 %",
                    "both had work",
                    "Jain",
                    "MB/s",
                    "messages/s",
                    "wait p99, us"));
            if (charged == ChargedUnit.NIC_TIME) {
                columns.add("charged of the time");
            }
            MarkdownTable table = new MarkdownTable(columns);
            for (TenantVerb verb : posted) {
                for (Discipline discipline : scheduling) {
                    line(table, kind, verb, discipline, charged, bytes[0], bytes[1]);
                    if (swap) {
                        line(table, kind, verb, discipline, charged, bytes[1], bytes[0]);
                    }
                }
            }
            table.print(out);
            out.flush();
        }
    }

    private void line(
            MarkdownTable table,
            FabricKind kind,
            TenantVerb verb,
            Discipline discipline,
            ChargedUnit charged,
            int first,
            int second) {
        List<MeasuredTenant> tenants =
                List.of(tenant("a", weights[0], first, verb), tenant("b", weights[1], second, verb));
        TenantsResult result = measurement.apply(setting(kind, kind != FabricKind.LOCAL, discipline, charged, tenants));
        TenantsResult.Figures a = result.tenants().get(0);
        TenantsResult.Figures b = result.tenants().get(1);
        List<String> cells = new ArrayList<>();
        cells.add(Choice.name(verb));
        cells.add(Choice.title(discipline));
        cells.add(first + " and " + second);
        cells.add(percent(a.share()));
        cells.add(percent(b.share()));
        cells.add(percent(a.entitled()) + ", " + percent(b.entitled()));
        cells.add(within(a, b) ? "yes" : "no");
        cells.add(percent(result.contended()));
        cells.add(text("%.4f", JainIndex.of(a.normalised(), b.normalised())));
        cells.add(text("%.0f and %.0f", a.payload() / 1e6, b.payload() / 1e6));
        cells.add(text("%,.0f and %,.0f", a.messages(), b.messages()));
        cells.add(
                micros(a.delayNanos().get(1)) + " and " + micros(b.delayNanos().get(1)));
        if (charged == ChargedUnit.NIC_TIME) {
            cells.add(percent((a.charged() + b.charged()) / NANOS));
        }
        table.line(cells);
    }

    private static MeasuredTenant tenant(String name, int weight, int bytes, TenantVerb verb) {
        MeasuredTenant tenant = MeasuredTenant.of(name, weight, bytes, verb);
        return bytes <= SMALL ? tenant.on(QUEUE_PAIRS_OF_SMALL) : tenant;
    }

    private static boolean within(TenantsResult.Figures a, TenantsResult.Figures b) {
        return Math.abs(a.normalised() - 1) <= TOLERANCE && Math.abs(b.normalised() - 1) <= TOLERANCE;
    }
}
