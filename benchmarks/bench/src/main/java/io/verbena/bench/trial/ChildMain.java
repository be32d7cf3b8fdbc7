package io.verbena.bench.trial;

import java.util.Arrays;
import picocli.CommandLine;

/** Entry of what {@link JavaProcess} starts: runs the command whose class the first argument names, with the others. */
public final class ChildMain {
    private ChildMain() {}

    /**
     * Runs the command and ends the process with its status.
     *
     * @param args the name of the command's class, and the command's arguments
     */
    public static void main(String[] args) throws ClassNotFoundException {
        CommandLine command = new CommandLine(Class.forName(args[0]));
        System.exit(command.execute(Arrays.copyOfRange(args, 1, args.length)));
    }
}
