package io.verbena.bench.kv;

import io.verbena.RateOptions;
import io.verbena.bench.Interval;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench overload}: single GETs of one tenant beside the batches of another. */
@Command(
        name = "overload",
        description = {
            "Measures the round trips of one tenant's single GETs of the key-value store, alone and beside another",
            "tenant that has 20 to 100 GETs under way, two-sided and one-sided, between two processes, in rounds by",
            "turns: as one tenant, as two by weight, and by utility, with a capacity that is given and one that the",
            "node measures. One thread is both clients, and the other process the server. Every answer is checked.",
            "Prints medians, and the 80th percentile by that alone with its range.%n"
        })
public final class OverloadCommand extends RunCommand {
    private static final int MAX_BATCH = 1024;
    private static final int TRIES = 8;

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

    @Option(
            names = "--batches",
            split = ",",
            paramLabel = "<count>",
            description = "GETs under way of the other tenant; default 20 to 100.")
    List<Integer> batches = new ArrayList<>(List.of(20, 40, 60, 80, 100));

    @Option(
            names = "--capacity",
            paramLabel = "<part>",
            description = "Of what both do as one tenant, that rates share; default ${DEFAULT-VALUE}.")
    double capacity = 0.7;

    @Option(names = "--rounds", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int rounds = 7;

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "Of each part; default ${DEFAULT-VALUE}.")
    double seconds = 0.3;

    /** Creates the command. */
    public OverloadCommand() {
        super("bench overload");
    }

    @Override
    protected int run() {
        RunException.requireRange("keys", keys, 1, 10_000_000);
        RunException.requireRange("value", value, 0, 65_536);
        RunException.requireRange("slot", slot, ReadIndexDescriptor.MIN_SLOT_LENGTH, 4096);
        RunException.requireRange("rounds", rounds, 1, 1000);
        RunException.requireRange("capacity in per cent", (long) (capacity * 100), 1, 1000);
        for (int batch : batches) {
            RunException.requireRange("batch", batch, 1, MAX_BATCH);
        }
        KeySet set = new KeySet(keys, value);
        List<String> tenants = List.of(OverloadNode.SINGLE, OverloadNode.BATCH);
        out.println(Machine.here().text());
        try (KvServerProcess raw = new KvServerProcess(fabric, "kv-raw", index, slot, List.of());
                KvServerProcess shared = new KvServerProcess(fabric, "kv-tenants", index, slot, tenants)) {
            for (boolean oneSided : new boolean[] {false, true}) {
                out.println();
                measure(raw, shared, set, oneSided);
            }
        }
        return 0;
    }

    /** A setting, its node, and what was seen of it. */
    private record Contender(OverloadSetting setting, OverloadNode node, OverloadSamples samples) {}

    private void measure(KvServerProcess raw, KvServerProcess shared, KeySet set, boolean oneSided) {
        List<Contender> contenders = new ArrayList<>(); // in the order of the settings: the first is RAW
        try {
            double most = 0;
            for (OverloadSetting setting : OverloadSetting.values()) {
                KvServerProcess server = setting.hasTenants ? shared : raw;
                OverloadNode node = new OverloadNode(setting, server, set, MAX_BATCH, toShare(capacity, most));
                contenders.add(new Contender(setting, node, new OverloadSamples(batches.size() + 1, rounds)));
                node.fill(set);
                if (setting == OverloadSetting.RAW) {
                    most = most(node, oneSided);
                }
            }
            compare(contenders, oneSided);
            print(contenders, oneSided, most);
        } finally {
            contenders.forEach(each -> each.node.close());
        }
    }

    /** Operations a second of both together: the most of some tries, of which the first compile. */
    private double most(OverloadNode node, boolean oneSided) {
        int batch = batches.get(batches.size() - 1);
        double most = 0;
        for (int i = 0; i < TRIES; i++) {
            OverloadNode.Sample sample = node.run(oneSided, batch, seconds);
            most = Math.max(most, sample.batchRate() + sample.times().getTotalCount() / seconds);
        }
        return most;
    }

