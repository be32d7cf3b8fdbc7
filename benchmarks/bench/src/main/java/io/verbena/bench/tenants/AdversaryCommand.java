package io.verbena.bench.tenants;

import io.verbena.bench.report.MarkdownTable;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench adversary}: what a tenant keeps beside one that wants its share. */
@Command(
        name = "adversary",
        description = {
            "A tenant with messages of 4 KiB beside one that tries to get more than its "
                    + "share: what it has left, of what it is",
            "entitled to of what it has alone, and its round trip of 64 bytes before "
                    + "and meanwhile. On the simulated fabric in",
            "virtual time; on others for real, in one process a measurement. Prints Markdown.%n"
        })
public final class AdversaryCommand extends Measuring {
    private static final String SIMULATED = "sim";

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "<name>",
            description = "sim, local, shm, uds or tcp; default all of them.")
    List<String> fabrics = List.of(SIMULATED, "local", "shm", "uds", "tcp");

    @Option(
            names = "--adversary",
            split = ",",
            paramLabel = "<name>",
            description = "queue-pairs, one-byte, all-urgent, silent-peer, absent-peer, not-ready, "
                    + "full-queue, read-flood, weights, invalid,"
                    + " busy-thread, object-storm, connect-storm, half-appends, senseless; default all.")
    List<String> adversaries = List.of("all");

    @Option(
            names = "--discipline",
            split = ",",
            paramLabel = "<name>",
            description = "How the NIC schedules; default chunks.")
    List<String> disciplines = List.of("chunks");

    @Mixin
    UnitOption unit = new UnitOption();

    private final Function<Beside.Setting, Beside> beside;
    private final TwoShares simulated;

    /** What an adversary leaves under a discipline. */
    @FunctionalInterface
    interface TwoShares {
        /** What the victim keeps. */
        KeptShare of(Adversary adversary, ArbiterSettings settings);
    }

    /** Measures in JVMs of its own and prints to the standard streams. */
    public AdversaryCommand() {
        this(TenantsProcess::measureBeside, SimulatedAdversary::run);
    }

    AdversaryCommand(Function<Beside.Setting, Beside> beside, TwoShares simulated) {
        this.beside = beside;
        this.simulated = simulated;
    }

    @Override
    void tables() {
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
                    "adversary",
                    "p50 alone, us",
                    "beside",
                    "p99 alone, us",
                    "beside"));
            for (Adversary adversary : chosen) {
                if (fabric.equals(SIMULATED) && adversary.isAttack()) {
                    continue; // from threads and peers that are not simulated
                }
                for (Discipline discipline : scheduling) {
                    KeptShare kept = fabric.equals(SIMULATED)
                            ? simulated.of(
                                    adversary,
                                    ArbiterSettings.defaults()
                                            .withDiscipline(discipline)
                                            .withUnit(charged))
                            : real(FabricKind.of(fabric), adversary, discipline, charged);
                    table.line(line(adversary, discipline, kept));
                }
            }
            table.print(out);
            out.flush();
        }
    }

    private static List<String> line(Adversary adversary, Discipline discipline, KeptShare kept) {
        boolean byRate = adversary.isAttack() || adversary.isInVain();
        return List.of(
                adversary.title(),
                Choice.title(discipline),
                percent(kept.entitlement()),
                percent(kept.share()),
                !byRate && kept.contended() == 0 ? "not contended" : kept.isKept() ? "yes" : "no",
                byRate ? "" : percent(kept.contended()),
                percent(kept.kept()),
                text("%.0f", kept.alone() / 1e6),
                text("%.0f", kept.beside() / 1e6),
                adversary.isAttack() ? text("%.0f/s", kept.adversary()) : text("%.0f", kept.adversary() / 1e6),
                micros(kept.before().p50()),
                micros(kept.during().p50()),
                micros(kept.before().p99()),
                micros(kept.during().p99()));
    }

    private KeptShare real(FabricKind kind, Adversary adversary, Discipline discipline, ChargedUnit charged) {
        Beside rates =
                beside.apply(new Beside.Setting(kind, adversary, Ping.NONE, discipline, charged, warmup, seconds));
        Beside trips =
                beside.apply(new Beside.Setting(kind, adversary, Ping.ECHO, discipline, charged, warmup, seconds));
        double alone = rates.before().tenants().get(0).payload();
        TenantsResult.Figures victim = rates.during().tenants().get(0);
        boolean attack = adversary.isAttack();
        TenantsResult.Figures other = rates.during().tenants().get(attack ? 0 : Adversary.ITS_PLACE);
        double sum = victim.share() + other.share();
        return new KeptShare(
                alone,
                victim.payload(),
                attack ? rates.attacks() : other.payload(),
                attack || adversary.isInVain() ? victim.payload() / alone : victim.share() / sum,
                adversary.entitlement(),
                rates.during().contended(),
                trips.before().latency(),
                trips.during().latency());
    }
}
