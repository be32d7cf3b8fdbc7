package io.verbena.bench.tenants;

import io.verbena.bench.Latency;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench urgent}: what a latency-sensitive message waits beside tenants that flood the NIC. */
@Command(
        name = "urgent",
        description = {
            "Small urgent messages, one at a time, alone and beside queue pairs that "
                    + "always have messages of 1 MiB to send: the",
            "time from post to completion, or to the answer, with no more threads than two. Prints Markdown.%n"
        })
public final class UrgentCommand extends Measuring {
    private static final int FLOOD_BYTES = 1 << 20;
    private static final String AERON = "Aeron IPC";

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "<name>",
            description = "local (one process), shm, uds or tcp (two processes); default local,uds,tcp.")
    List<String> fabrics = List.of("local", "uds", "tcp");

    @Option(
            names = "--discipline",
            split = ",",
            paramLabel = "<name>",
            description = "How the NIC schedules; default chunks,packet-round-robin,palos-as-printed.")
    List<String> disciplines = List.of("chunks", "packet-round-robin", "palos-as-printed");

    @Option(
            names = "--ping",
            split = ",",
            paramLabel = "<kind>",
            description =
                    "write: a WRITE until its completion; echo: an append until its answer by another. Default both.")
    List<String> pings = List.of("write", "echo");

    @Option(
            names = "--flooders",
            split = ",",
            paramLabel = "<count>",
            description = "Queue pairs that flood, of one tenant; default 0,1,8.")
    int[] flooders = {0, 1, 8};

    @Option(
            names = "--no-aeron",
            description = "Leaves out Aeron IPC, which stands beside the echo within one process.")
    boolean noAeron;

    private final Function<TenantsSetting, TenantsResult> measurement;
    private final Function<AeronFlood.Setting, TenantsResult> aeron;

    /** Measures in JVMs of its own and prints to the standard streams. */
    public UrgentCommand() {
        this(TenantsProcess::measure, TenantsProcess::measureAeron);
    }

    UrgentCommand(
            Function<TenantsSetting, TenantsResult> measurement, Function<AeronFlood.Setting, TenantsResult> aeron) {
        this.measurement = measurement;
        this.aeron = aeron;
    }

    @Override
    void tables() {
        List<Discipline> scheduling = Choice.of(Discipline.class, disciplines);
        for (String fabric : fabrics) {
            FabricKind kind = FabricKind.of(fabric);
            for (String name : pings) {
                Ping ping = Choice.of(Ping.class, name);
                out.println(text(
                        "%n**%s, %s of %d bytes, urgent, beside messages of %d, us**%n",
                        fabric, name, Pinger.BYTES, FLOOD_BYTES));
                MarkdownTable table = new MarkdownTable(List.of(
                        "discipline",
                        "flooders",
                        "p50",
                        "p99",
                        "p99.9",
                        "max",
                        "p99 by p99 alone",
                        "2 x alone + two chunks",
                        "flood, MB/s"));
                for (Discipline discipline : scheduling) {
                    lines(
                            table,
                            Choice.title(discipline),
                            count -> measurement.apply(setting(kind, discipline, ping, count)));
                }
                if (!noAeron && kind == FabricKind.LOCAL && ping == Ping.ECHO) {
                    lines(
                            table,
                            AERON,
                            count -> aeron.apply(new AeronFlood.Setting(count, FLOOD_BYTES, warmup, seconds)));
                }
                table.print(out);
                out.flush();
            }
        }
    }

    private TenantsSetting setting(FabricKind kind, Discipline discipline, Ping ping, int count) {
        List<MeasuredTenant> flood = count == 0
                ? List.of()
                : List.of(MeasuredTenant.of("flood", 1, FLOOD_BYTES, TenantVerb.WRITE)
                        .on(count));
        return new TenantsSetting(
                kind, kind != FabricKind.LOCAL, discipline, ChargedUnit.BYTES, flood, ping, warmup, seconds);
    }

    private void lines(MarkdownTable table, String title, Function<Integer, TenantsResult> measured) {
        long alone = 0;
        for (int count : flooders) {
            TenantsResult result = measured.apply(count);
            Latency latency = result.latency();
            double flood = result.tenants().stream()
                    .mapToDouble(TenantsResult.Figures::payload)
                    .sum();
            alone = count == 0 ? latency.p99() : alone;
            table.line(List.of(
                    title,
                    String.valueOf(count),
                    micros(latency.p50()),
                    micros(latency.p99()),
                    micros(latency.p999()),
                    micros(latency.max()),
                    alone == 0 ? "-" : text("%.2f", latency.p99() / (double) alone),
                    alone == 0 || flood == 0 ? "-" : micros(2 * alone + twoChunks(flood)),
                    text("%.0f", flood / 1e6)));
        }
    }

    /** How long two chunks take, as many bytes as there may be before an urgent message, at the rate of the flood. */
    private static long twoChunks(double bytesPerSecond) {
        return (long) (2.0 * ArbiterSettings.defaults().urgentWindow() / bytesPerSecond * 1e9);
    }
}
