package io.verbena.bench.overflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(240)
class OverflowCommandTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(String... arguments) {
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        OverflowCommand command = new OverflowCommand();
        command.printTo(out, out);
        return new CommandLine(command)
                .setErr(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    /** Between processes, one of which is killed; where the disk knows no direct I/O, that is said. */
    @Test
    void measuresBothWaysAndLosesNothing(@TempDir Path directory) {
        int status = run("--keys=2000", "--rounds=1", "--warmup=1", "--seconds=0.2", "--file=" + directory);
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(directory).as("what is left behind").isEmptyDirectory();
        if (text.contains("no direct I/O")) {
            assertThat(status).isEqualTo(1);
            Assumptions.abort("no direct I/O here");
        }
        assertThat(status).as(text).isZero();
        assertThat(text).contains("p99, us").contains("all 2000 keys read and right");
    }

    @Test
    void namesWhatIsOutOfRange() {
        assertThat(run("--times", "0")).isEqualTo(1);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("times 0 < minimum 1");
    }

    @Test
    void frequentKeysAreFrequent() {
        Zipf zipf = new Zipf(1000, new SplittableRandom(1));
        int[] counts = new int[1000];
        for (int i = 0; i < 100_000; i++) {
            counts[zipf.next()]++;
        }
        int most = 0;
        for (int each : counts) {
            most = Math.max(most, each);
        }
        assertThat(most / 100_000.0).as("1 / sum of 1/i^0.99").isBetween(0.11, 0.15);
    }
}
