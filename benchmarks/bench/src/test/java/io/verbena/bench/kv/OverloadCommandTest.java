package io.verbena.bench.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verification.RunException;
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

    /** A machine that has no time for it, or a small part of what it can do. */
    @Test
    void saysWhichCapacityRatesCannotShare() {
        assertThat(OverloadNode.rates(1_000)).isNotNull();
        assertThatThrownBy(() -> OverloadNode.rates(999))
                .isInstanceOf(RunException.class)
                .hasMessageContainingAll("at least 1000 operations a second", "is 999", "--capacity");
    }

    @Test
    void namesABatchThatIsTooLarge() {
        assertThat(run("--batches", "20,5000")).isEqualTo(1);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("batch 5000");
    }
}
