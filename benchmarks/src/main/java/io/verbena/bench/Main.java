package io.verbena.bench;

import io.verbena.bench.compare.Compare;
import io.verbena.bench.compare.EndProcess;
import io.verbena.bench.conformance.Conformance;
import io.verbena.bench.perftest.Perftest;
import io.verbena.bench.simulate.Simulate;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry of the benchmarks' executable jar: one subcommand a tool. */
@Command(
        name = "verbena-benchmarks",
        mixinStandardHelpOptions = true,
        subcommands = {Perftest.class, Conformance.class, Simulate.class, Main.Bench.class, EndProcess.class},
        description = "Measures Verbena and its peers.")
public final class Main implements Runnable {
    private static final String LOG_LEVEL = "VERBENA_LOG_LEVEL";

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /**
     * Parses the arguments and runs the subcommand.
     *
     * @param args the subcommand and its arguments, {@code --help} explains them
     * @throws Exception what JMH throws
     */
    public static void main(String[] args) throws Exception {
        if (System.getenv(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, logLevel(args));
        }
        if (args.length > 0 && args[0].equals("bench") && !isCompare(args)) {
            String[] rest = new String[args.length - 1];
            System.arraycopy(args, 1, rest, 0, rest.length);
            org.openjdk.jmh.Main.main(rest);
            return;
        }
        System.exit(new CommandLine(new Main()).execute(args));
    }

    private static String logLevel(String[] args) {
        boolean faultsOnPurpose = args.length > 0 && (args[0].equals("conformance") || args[0].equals("simulate"));
        return faultsOnPurpose ? "OFF" : "WARN";
    }

    private static boolean isCompare(String[] args) {
        return args.length > 1 && args[1].equals("compare");
    }

    /** Names the subcommand in the help; JMH parses its arguments itself. */
    @Command(
            name = "bench",
            subcommands = Compare.class,
            description = "Runs JMH suites; takes JMH's own options. bench compare measures paths side by side.")
    static final class Bench {}
}