    /** In rounds, of which the first compiles what all run; in each, all settings alone, and then beside each batch. */
    private void compare(List<Contender> contenders, boolean oneSided) {
        for (int round = -1; round < rounds; round++) {
            for (int i = 0; i <= batches.size(); i++) {
                for (Contender each : contenders) {
                    contenders.forEach(all -> all.node.turn());
                    OverloadNode.Sample sample = each.node.run(oneSided, i == 0 ? 0 : batches.get(i - 1), seconds);
                    if (round >= 0) {
                        each.samples.add(i, round, sample);
                    }
                }
            }
        }
    }

    private void print(List<Contender> contenders, boolean oneSided, double most) {
        MarkdownTable table = new MarkdownTable(List.of(
                oneSided ? "one-sided" : "two-sided",
                "beside",
                "p50 us",
                "p80",
                "p99",
                "p80 by alone",
                "by the least batch",
                "ahead, p80",
                "batch, 1000/s",
                "by raw"));
        OverloadSamples raw = contenders.get(0).samples;
        for (Contender each : contenders) {
            OverloadSamples of = each.samples;
            for (int i = 0; i <= batches.size(); i++) {
                table.line(List.of(
                        each.setting.title,
                        i == 0 ? "alone" : text("%d", batches.get(i - 1)),
                        text("%.1f", Interval.of(of.p50(i)).median()),
                        text("%.1f", Interval.of(of.p80(i)).median()),
                        text("%.1f", Interval.of(of.p99(i)).median()),
                        i == 0 ? "" : ratio(of.p80(i), of.p80(0)),
                        i < 2 ? "" : ratio(of.p80(i), of.p80(1)),
                        text("%.0f", Interval.of(of.ahead(i)).median()),
                        i == 0 ? "" : text("%.0f", Interval.of(of.rate(i)).median() / 1000),
                        i == 0 ? "" : ratio(of.rate(i), raw.rate(i))));
            }
        }
        table.print(out);
        out.println(saysWhatIsShared(capacity, most));
    }

    /** Operations a second that rates share: a part of the most, but no less than they can. */
    static double toShare(double part, double most) {
        return Math.max(RateOptions.MIN_CAPACITY, part * most);
    }

    static String saysWhatIsShared(double part, double most) {
        double shared = toShare(part, most);
        return text(
                shared > part * most
                        ? "rates: %.0f operations a second to share, the least that can be, %.2f of raw: this machine"
                                + " was too busy to tell anything"
                        : "rates: %.0f operations a second to share, %.2f of raw",
                shared,
                shared / most);
    }

    private static String ratio(double[] values, double[] by) {
        double[] ratios = new double[values.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = values[i] / by[i];
        }
        Interval interval = Interval.of(ratios);
        return text("%.2f (%.2f-%.2f)", interval.median(), interval.min(), interval.max());
    }

    /** Of one setting: by what stands beside the single GETs, and by round. */
    private static final class OverloadSamples {
        private final double[][] p50;
        private final double[][] p80;
        private final double[][] p99;
        private final double[][] ahead;
        private final double[][] rates;

        OverloadSamples(int loads, int rounds) {
            p50 = new double[loads][rounds];
            p80 = new double[loads][rounds];
            p99 = new double[loads][rounds];
            ahead = new double[loads][rounds];
            rates = new double[loads][rounds];
        }

        void add(int load, int round, OverloadNode.Sample sample) {
            Histogram times = sample.times();
            if (times.getTotalCount() == 0) {
                throw new RunException("no single GET was answered in this time: take more seconds");
            }
            p50[load][round] = times.getValueAtPercentile(50) / 1000.0;
            p80[load][round] = times.getValueAtPercentile(80) / 1000.0;
            p99[load][round] = times.getValueAtPercentile(99) / 1000.0;
            ahead[load][round] = sample.ahead().getValueAtPercentile(80);
            rates[load][round] = sample.batchRate();
        }

        double[] p50(int load) {
            return p50[load];
        }

        double[] p80(int load) {
            return p80[load];
        }

        double[] p99(int load) {
            return p99[load];
        }

        double[] ahead(int load) {
            return ahead[load];
        }

        double[] rate(int load) {
            return rates[load];
        }
    }
}
