package io.verbena.verification;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What commands that run or measure something have in common. A {@link RunException} is one line and the status 1. */
@Command(mixinStandardHelpOptions = true, sortOptions = false, usageHelpAutoWidth = true)
public abstract class RunCommand implements Callable<Integer> {
    /** Where results go. */
    protected PrintStream out = System.out;

    /** Where failures and progress go. */
    protected PrintStream err = System.err;

    @Spec
    @Nullable
    CommandSpec spec;

    private final String name;

    /**
     * Prints to the standard streams, unless it is told otherwise.
     *
     * @param name stands before a failure
     */
    protected RunCommand(String name) {
        this.name = name;
    }

    /** Prints elsewhere. */
    public final void printTo(PrintStream results, PrintStream failures) {
        out = results;
        err = failures;
    }

    /**
     * Does the work.
     *
     * @return the exit status
     */
    protected abstract int run() throws Exception;

    @Override
    public final Integer call() throws Exception {
        try {
            return run();
        } catch (RunException e) {
            out.flush();
            err.println(name + ": " + e.getMessage());
            return 1;
        }
    }

    /** Misuse of the command line. */
    protected final RuntimeException wrong(String message) {
        CommandSpec own = spec;
        return own == null ? new IllegalArgumentException(message) : new ParameterException(own.commandLine(), message);
    }

    /** Formats, the same in every country. */
    protected static String text(String format, @Nullable Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
