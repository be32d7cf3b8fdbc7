package io.verbena.bench.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code verbena bench jmh}: the JMH suites; takes JMH's own options. */
@Command(
        name = "jmh",
        description = "Runs the JMH suites; takes JMH's own options, -h explains them: what posting and polling cost.")
final class JmhCommand implements Callable<Integer> {
    @Unmatched
    List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        org.openjdk.jmh.Main.main(arguments.toArray(new String[0]));
        return 0;
    }
}
