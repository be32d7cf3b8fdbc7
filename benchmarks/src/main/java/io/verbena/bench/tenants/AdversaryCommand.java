package io.verbena.bench.tenants;

import io.verbena.bench.fabric.FabricKind;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench adversary}: what a tenant keeps beside one that wants its share. */
@Command(
        name = "adversary",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "A tenant with messages of 4 KiB beside one that tries to get more than its share: what it has left, of what its",
            "weight entitles it to of what it has alone. On the simulated fabric in virtual time; on others for real, in one",
            "process. Prints Markdown.%n"
        })
public final class AdversaryCommand extends Measuring implements Callable<Integer> {
    private static final String SIMULATED = "sim";

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "<name>",
            description = "sim, local, uds or tcp; default sim,local,uds.")
    List<String> fabrics = List.of(SIMULATED, "local", "uds");

    @Option(
            names = "--adversary",
            split = ",",
            paramLabel = "<name>",
            description =
                    "queue-pairs, one-byte, all-urgent, silent-peer, absent-peer, not-ready, full-queue, weights, invalid; default"
                            + " all.")
    List<String> adversaries = List.of("all");

    @Option(
            names = "--discipline",
            split = ",",
            paramLabel = "<name>",
            description = "How the NIC schedules; default chunks.")
    List<String> disciplines = List.of("chunks");

    @Mixin
    UnitOption unit = new UnitOption();

    private final TwoShares simulated;

    /** What an adversary leaves under a discipline. */
    @FunctionalInterface
    interface TwoShares {
        /** What the victim keeps. */
        KeptShare of(Adversary adversary, ArbiterSettings settings);
    }

    /** Measures in JVMs of its own and prints to the standard streams. */
    public AdversaryCommand() {
        this(System.out, System.err, TenantsProcess::measure, SimulatedAdversary::run);
    }

    AdversaryCommand(
            PrintStream out,
            PrintStream err,
            Function<TenantsSetting, TenantsResult> measurement,
            TwoShares simulated) {
        super(out, err, measurement);
        this.simulated = simulated;
    }

    @Override
    public Integer call() {
        return guard(this::run);
    }

    private void run() {
        List<Adversary> chosen = Choice.of(Adversary.class, adversaries);
        List<Discipline> scheduling = Choice.of(Discipline.class, disciplines);
        ChargedUnit charged = unit.charged();
        for (String fabric : fabrics) {
            out.println(text("%n**%s**%n", fabric));
            MarkdownTable table = new MarkdownTable(List.of(
                    "adversary",
                    "discipline",
                    "entitled",
                    "share",
                    "within 3 %",
                    "both had work",
                    "kept of its rate",
                    "alone, MB/s",
                    "beside",
                    "adversary"));
            for (Adversary adversary : chosen) {
                for (Discipline discipline : scheduling) {
                    KeptShare kept = fabric.equals(SIMULATED)
                            ? simulated.of(
                                    adversary,
                                    ArbiterSettings.defaults()
                                            .withDiscipline(discipline)
                                            .withUnit(charged))
                            : real(FabricKind.of(fabric), adversary, discipline, charged);
                    table.line(List.of(
                            adversary.title(),
                            Choice.title(discipline),
                            percent(kept.entitlement()),
                            percent(kept.share()),
                            !fabric.equals(SIMULATED) && kept.contended() == 0
                                    ? "not contended"
                                    : kept.isKept() ? "yes" : "no",
                            fabric.equals(SIMULATED) ? "" : percent(kept.contended()),
                            percent(kept.kept()),
                            text("%.0f", kept.alone() / 1e6),
                            text("%.0f", kept.beside() / 1e6),
                            text("%.0f", kept.adversary() / 1e6)));
                }
            }
            table.print(out);
            out.flush();
        }
    }

    private KeptShare real(FabricKind kind, Adversary adversary, Discipline discipline, ChargedUnit charged) {
        List<TenantsResult.Figures> alone = measurement
                .apply(setting(kind, false, discipline, charged, List.of(adversary.victim())))
                .tenants();
        TenantsResult beside = measurement.apply(setting(kind, false, discipline, charged, adversary.tenants()));
        List<TenantsResult.Figures> both = beside.tenants();
        TenantsResult.Figures victim = both.get(0);
        TenantsResult.Figures other = both.get(Adversary.ITS_PLACE);
        double sum = victim.share() + other.share();
        return new KeptShare(
                alone.get(0).payload(),
                victim.payload(),
                other.payload(),
                sum == 0 ? 0 : victim.share() / sum,
                adversary.entitlement(),
                beside.contended());
    }
}
