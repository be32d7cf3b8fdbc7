package io.verbena.papers.etc;

import io.verbena.bench.report.Machine;
import io.verbena.bench.report.ResultsFile;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.verification.RunCommand;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code verbena bench etc}: traffic of mixed sizes to one consumer that stalls now and then, within the same memory.
 */
@Command(
        name = "etc",
        description = {
            "Two processes with four senders each send Facebook's ETC traffic on "
                    + "schedule to a third over shared memory; now",
            "and then a message has 1 MiB, and the consumer stalls. Checks every "
                    + "message, and prints rates, latencies and",
            "resident memory of an append queue and of shared receive queues under "
                    + "the same cap; saves etc.json and a plot.",
            "Ends with 1 if a message was lost, doubled, torn or out of order, or if a "
                    + "process that was killed held up the others",
            "for too long. Linux alone.%n"
        })
public final class EtcRun extends RunCommand {
    private static final int START_SECONDS = 60;
    private static final int END_SECONDS = 60;

    @Option(
            names = "--seconds",
            paramLabel = "<seconds>",
            defaultValue = "60",
            description = "How long each scheme is sent to; default ${DEFAULT-VALUE}.")
    double seconds = 60;

    @Option(
            names = "--stall-every",
            paramLabel = "<seconds>",
            defaultValue = "10",
            description = "From a stall to the next, the first after half of it; default ${DEFAULT-VALUE}.")
    double stallEvery = 10;

    @Option(
            names = "--stall-millis",
            paramLabel = "<millis>",
            description = "How long a stall is; default ${DEFAULT-VALUE}.")
    int stallMillis = 100;

    @Option(
            names = "--rate",
            paramLabel = "<messages>",
            defaultValue = "50000",
            description = "Messages a second of all senders together; default ${DEFAULT-VALUE}.")
    double rate = 50_000;

    @Option(
            names = "--largest-one-in",
            paramLabel = "<messages>",
            description = "One message in so many, by chance, has 1 MiB; default ${DEFAULT-VALUE}.")
    long largestOneIn = 5_000;

    @Option(
            names = "--cap",
            paramLabel = "<MiB>",
            description = "Memory of the receiver in MiB, 8 and more; default ${DEFAULT-VALUE}.")
    int cap = 64;

    @Option(
            names = "--schemes",
            split = ",",
            paramLabel = "<scheme>",
            description = "Of append, srq and srq-tuned; default all, with --kill append.")
    List<String> schemes = List.of();

    @Option(
            names = "--kill",
            paramLabel = "<seconds>",
            defaultValue = "0",
            description = {
                "Kills a process of senders (kill -9) each time that all have sent "
                        + "for so long, and starts another in its",
                "place; default 0: nobody is killed."
            })
    double killEvery;

    @Option(names = "--seed", paramLabel = "<seed>", description = "Of the traffic; default 1.")
    long seed = 1;

    @Option(
            names = "--out",
            paramLabel = "<folder>",
            description = "Where etc.json and the plot go; default target/bench/etc-<time>.")
    @Nullable
    Path folder;

    /** Creates a command that prints to the standard streams. */
    public EtcRun() {
        super("etc");
    }

    @Override
    protected int run() {
        List<EtcSetting> settings = new ArrayList<>();
        List<String> names = schemes;
        if (names.isEmpty()) {
            names = killEvery > 0 ? List.of("append") : List.of("append", "srq", "srq-tuned");
        }
        for (String name : names) {
            settings.add(setting(EtcScheme.of(name)));
        }
        Path made = ResultsFile.folder(folder, "etc-");
        Machine machine = Machine.here();
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        out.println(machine.text() + text(", load %.1f before", load));
        List<SchemeReport> reports = new ArrayList<>();
        EtcReport report = new EtcReport(settings.get(0), machine, load, reports);
        for (EtcSetting setting : settings) {
            reports.add(measure(setting));
            report.write(made);
        }
        report.print(out);
        out.println("saved: " + report.draw(made) + " and " + made.resolve(EtcReport.FILE));
        return reports.stream().allMatch(SchemeReport::isSound) ? 0 : 1;
    }

    private EtcSetting setting(EtcScheme scheme) {
        return new EtcSetting(
                scheme, seconds, stallEvery, stallMillis, rate, largestOneIn, (long) cap << 20, seed, killEvery);
    }

    /** Runs one scheme, in processes of its own. */
    static SchemeReport measure(EtcSetting setting) {
        try (JavaProcess consumer = new JavaProcess(EtcProcess.class, List.of(EtcProcess.CONSUMER, setting.json()))) {
            return consumer.result(SchemeReport.class, START_SECONDS + setting.seconds() + END_SECONDS);
        }
    }
}
