package io.verbena.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.scale.QueuePairMemory.Rings;
import io.verbena.bench.trial.IdleProcess;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

@Timeout(180)
class ScaleTest {
    private static final long MILLISECOND = 1_000_000;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int execute(String... arguments) {
        Scale command = new Scale(MILLISECOND);
        command.printTo(new PrintStream(out, true), new PrintStream(err, true));
        return new CommandLine(command).execute(arguments);
    }

    @Test
    void aShortRunPrintsEveryTable() {
        assertThat(execute(
                        "--queue-pairs",
                        "1,3",
                        "--peers",
                        "1,12",
                        "--rounds",
                        "1",
                        "--millis",
                        "5",
                        "--bursts",
                        "4",
                        "--idle-queue-pairs",
                        "32",
                        "--idle-seconds",
                        "0"))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8).lines().map(ScaleTest::withoutFigures))
                .contains(
                        "**append, local, 4 a doorbell**",
                        "**send-shared, local, 4 a doorbell**",
                        "| queue pairs | M/s | range | ns a message | ratio |",
                        "| peers | M/s | range | ns a message | ratio |",
                        "| 1 | # | #-# | # | 1.00 |",
                        "| 256 | 256 | 4 | 64 | # | # | # | # |");
    }

    private static String withoutFigures(String line) {
        if (line.startsWith("| 1 |")) {
            return line.replaceFirst(
                    "\\| 1 \\| \\d+\\.\\d+ \\| \\d+\\.\\d+-\\d+\\.\\d+ \\| \\d+ \\|", "| 1 | # | #-# | # |");
        }
        return line.replaceFirst("64 \\| -?\\d+\\.\\d \\| \\d+ \\| -?\\d+ \\| \\d+\\.\\d \\|", "64 | # | # | # | # |");
    }

    @ParameterizedTest
    @CsvSource({
        "--rounds, 0, scale: rounds 0 < minimum 1",
        "--bursts, 3, scale: bursts 3 is not a power of two",
        "--bursts, 512, scale: bursts 512 > maximum 256",
        "--bytes, 1025, scale: bytes 1025 > maximum 1024",
        "--peers, 0, scale: peers 0 < minimum 1",
    })
    void whatCannotBeIsRefusedInOneLine(String option, String value, String message) {
        assertThat(execute(option, value)).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8).trim()).isEqualTo(message);
    }

    @ParameterizedTest
    @EnumSource(ScaleVerb.class)
    void everyQueuePairHasItsTurn(ScaleVerb verb) {
        try (BusyQueuePairs loop = new BusyQueuePairs(FabricKind.LOCAL, verb, 100, 2, 32, 0)) {
            assertThat(loop.run(MILLISECOND)).isPositive();
            assertThat(loop.posted()).isPositive();
            assertThat(loop.posted() % BusyLoop.WINDOW).isZero();
            assertThat(loop.tally.taken).isEqualTo(loop.posted());
            assertThat(loop.tally.acknowledged).isEqualTo(loop.posted());
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "20, 20", "20, 1", "300, 300"})
    void whatPeersSendIsTaken(int peers, int busy) {
        try (BusyPeers loop = new BusyPeers(ScaleVerb.SEND_SHARED, peers, busy, 1, 32)) {
            for (int i = 0; i < 3; i++) {
                assertThat(loop.run(MILLISECOND)).isPositive();
            }
            assertThat(loop.tally.taken).isEqualTo(loop.posted());
            assertThat(loop.tally.acknowledged).isEqualTo(loop.posted());
        }
    }

    @Test
    void slotsAreEnoughForAWindow() {
        assertThat(BusyQueuePairs.slotsNeeded(1, 1)).isEqualTo(256);
        assertThat(BusyQueuePairs.slotsNeeded(1, 16)).isEqualTo(256);
        assertThat(BusyQueuePairs.slotsNeeded(100, 1)).isEqualTo(4);
        assertThat(BusyQueuePairs.slotsNeeded(1000, 16)).isEqualTo(16);
        assertThat(BusyQueuePairs.slotsNeeded(1000, 1)).isEqualTo(1);
    }

    @Test
    void smallRingsTakeLess() {
        QueuePairMemory.Bytes large = QueuePairMemory.measure(Rings.DEFAULT, 64, true);
        QueuePairMemory.Bytes small = QueuePairMemory.measure(new Rings(4, 4, 1, 0), 64, true);
        assertThat(small.direct()).isLessThan(large.direct() / 4).isGreaterThan(4 * 64);
    }

    @Test
    void aQueuePairThatWasNeverUsedHasNoRings() {
        assertThat(QueuePairMemory.measure(Rings.DEFAULT, 64, false).direct()).isLessThan(1024);
        assertThat(QueuePairMemory.measure(Rings.DEFAULT, 64, true).direct()).isGreaterThan(50 << 10);
    }

    @Test
    void rowsHaveMediansAndRatios() {
        assertThat(Scale.row(1000, new double[] {4e6, 5e6, 6e6}, 10e6))
                .isEqualTo("| 1,000 | 5.00 | 4.00-6.00 | 200 | 0.50 |");
        IdleProcess.Taken empty = new IdleProcess.Taken(20 << 20, 0.0001);
        IdleProcess.Taken node = new IdleProcess.Taken(60 << 20, 0.0025);
        assertThat(Scale.row("a", empty, null)).isEqualTo("| a | 20.0 | 0.01 % |");
        assertThat(Scale.row("b", node, empty)).isEqualTo("| b | 60.0 (+40.0) | 0.25 % |");
    }

    @Test
    void verbsHaveNames() {
        assertThat(ScaleVerb.of("send-shared")).isEqualTo(ScaleVerb.SEND_SHARED);
        assertThatThrownBy(() -> ScaleVerb.of("read"))
                .isInstanceOf(RunException.class)
                .hasMessage("unknown verb 'read', expected append, send or send-shared");
    }
}
