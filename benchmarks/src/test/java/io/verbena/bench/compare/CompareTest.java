package io.verbena.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The command as a user runs it, with its own processes. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CompareTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return new CommandLine(new Compare(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)))
                .execute(arguments);
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void roundTripsOfTwoProcessesEndInATable() {
        assertThat(run("--rounds", "1", "--seconds", "1"))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        assertThat(lines()).filteredOn(line -> line.startsWith("round ")).hasSize(2);
        assertThat(lines()).anyMatch(line -> line.matches("\\| verbena-append-shm \\| [0-9.]+ us \\|.*"));
        assertThat(lines()).last().asString().startsWith("| aeron-ipc |").endsWith("| 1.00 |");
    }

    @Test
    void ratesOfTwoThreadsEndInATable() {
        assertThat(run(
                        "--rounds",
                        "1",
                        "--seconds",
                        "1",
                        "--rate",
                        "--batch",
                        "16",
                        "--threads",
                        "verbena-append-local",
                        "agrona-one-to-one"))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        assertThat(lines()).anyMatch(line -> line.matches("\\| verbena-append-local \\| [0-9.]+ M/s \\|.*"));
    }

    @Test
    void misuseIsOneLine() {
        assertThat(run("verbena-append-local")).isEqualTo(1);
        assertThat(run("--rate", "verbena-read-shm")).isEqualTo(1);
        assertThat(run("--rounds", "0")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "compare: verbena-append-local is a path within one process; add --threads",
                        "compare: verbena-read-shm carries one message at a time, it has no rate",
                        "compare: rounds 0 < minimum 1");
    }
}
