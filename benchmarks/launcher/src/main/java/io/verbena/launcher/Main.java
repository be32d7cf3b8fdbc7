package io.verbena.launcher;

import io.verbena.bench.check.channels.SimulateChannels;
import io.verbena.bench.check.messages.SoakCommand;
import io.verbena.bench.check.nodes.SimulateNodes;
import io.verbena.bench.command.Bench;
import io.verbena.bench.command.CheckCommand;
import io.verbena.bench.perftest.Perftest;
import io.verbena.console.TopCommand;
import io.verbena.papers.FiguresCommand;
import io.verbena.papers.etc.EtcRun;
import io.verbena.redis.VerbenaCommand;
import io.verbena.verification.conformance.Conformance;
import io.verbena.verification.simulate.Simulate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry of the executable jar of all tools: a subcommand each. */
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
            SoakCommand.class
        },
        description = "Measures Verbena and its peers.")
public final class Main implements Runnable {
    private static final String LOG_LEVEL = "VERBENA_LOG_LEVEL";
    private static final Set<String> FAULTY = Set.of("conformance", "simulate", "check", "soak");

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

    /**
     * The commands, with the subcommands that come from another module than their command; values of enums in lower
     * case.
     */
    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        insert(line, "simulate", "append", new SimulateNodes());
        insert(line, "simulate", "nodes", new SimulateChannels());
        insert(line, "bench", "scale", new EtcRun());
        return VerbenaCommand.of(line);
    }

    /** Puts a subcommand into a command, after another one. */
    private static void insert(CommandLine line, String name, String after, Object subcommand) {
        CommandLine command = Objects.requireNonNull(line.getSubcommands().get(name));
        List<String> names = new ArrayList<>(command.getSubcommands().keySet());
        List<CommandLine> behind = new ArrayList<>();
        for (String each : names.subList(names.indexOf(after) + 1, names.size())) {
            behind.add(command.getCommandSpec().removeSubcommand(each));
        }
        command.addSubcommand(subcommand);
        behind.forEach(command::addSubcommand);
    }

    private static String logLevel(String[] args) {
        boolean faultsOnPurpose = args.length > 0 && FAULTY.contains(args[0]);
        return faultsOnPurpose ? "OFF" : "WARN";
    }
}
