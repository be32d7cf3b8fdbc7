package io.verbena.bench.tenants;

import io.verbena.bench.Interval;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench arbiter}: what the scheduling of tenants costs where there is one. */
@Command(
        name = "arbiter",
        description = {
            "One tenant with small messages under each discipline, in rounds: messages a "
                    + "second, and their ratio to packet round",
            "robin in the same round, which decides next to nothing. Prints Markdown.%n"
        })
public final class ArbiterCommand extends Measuring {
    @Option(names = "--fabric", split = ",", paramLabel = "<name>", description = "local, uds or tcp; default local.")
    List<String> fabrics = List.of("local");

    @Option(
            names = "--verb",
            split = ",",
            paramLabel = "<name>",
            description = "write, send or append; default write,append.")
    List<String> verbs = List.of("write", "append");

    @Option(
            names = "--discipline",
            split = ",",
            paramLabel = "<name>",
            description = "Besides packet-round-robin; default chunks,deficit-round-robin.")
    List<String> disciplines = List.of("chunks", "deficit-round-robin");

    @Option(names = "--bytes", paramLabel = "<bytes>", description = "Of a message; default ${DEFAULT-VALUE}.")
    int bytes = 64;

    @Option(
            names = "--rounds",
            paramLabel = "<count>",
            description = "How often all are measured; default ${DEFAULT-VALUE}.")
    int rounds = 15;

    private final Function<TenantsSetting, TenantsResult> measurement;

    /** Measures in JVMs of its own and prints to the standard streams. */
    public ArbiterCommand() {
        this(TenantsProcess::measure);
    }

    ArbiterCommand(Function<TenantsSetting, TenantsResult> measurement) {
        this.measurement = measurement;
    }

    @Override
    void tables() {
        if (rounds < 1) {
            throw new RunException("rounds " + rounds + " < minimum 1");
        }
        List<Discipline> others = Choice.of(Discipline.class, disciplines);
        MarkdownTable table = new MarkdownTable(List.of(
                "fabric", "verb", "discipline", "M messages/s", "range", "ratio to packet round robin", "range"));
        for (String fabric : fabrics) {
            for (TenantVerb verb : Choice.of(TenantVerb.class, verbs)) {
                measure(table, FabricKind.of(fabric), verb, others);
            }
        }
        table.print(out);
        out.flush();
    }

    private void measure(MarkdownTable table, FabricKind kind, TenantVerb verb, List<Discipline> others) {
        double[][] rates = new double[others.size()][rounds];
        double[][] ratios = new double[others.size()][rounds];
        double[] reference = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            boolean first = round % 2 == 0; // a minute in which the machine is slow meets all alike
            if (first) {
                reference[round] = rate(kind, verb, Discipline.PACKET_ROUND_ROBIN);
            }
            for (int i = 0; i < others.size(); i++) {
                int at = first ? i : others.size() - 1 - i;
                rates[at][round] = rate(kind, verb, others.get(at));
            }
            if (!first) {
                reference[round] = rate(kind, verb, Discipline.PACKET_ROUND_ROBIN);
            }
            for (int i = 0; i < others.size(); i++) {
                ratios[i][round] = rates[i][round] / reference[round];
            }
        }
        double[] same = new double[rounds];
        Arrays.fill(same, 1);
        line(table, kind, verb, Discipline.PACKET_ROUND_ROBIN, reference, same);
        for (int i = 0; i < others.size(); i++) {
            line(table, kind, verb, others.get(i), rates[i], ratios[i]);
        }
    }

    private double rate(FabricKind kind, TenantVerb verb, Discipline discipline) {
        List<MeasuredTenant> tenants = List.of(MeasuredTenant.of("one", 1, bytes, verb));
        TenantsSetting setting = setting(kind, kind != FabricKind.LOCAL, discipline, ChargedUnit.BYTES, tenants);
        return measurement.apply(setting).tenants().get(0).messages();
    }

    private static void line(
            MarkdownTable table,
            FabricKind kind,
            TenantVerb verb,
            Discipline discipline,
            double[] rates,
            double[] ratios) {
        Interval rate = Interval.of(rates);
        Interval ratio = Interval.of(ratios);
        table.line(List.of(
                kind.optionName(),
                Choice.name(verb),
                Choice.title(discipline),
                text("%.2f", rate.median() / 1e6),
                text("%.2f-%.2f", rate.min() / 1e6, rate.max() / 1e6),
                text("%.3f", ratio.median()),
                text("%.3f-%.3f", ratio.min(), ratio.max())));
    }
}
