package io.verbena.bench.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.verbena.bench.Latency;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.fabric.FabricKind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** What the commands measure and print, with figures that are made up. */
@Timeout(180)
class CommandsTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);
    private final List<TenantsSetting> measured = new ArrayList<>();

    private String run(Measuring command, String... arguments) {
        command.printTo(out, out);
        assertThat(new CommandLine(command).execute(arguments)).isZero();
        return written.toString(StandardCharsets.UTF_8);
    }

    private TenantsResult shares(TenantsSetting setting, double first) {
        measured.add(setting);
        List<TenantsResult.Figures> figures = new ArrayList<>();
        double weights =
                setting.tenants().stream().mapToInt(MeasuredTenant::weight).sum();
        for (MeasuredTenant each : setting.tenants()) {
            figures.add(new TenantsResult.Figures(
                    each.name(),
                    each.bytes(),
                    figures.isEmpty() ? first : 1 - first,
                    0,
                    each.weight() / weights,
                    1000,
                    1000.0 * each.bytes(),
                    1,
                    List.of(1000L, 2000L)));
        }
        return new TenantsResult(1, 0.9, figures, new Latency(10, 1000, 3000, 4000, 5000));
    }

    @Test
    void tenantsAreMeasuredBothWaysAndJudged() {
        String text = run(
                new TenantsCommand(setting -> shares(setting, measured.isEmpty() ? 0.257 : 0.258)),
                "--fabric=uds",
                "--verb=write",
                "--swap",
                "--seconds=1");

        assertThat(measured).hasSize(2).allSatisfy(setting -> {
            assertThat(setting.twoProcesses()).isTrue();
            assertThat(setting.discipline()).isEqualTo(Discipline.CHUNKS);
            assertThat(setting.seconds()).isEqualTo(1);
            assertThat(setting.tenants().get(1).weight()).isEqualTo(3);
        });
        assertThat(measured.get(0).tenants().get(0).bytes()).isEqualTo(64);
        assertThat(measured.get(1).tenants().get(0).bytes()).isEqualTo(1 << 20);
        assertThat(text).containsPattern("64 and 1048576 +\\| 25.70 % +\\| 74.30 % .* yes .* 90.00 %");
        assertThat(text).containsPattern("1048576 and 64 +\\| 25.80 % +\\| 74.20 % .* no ");
    }

    @Test
    void urgentIsComparedWithItselfAlone() {
        UrgentCommand command =
                new UrgentCommand(setting -> shares(setting, 1), setting -> shares(aeronStandIn(setting), 1));

        String text = run(command, "--fabric=local", "--ping=echo", "--discipline=chunks", "--flooders=0,8");

        assertThat(measured).hasSize(4);
        assertThat(measured.get(0).tenants()).isEmpty();
        assertThat(measured.get(1).tenants().get(0).queuePairs()).isEqualTo(8);
        assertThat(text).containsPattern("\\| chunks +\\| 8 +\\| 1.0 +\\| 3.0 +\\| 4.0 +\\| 5.0 +\\| 1.00");
        assertThat(text).containsPattern("\\| Aeron IPC +\\| 8 ");
    }

    private static TenantsSetting aeronStandIn(AeronFlood.Setting setting) {
        return new TenantsSetting(
                FabricKind.LOCAL,
                false,
                Discipline.CHUNKS,
                ChargedUnit.BYTES,
                List.of(),
                Ping.ECHO,
                setting.warmup(),
                setting.seconds());
    }

    @Test
    void adversariesAreComparedWithTheVictimAlone() {
        AdversaryCommand command = new AdversaryCommand(
                this::beside,
                (adversary, settings) -> new KeptShare(100e6, 46e6, 54e6, 0.46, 0.5, 0.9, Latency.NONE, Latency.NONE));

        String text = run(command, "--fabric=sim,local", "--adversary=one-byte");

        assertThat(measured).hasSize(2);
        assertThat(measured)
                .extracting(setting -> setting.tenants().size(), TenantsSetting::ping)
                .containsExactly(tuple(2, Ping.NONE), tuple(1, Ping.ECHO));
        assertThat(text)
                .containsPattern(
                        "messages of 1 byte \\| chunks +\\| 50.00 % +\\| 46.00 % +\\| no +\\| 90.00 % +\\| 92.00 %");
        assertThat(text)
                .containsPattern("messages of 1 byte \\| chunks +\\| 50.00 % +\\| 50.00 % +\\| "
                        + "yes +\\| [0-9.]+ % +\\| 200.00 % .*"
                        + "\\| 1.0 +\\| 1.0 +\\| 3.0 +\\| 3.0");
    }

    @Test
    void attacksAreJudgedByTheRateThatIsLeft() {
        AdversaryCommand command = new AdversaryCommand(this::beside, (adversary, settings) -> {
            throw new AssertionError(adversary + " is not simulated");
        });

        String text = run(command, "--fabric=sim,shm", "--adversary=connect-storm,senseless");

        assertThat(text)
                .containsPattern(
                        "peers that connect and leave +\\| chunks +\\| 100.00 % +\\| 100.00 % +\\| yes .* 7/s ");
        assertThat(text).containsPattern("without sense +\\| chunks +\\| 50.00 % +\\| 100.00 % +\\| yes .* 200.00 %");
    }

    private Beside beside(Beside.Setting setting) {
        TenantsResult result = shares(setting.tenants(), 0.5);
        return new Beside(result, result, 7);
    }

    @Test
    void roundsOfTheArbiterAlternate() {
        ArbiterCommand command = new ArbiterCommand(setting -> shares(setting, 1));

        String text = run(command, "--rounds=2", "--verb=write", "--discipline=chunks");

        assertThat(measured)
                .extracting(TenantsSetting::discipline)
                .containsExactly(
                        Discipline.PACKET_ROUND_ROBIN,
                        Discipline.CHUNKS,
                        Discipline.CHUNKS,
                        Discipline.PACKET_ROUND_ROBIN);
        assertThat(text).contains("| 1.000 ");
    }

    @Test
    void whatIsUnknownIsNamed() {
        TenantsCommand command = new TenantsCommand(setting -> shares(setting, 1));
        command.printTo(out, out);

        assertThat(new CommandLine(command).execute("--discipline=fair")).isEqualTo(1);
        assertThat(written.toString(StandardCharsets.UTF_8))
                .contains("unknown discipline 'fair', expected chunks, deficit-round-robin");
    }
}
