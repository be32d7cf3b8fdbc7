package io.verbena.redis;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What the command line tools have in common: the name that the user types, errors of one line that point to the help,
 * and the version. Stateless.
 */
public final class VerbenaCommand {
    private VerbenaCommand() {}

    /**
     * A command line whose usage reads as typed.
     *
     * @param command annotated for picocli; its name is the first word after "verbena", or "verbena" itself
     */
    public static CommandLine of(Object command) {
        return of(new CommandLine(command));
    }

    /** The same of a command line that holds all its subcommands. */
    public static CommandLine of(CommandLine line) {
        line.setCaseInsensitiveEnumValuesAllowed(true);
        CommandSpec spec = line.getCommandSpec();
        if (!spec.name().equals("verbena")) {
            spec.qualifiedName(" ");
            spec.name("verbena " + spec.name());
        }
        prepare(line, "verbena " + version(spec.userObject().getClass()));
        return line.setParameterExceptionHandler(VerbenaCommand::refused)
                .setExecutionExceptionHandler(VerbenaCommand::failed);
    }

    private static void prepare(CommandLine line, String version) {
        line.getCommandSpec().version(version);
        line.getSubcommands().values().forEach(each -> prepare(each, version));
    }

    private static String version(Class<?> from) {
        @Nullable String built = from.getPackage().getImplementationVersion(); // of the jar's manifest
        return built == null ? "(not from a jar)" : built;
    }

    private static int refused(CommandLine.ParameterException e, String[] arguments) {
        CommandLine line = e.getCommandLine();
        say(line, e);
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static int failed(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
        if (e instanceof RuntimeException
                && !(e instanceof IllegalArgumentException || e instanceof IllegalStateException)) {
            e.printStackTrace(line.getErr()); // a mistake of ours, not of the user's
        }
        say(line, e);
        return line.getCommandSpec().exitCodeOnExecutionException();
    }

    private static void say(CommandLine line, Exception e) {
        String name = line.getCommandSpec().qualifiedName();
        String what = e.getMessage() == null
                ? e.toString()
                : e.getMessage().lines().findFirst().orElse("");
        PrintWriter err = line.getErr();
        err.println(name + ": " + what + " (" + name + " --help explains the options)");
        err.flush();
    }
}
