package io.verbena.bench.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** What is measured and how it is judged, with figures that are made up, and once for real. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PromiseCommandTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);
    private final List<Cell> measured = new ArrayList<>();

    private int run(@Nullable Function<Cell, CellOutcome> given, String... arguments) {
        PromiseCommand command = new PromiseCommand(given);
        command.printTo(out, out);
        return new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments);
    }

    private CellOutcome noted(Cell cell, CellOutcome outcome) {
        measured.add(cell);
        return outcome;
    }

    private static CellOutcome outcome(long first, long second, double offered) {
        return new CellOutcome(first, second, 0, 1, offered, 1, null);
    }

    private String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void everyCombinationIsACell() {
        assertThat(run(cell -> noted(cell, outcome(1, 1, 0)))).isZero();

        assertThat(measured).hasSize(4 * 2 * 3 * 5 * 4).doesNotHaveDuplicates();
        assertThat(text()).contains("480 cells: 0 kept, 0 BROKEN, 480 not contested, 0 FAILED");
    }

    @Test
    void theSampleHasEverySizeReceiverAndWeight() {
        assertThat(run(cell -> noted(cell, outcome(1, 1, 0)), "--quick")).isZero();

        assertThat(measured).hasSize(4 * 2 * 3);
        Set<Cell.Sizes> sizes = measured.stream().map(Cell::sizes).collect(Collectors.toSet());
        Set<ReceiverKind> receivers = measured.stream().map(Cell::receiver).collect(Collectors.toSet());
        Set<Weights> weights = measured.stream().map(Cell::weights).collect(Collectors.toSet());
        assertThat(sizes).isEqualTo(EnumSet.allOf(Cell.Sizes.class));
        assertThat(receivers).isEqualTo(EnumSet.allOf(ReceiverKind.class));
        assertThat(weights).hasSize(5);
    }

    @ParameterizedTest
    @CsvSource({
        // weights, first's bytes, second's bytes, what the second offered, verdict
        "3:1,     751, 249, 1.00, KEPT",
        "3:1,     762, 238, 1.00, KEPT", // 4.8 % of 250 less
        "3:1,     763, 237, 1.00, BROKEN",
        "3:1,     500, 500, 0.96, BROKEN",
        "3:1,     771, 229, 0.96, KEPT", // it did not offer for 4 % of the time
        "3:1,     738, 262, 0.96, KEPT",
        "3:1,     737, 263, 0.96, BROKEN", // that was no time of the other's
        "3:1,     500, 500, 0.94, UNCONTESTED",
        "1:9,     104, 896, 1.00, KEPT",
        "1:9,     106, 894, 1.00, BROKEN",
        "1:9,     122, 878, 0.98, KEPT", // the other did not offer for 2 % of the time
        "1:9,     124, 876, 0.98, BROKEN",
        "3:1-1:3, 250, 750, 1.00, KEPT",
        "3:1-1:3, 750, 250, 1.00, BROKEN",
        "3:1,     0,   0,   1.00, FAILED"
    })
    void theTenantWithLessIsJudged(String weights, long first, long second, double offered, CellVerdict verdict) {
        assertThat(outcome(first, second, offered).verdict(Weights.parse(weights), 0.05))
                .isEqualTo(verdict);
    }

    @Test
    void brokenCellsAreCounted() {
        String[] two = {"--fabric=uds", "--mode=thread", "--sizes=equal", "--weights=3:1", "--receiver=shared,own"};
        Function<Cell, CellOutcome> even = cell -> outcome(500, 500, 1);

        assertThat(run(even, two)).isEqualTo(1);
        assertThat(run(even, two[0], two[1], two[2], two[3], two[4], "--allow=2"))
                .isZero();
        assertThat(text())
                .containsPattern("1 KiB each +\\| an inbox each +\\| 3:1 +\\| 0.750 +\\| 0.500 +\\| \\+100.0 %");
    }

    @Test
    void whatCannotBeMeasuredFails() {
        assertThat(run(cell -> CellOutcome.failed("no such thing"), "--fabric=tcp", "--allow=999"))
                .isEqualTo(1);
        assertThat(text()).contains("FAILED: no such thing");
    }

    @Test
    void wrongOptionsAreNamed() {
        assertThat(run(null, "--weights=3")).isEqualTo(1);
        assertThat(run(null, "--fabric=nio-tcp")).isEqualTo(1);
        assertThat(text()).contains("weights '3', expected such as 3:1").contains("fabric 'nio-tcp', expected local");
    }

    @Test
    void cellsCanBeTold() {
        for (Cell cell : Cell.all(
                Cell.FABRICS,
                Cell.MODES,
                List.of(Cell.Sizes.values()),
                List.of(Weights.parse("3:1-1:3")),
                List.of(ReceiverKind.values()))) {
            assertThat(Cell.parse(cell.line())).isEqualTo(cell);
        }
    }

    @ParameterizedTest
    @EnumSource(ReceiverKind.class)
    void bytesOfBothArriveAtEveryReceiver(ReceiverKind receiver) {
        Cell cell =
                new Cell(Cell.FABRICS.get(0), Cell.MODES.get(0), Cell.Sizes.LARGE, Weights.parse("1:1-2:1"), receiver);
        CellOutcome outcome;
        double seconds = 0.25;
        do { // for longer, where somebody was off its core meanwhile
            seconds *= 2;
            try (PromiseRun run = new PromiseRun(0.2, seconds, 0)) {
                outcome = run.measure(cell);
            }
        } while (outcome.failure() == null && seconds < 8 && Math.min(outcome.first(), outcome.second()) == 0);
        assertThat(outcome.failure()).isNull();
        assertThat(outcome.first()).isPositive();
        assertThat(outcome.second()).isPositive();
    }

    @Test
    void aDamagedMessageIsTold() {
        CellContent content = new CellContent(Cell.Sizes.LARGE);
        UnsafeBuffer message = CellContent.message(1, Cell.Sizes.LARGE);
        int length = message.capacity();

        assertThat(content.read(message, 0, length)).isEqualTo(1);
        assertThatThrownBy(() -> content.read(message, 0, length - 1))
                .hasMessageContaining("a message of " + (length - 1) + " bytes that begins with 1 was not sent");
        message.putByte(length - 1, (byte) ~message.getByte(length - 1));
        assertThatThrownBy(() -> content.read(message, 0, length)).hasMessageContaining("tenant 1 of " + length);
    }

    @Test
    void whatTheOtherGotWhileThisOneHadWorkIsContested() {
        Flood.Offered before = new Flood.Offered(0, 0, 1000, 100);

        assertThat(new Flood.Offered(100, 50, 2000, 300).since(before)).isEqualTo(0.8);
        assertThat(new Flood.Offered(100, 90, 2000, 300).since(before)).isEqualTo(0.9);
        assertThat(new Flood.Offered(100, 0, 1000, 100).since(before)).isEqualTo(1);
    }
}
