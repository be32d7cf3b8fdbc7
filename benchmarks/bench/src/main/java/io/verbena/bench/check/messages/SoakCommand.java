package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import io.verbena.verification.RunCommand;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena soak}. */
@Command(
        name = "soak",
        description = {
            "A node a fabric that stays, and peers in processes of their own with mixed "
                    + "traffic, which are killed and replaced"
                    + " in turn. Judges every byte that arrives, and prints each minute what the process holds.",
            "Ends with 1 at the first thing that is wrong, if anything grows from the "
                    + "fifth minute on, or if anything is left"
                    + " at the end.%n"
        })
public final class SoakCommand extends RunCommand {
    private static final int MAX_PEERS = 64;
    private static final int MAX_PAUSE_SECONDS = 120;

    @Option(
            names = "--minutes",
            paramLabel = "<number>",
            defaultValue = "20",
            description = "Length; default ${DEFAULT-VALUE}.")
    double minutes;

    @Option(
            names = "--kill-every",
            paramLabel = "<seconds>",
            description = "How often a peer is killed, on average, such as 10s or 500ms; default ${DEFAULT-VALUE}.")
    String killEvery = "10s";

    @Option(
            names = "--peers",
            paramLabel = "<count>",
            description = "Peers at a time, each a process; default ${DEFAULT-VALUE}.")
    int peers = 4;

    @Option(names = "--seed", paramLabel = "<number>", description = "What the run draws from; default: the clock.")
    long seed = System.nanoTime() & 0xFFFF_FFFFL;

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "<name>",
            description = "${COMPLETION-CANDIDATES}; default all but local.")
    Set<FabricName> fabrics = FabricName.betweenProcesses();

    @Option(
            names = "--mode",
            split = ",",
            paramLabel = "<name>",
            description = "${COMPLETION-CANDIDATES}; default all.")
    Set<NodeMode> modes = EnumSet.allOf(NodeMode.class);

    @Option(
            names = "--max-length",
            paramLabel = "<bytes>",
            description = "Bytes of the longest message; default ${DEFAULT-VALUE}.")
    int maxLength = 16777216;

    @Option(
            names = "--stall",
            paramLabel = "<seconds>",
            defaultValue = "30",
            description = "How long nothing may go on where something is due; default ${DEFAULT-VALUE}.")
    double stall;

    /** Prints to the standard streams. */
    public SoakCommand() {
        super("soak");
    }

    @Override
    protected int run() {
        MessagesSettings settings = settings();
        double pause = pause();
        out.println("seed " + settings.seed());
        Flaw flaw = new Soak(settings, pause, peers, out).run();
        if (flaw == null) {
            out.println("nothing was wrong, nothing has grown, nothing is left");
            return 0;
        }
        out.println("FAILED, seed " + settings.seed() + ":");
        out.println(flaw.describe());
        out.flush();
        return 1;
    }

    private double pause() {
        String text = killEvery.trim();
        boolean millis = text.endsWith("ms");
        String number = text.replaceFirst("(ms|s)$", "");
        double seconds;
        try {
            seconds = Double.parseDouble(number) / (millis ? 1000 : 1);
        } catch (NumberFormatException e) {
            throw wrong(
                    "--kill-every '" + killEvery + "' is no time: give seconds, such as 10s, or milliseconds, 500ms");
        }
        if (!(seconds > 0) || seconds > MAX_PAUSE_SECONDS) {
            throw wrong("--kill-every " + killEvery + " outside 1ms.." + MAX_PAUSE_SECONDS + "s");
        }
        return seconds;
    }

    private MessagesSettings settings() {
        if (peers < 1 || peers > MAX_PEERS) {
            throw wrong("--peers " + peers + " outside 1.." + MAX_PEERS);
        }
        if (!fabrics.stream().allMatch(FabricName::reachesProcesses)) {
            throw wrong("--fabric local is within one process; peers are processes of their own");
        }
        try {
            return new MessagesSettings(
                    minutes * 60,
                    seed,
                    fabrics,
                    modes,
                    1,
                    SoakPeerProcess.LOADS,
                    maxLength,
                    stall,
                    MessagesSettings.SHARED);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }
}
