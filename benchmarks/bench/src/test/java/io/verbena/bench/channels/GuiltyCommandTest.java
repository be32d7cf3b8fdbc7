package io.verbena.bench.channels;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(240)
class GuiltyCommandTest {
    /** Each wrong is done beside channels of both kinds, none of which loses a message, its order or itself. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void theOthersGoOn(String fabric) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        GuiltyCommand command = new GuiltyCommand();
        command.printTo(out, out);
        int status = new CommandLine(command)
                .execute("--channels", "30", "--seconds", "0.2", "--rate", "1000", "--fabric", fabric);
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text.lines().filter(line -> line.startsWith("| "))).hasSize(1 + 2 * Guilt.values().length);
    }
}
