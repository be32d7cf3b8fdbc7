package io.verbena.bench.check;

import io.verbena.bench.check.messages.MessagesCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code verbena check}: loads whose every answer is judged. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        subcommands = MessagesCommand.class,
        description = "Loads the whole, and judges everything that comes back.")
public final class CheckCommand implements Runnable {
    @Spec
    CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to check");
    }
}
