package io.verbena.bench.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.RateOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(180)
class OverloadCommandTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(String... arguments) {
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        OverloadCommand command = new OverloadCommand();
        command.printTo(out, out);
        return new CommandLine(command)
                .setErr(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    /** Between two processes, all settings, both ways. */
    @Test
    void measuresAllSettings() {
        int status = run("--keys", "100", "--rounds", "1", "--seconds", "0.5", "--batches", "8");
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text).contains("two-sided", "one-sided", "operations a second to share");
        for (OverloadSetting setting : OverloadSetting.values()) {
            assertThat(text.lines().filter(line -> line.startsWith("| " + setting.title + " ")))
                    .as("%s: alone and beside 8, both ways, of%n%s", setting, text)
                    .hasSize(4);
        }
    }

    /** On a machine that has no time for it. */
    @Test
    void saysThatRatesShareMoreThanWasWanted() {
        assertThat(new RateOptions().requests(OverloadCommand.toShare(0.5, 800)))
                .isNotNull();
        assertThat(OverloadCommand.saysWhatIsShared(0.5, 800))
                .startsWith("rates: 1000 operations a second to share, the least that can be, 1.25 of raw");
        assertThat(OverloadCommand.saysWhatIsShared(0.5, 8000))
                .isEqualTo("rates: 4000 operations a second to share, 0.50 of raw");
    }

    @Test
    void namesABatchThatIsTooLarge() {
        assertThat(run("--batches", "20,5000")).isEqualTo(1);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("batch 5000");
    }
}
