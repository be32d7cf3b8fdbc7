package io.verbena.bench.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(180)
class KvCommandTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(String... arguments) {
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        KvCommand command = new KvCommand();
        command.printTo(out, out);
        return new CommandLine(command)
                .setErr(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    /** Between two processes. */
    @Test
    void measuresBothWays() {
        int status = run("--keys", "100", "--writes", "5", "--rounds", "1", "--seconds", "0.1");
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text)
                .contains("round trip of a GET")
                .contains("16 under way, 5 % SETs")
                .contains("were answered by READs");
    }

    @Test
    void namesAnUnknownFabric() {
        assertThat(run("--fabric", "infiniband")).isEqualTo(1);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("fabric 'infiniband' is none of tcp, uds and shm");
    }
}
