package io.verbena.bench.rates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(180)
class RatesCommandTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(String... arguments) {
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        RatesCommand command = new RatesCommand();
        command.printTo(out, out);
        return new CommandLine(command)
                .setErr(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    /** Rates follow what tenants want, between two processes. */
    @Test
    void measuresAll() {
        int status = run("--tenants", "5", "--rounds", "1", "--seconds", "0.1");
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text)
                .contains("rate of one tenant")
                .contains("5 tenants: the agent's part")
                .contains("epochs until it was back");
    }

    @Test
    void namesAnUnknownFabric() {
        assertThat(run("--fabric", "infiniband")).isEqualTo(1);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("fabric 'infiniband' is none of tcp, uds and shm");
    }
}
