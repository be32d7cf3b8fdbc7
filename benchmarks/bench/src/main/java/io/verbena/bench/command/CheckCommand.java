package io.verbena.bench.command;

import io.verbena.bench.check.messages.MessagesCommand;
import io.verbena.bench.check.redis.RedisCheckCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena check}: loads whose every answer or byte is checked, a subcommand each. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        subcommands = {RedisCheckCommand.class, MessagesCommand.class},
        description = "Checks every answer and every byte under load, and ends with 1 at the first wrong one.")
public final class CheckCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name what to check");
    }
}
