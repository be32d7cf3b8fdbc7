package io.verbena.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.redis.Donate;
import io.verbena.redis.Serve;
import io.verbena.redis.VerbenaCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** What a user meets who types a command: usage as typed, errors of one line, sentences with an end, a version. */
class CommandLineTest {
    private static final List<CommandLine> LINES =
            List.of(Main.commandLine(), VerbenaCommand.of(new Serve()), VerbenaCommand.of(new Donate()));

    @Test
    void descriptionsEndTheirSentences() {
        List<String> open = new ArrayList<>();
        for (CommandLine line : LINES) {
            collect(line, open);
        }
        assertThat(open).isEmpty();
    }

    private static void collect(CommandLine line, List<String> open) {
        CommandSpec spec = line.getCommandSpec();
        if (spec.usageMessage().hidden()) {
            return;
        }
        addIfOpen(spec.qualifiedName(), spec.usageMessage().description(), open);
        for (ArgSpec arg : spec.args()) {
            if (!arg.hidden()) {
                addIfOpen(spec.qualifiedName() + " " + arg.paramLabel() + " " + arg, arg.description(), open);
            }
        }
        line.getSubcommands().values().forEach(each -> collect(each, open));
    }

    private static void addIfOpen(String what, String[] description, List<String> open) {
        String last = description.length == 0 ? "" : description[description.length - 1].replaceAll("%n$", "");
        if (!last.endsWith(".")) {
            open.add(what + ": " + last);
        }
    }

    @ParameterizedTest
    @CsvSource({"perftest, verbena perftest", "bench, verbena bench", "bench adversary, verbena bench adversary"})
    void usageSaysTheCommandAsTyped(String typed, String name) {
        StringWriter out = new StringWriter();
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out));
        assertThat(line.execute((typed + " --help").split(" "))).isZero();
        assertThat(out.toString()).startsWith("Usage: " + name + " ");
    }

    @Test
    void usageOfServe() {
        StringWriter out = new StringWriter();
        assertThat(VerbenaCommand.of(new Serve()).setOut(new PrintWriter(out)).execute("--help"))
                .isZero();
        assertThat(out.toString()).startsWith("Usage: verbena serve ");
    }

    @ParameterizedTest
    @CsvSource({
        "perftest nonsense --nothing, verbena perftest",
        "bench --nothing, verbena bench",
        "bench promise --seconds x, verbena bench promise",
        "nothing, verbena",
    })
    void errorsAreOneLineThatPointsToTheHelp(String typed, String name) {
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine().setErr(new PrintWriter(err));
        assertThat(line.execute(typed.split(" "))).isEqualTo(2);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString())
                .startsWith(name + ": ")
                .endsWith(" (" + name + " --help explains the options)" + System.lineSeparator());
    }

    @Test
    void errorsOfServeAreOneLine() {
        StringWriter err = new StringWriter();
        assertThat(VerbenaCommand.of(new Serve()).setErr(new PrintWriter(err)).execute("--port", "x"))
                .isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).startsWith("verbena serve: ").contains("verbena serve --help");
    }

    @Test
    void version() {
        StringWriter out = new StringWriter();
        assertThat(Main.commandLine().setOut(new PrintWriter(out)).execute("perftest", "--version"))
                .isZero();
        assertThat(out.toString()).startsWith("verbena ");
    }
}
