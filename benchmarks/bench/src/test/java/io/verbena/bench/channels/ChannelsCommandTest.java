package io.verbena.bench.channels;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(180)
class ChannelsCommandTest {
    /** Channels of both kinds to another process: each sent, and what was to come back came. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void measuresBothKinds(String fabric) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        ChannelsCommand command = new ChannelsCommand();
        command.printTo(out, out);
        int status = new CommandLine(command)
                .execute("--channels", "30", "--rounds", "1", "--seconds", "0.1", "--fabric", fabric);
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text)
                .contains("30 channels")
                .contains("| a queue pair each ")
                .contains("| sharing ");
    }
}
