package io.verbena.bench.kv;

import io.verbena.Tenants;
import io.verbena.bench.Interval;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench kv}: GETs of the key-value store by READs, against GETs by requests. */
@Command(
        name = "kv",
        description = {
            "Measures GETs of the key-value store between two processes, one-sided (RDMA READs of what the server",
            "publishes) against two-sided (requests that the server answers), in rounds by turns: round trip of one",
            "at a time, and rate with several under way, beside SETs if wanted. Prints medians, ranges and ratios.%n"
        })
public final class KvCommand extends RunCommand {
    @Option(names = "--fabric", description = "tcp, uds or shm; default ${DEFAULT-VALUE}.")
    String fabric = "tcp";

    @Option(names = "--keys", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int keys = 10_000;

    @Option(names = "--value", paramLabel = "<bytes>", description = "Of a value; default ${DEFAULT-VALUE}.")
    int value = 100;

    @Option(names = "--slot", paramLabel = "<bytes>", description = "Of a slot; default ${DEFAULT-VALUE}.")
    int slot = 256;

    @Option(names = "--index", paramLabel = "<bytes>", description = "Of the read index; default ${DEFAULT-VALUE}.")
    long index = 32 << 20;

    @Option(names = "--depth", paramLabel = "<count>", description = "Under way at a time; default ${DEFAULT-VALUE}.")
    int depth = 16;

    @Option(names = "--writes", paramLabel = "<percent>", description = "SETs among them; default ${DEFAULT-VALUE}.")
    int writes;

    @Option(names = "--rounds", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int rounds = 7;

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "Of a round; default ${DEFAULT-VALUE}.")
    double seconds = 1;

    /** Creates the command. */
    public KvCommand() {
        super("bench kv");
    }

    @Override
    protected int run() {
        RunException.requireRange("keys", keys, 1, 10_000_000);
        RunException.requireRange("value", value, 0, 65_536);
        RunException.requireRange("slot", slot, ReadIndexDescriptor.MIN_SLOT_LENGTH, 4096);
        RunException.requireRange("depth", depth, 1, 1024);
        RunException.requireRange("writes", writes, 0, 100);
        RunException.requireRange("rounds", rounds, 1, 1000);
        try (KvServerProcess server = new KvServerProcess(fabric, "kv", index, slot, List.of());
                KvLoad load = new KvLoad(server.address(Tenants.DEFAULT), new KeySet(keys, value), depth)) {
            out.println(Machine.here().text());
            measure(load);
        }
        return 0;
    }

    private void measure(KvLoad load) {
        double[][] trips = new double[3][rounds];
        double[][] rates = new double[3][rounds];
        for (int i = -1; i < rounds; i++) { // the first compiles what all run
            for (int way = 0; way < 2; way++) {
                boolean oneSided = way == 1;
                double trip = load.roundTrips(oneSided, seconds).getValueAtPercentile(50) / 1000.0;
                double rate = load.rate(oneSided, writes, seconds) / 1000;
                if (i >= 0) {
                    trips[way][i] = trip;
                    rates[way][i] = rate;
                }
            }
            if (i >= 0) {
                trips[2][i] = trips[1][i] / trips[0][i];
                rates[2][i] = rates[1][i] / rates[0][i];
            }
        }
        MarkdownTable table = new MarkdownTable(List.of("what", "two-sided", "one-sided", "one-sided by two-sided"));
        table.line(line("round trip of a GET, p50, us", trips));
        table.line(line("1000 operations a second, " + depth + " under way, " + writes + " % SETs", rates));
        table.print(out);
        out.println(text("%.1f %% of the one-sided GETs were answered by READs", 100 * load.hitRatio()));
    }

    private static List<String> line(String what, double[][] values) {
        return List.of(what, cell(values[0]), cell(values[1]), cell(values[2]));
    }

    private static String cell(double[] values) {
        Interval interval = Interval.of(values);
        return text("%.2f (%.2f-%.2f)", interval.median(), interval.min(), interval.max());
    }
}
