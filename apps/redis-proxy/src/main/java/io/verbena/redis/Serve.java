package io.verbena.redis;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Command line of the proxy. */
@Command(name = "serve", mixinStandardHelpOptions = true, description = "Speaks the Redis protocol.")
public final class Serve implements Runnable {
    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /**
     * Parses the arguments and runs the command.
     *
     * @param args the arguments, {@code --help} explains them
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Serve()).execute(args));
    }
}
