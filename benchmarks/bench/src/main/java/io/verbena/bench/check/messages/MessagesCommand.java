package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import io.verbena.bench.check.CheckOptions;
import io.verbena.verification.RunCommand;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena check messages}. */
@Command(
        name = "messages",
        description = {
            "Sends, calls, reads and writes over all fabrics and in all modes at "
                    + "once, from callbacks too, while channels,"
                    + " nodes and processes come and go, and judges every byte that arrives.",
            "Ends with 1 at the first thing that is wrong.%n"
        })
public final class MessagesCommand extends RunCommand {
    @Mixin
    CheckOptions options = new CheckOptions();

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "<name>",
            description = "${COMPLETION-CANDIDATES}; default all.")
    Set<FabricName> fabrics = EnumSet.allOf(FabricName.class);

    @Option(
            names = "--mode",
            split = ",",
            paramLabel = "<name>",
            description = "${COMPLETION-CANDIDATES}; default all.")
    Set<NodeMode> modes = EnumSet.allOf(NodeMode.class);

    @Option(
            names = "--load",
            split = ",",
            paramLabel = "<name>",
            description = "${COMPLETION-CANDIDATES}; default all.")
    Set<LoadName> loads = EnumSet.allOf(LoadName.class);

    @Option(
            names = "--without",
            split = ",",
            paramLabel = "<name>",
            description = "Loads to leave out, so that a run goes on past what is known.")
    Set<LoadName> without = EnumSet.noneOf(LoadName.class);

    @Option(
            names = "--max-length",
            paramLabel = "<bytes>",
            description = "Bytes of the longest message; default ${DEFAULT-VALUE}.")
    int maxLength = MessagesSettings.MAX_LENGTH;

    /** Prints to the standard streams. */
    public MessagesCommand() {
        super("check messages");
    }

    @Override
    protected int run() {
        MessagesSettings settings = settings();
        out.println("seed " + settings.seed());
        MessagesResult result = new MessagesRun(settings, out).run();
        out.print(result.table());
        Flaw flaw = result.flaw();
        if (flaw == null) {
            out.println("nothing was wrong in " + result.rounds() + " rounds");
            return 0;
        }
        out.println("FAILED in round " + result.rounds() + " of seed " + settings.seed() + ":");
        out.println(flaw.describe());
        out.flush();
        return 1;
    }

    private MessagesSettings settings() {
        Set<LoadName> left = EnumSet.copyOf(loads);
        left.removeAll(without);
        try {
            return new MessagesSettings(
                    options.seconds(),
                    options.seed(),
                    fabrics,
                    modes,
                    options.threads(),
                    left,
                    maxLength,
                    options.stallSeconds(),
                    MessagesSettings.SHARED);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }
}
