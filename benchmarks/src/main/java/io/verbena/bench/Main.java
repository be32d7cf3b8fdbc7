package io.verbena.bench;

import io.verbena.bench.check.messages.HubProcess;
import io.verbena.bench.check.messages.PeerProcess;
import io.verbena.bench.check.messages.SoakCommand;
import io.verbena.bench.command.Bench;
import io.verbena.bench.command.CheckCommand;
import io.verbena.bench.conformance.Conformance;
import io.verbena.bench.etc.EtcProcess;
import io.verbena.bench.figures.FiguresCommand;
import io.verbena.bench.perftest.Perftest;
import io.verbena.bench.promise.ReceiverProcess;
import io.verbena.bench.simulate.Simulate;
import io.verbena.bench.tenants.TenantsProcess;
import io.verbena.bench.top.TopCommand;
import io.verbena.bench.trial.BusyProcess;
import io.verbena.bench.trial.EndProcess;
import io.verbena.redis.VerbenaCommand;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry of the benchmarks' executable jar: one subcommand a tool. */
@Command(
        name = "verbena",
        mixinStandardHelpOptions = true,
        subcommands = {
            Perftest.class,
            Bench.class,
            Conformance.class,
            Simulate.class,
            FiguresCommand.class,
            TopCommand.class,
            CheckCommand.class,
            EndProcess.class,
            BusyProcess.class,
            EtcProcess.class,
            TenantsProcess.class,
            SoakCommand.class,
            HubProcess.class,
            PeerProcess.class,
            ReceiverProcess.class
        },
        description = "Measures Verbena and its peers.")
public final class Main implements Runnable {
    private static final String LOG_LEVEL = "VERBENA_LOG_LEVEL";
    private static final Set<String> FAULTY =
            Set.of("conformance", "simulate", "check", "check-messages-hub", "soak", "soak-peer");

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /**
     * Parses the arguments and runs the subcommand.
     *
     * @param args the subcommand and its arguments, {@code --help} explains them
     */
    public static void main(String[] args) {
        if (System.getenv(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, logLevel(args));
        }
        System.exit(commandLine().execute(args));
    }

    /** The commands; values of enums in lower case. */
    static CommandLine commandLine() {
        return VerbenaCommand.of(new Main());
    }

    private static String logLevel(String[] args) {
        boolean faultsOnPurpose = args.length > 0 && FAULTY.contains(args[0]);
        return faultsOnPurpose ? "OFF" : "WARN";
    }
}
