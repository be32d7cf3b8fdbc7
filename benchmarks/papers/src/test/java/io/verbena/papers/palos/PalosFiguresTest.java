package io.verbena.papers.palos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.MutationRun;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.papers.figures.Verdict;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** What the wire carries under each discipline is what is computed for it, on the code that a service runs. */
@Tag("computed") // the same on every JDK
@Timeout(180)
class PalosFiguresTest {
    @TempDir
    Path directory;

    private static Claim claim(FigureReport report, String id) {
        return report.claims().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static void holds(FigureReport report, String... ids) {
        for (String id : ids) {
            assertThat(claim(report, id).verdict()).as("%s", claim(report, id)).isNotEqualTo(Verdict.HOLDS_NOT);
        }
    }

    private static SharesRun run(Discipline discipline) {
        return new SharesRun(1, Size.QUICK, Disciplines.AS_NAMED.settings(discipline), Frames.STANDARD);
    }

    @ParameterizedTest
    @CsvSource({"64", "256", "1024", "4096"})
    void packetsInTurnGiveWhatTheFormulaSays(int bytes) {
        for (Frames frames : List.of(Frames.STANDARD, Frames.JUMBO)) {
            SizeSweep.Shares shares = new SizeSweep(1, Size.QUICK, frames, Disciplines.AS_NAMED)
                    .together(Discipline.PACKET_ROUND_ROBIN, bytes);
            double computed = SizeSweep.packetRoundRobin(frames, bytes);
            assertThat(shares.large()).isCloseTo(computed, within(0.02 * computed));
            assertThat(shares.large() + shares.small()).isCloseTo(1, within(0.005));
        }
    }

    @ParameterizedTest
    @CsvSource({"256", "1024", "4096"})
    void chunksGiveEachFlowASeventeenth(int bytes) {
        SizeSweep.Shares shares =
                new SizeSweep(1, Size.QUICK, Frames.STANDARD, Disciplines.AS_NAMED).together(Discipline.CHUNKS, bytes);
        assertThat(shares.large()).isCloseTo(1 / 17.0, within(0.02 / 17));
        assertThat(shares.large() + shares.small()).isCloseTo(1, within(0.005));
    }

    /** No discipline but software chunking leaves the link idle while a flow has work; that one waits for its chunk. */
    @ParameterizedTest
    @EnumSource
    void aFlowAloneGetsTheLink(Discipline discipline) {
        SharesRun run = run(discipline);
        double share = run.flows(1, run.tenant("alone", 1), 1, PalosWorld.LARGE).shares()[0];
        if (discipline == Discipline.SOFTWARE_CHUNKING) {
            // 25 KB, 2 us at the link's rate, and about 3 us until they are acknowledged
            assertThat(share).isBetween(0.3, 0.6);
        } else {
            assertThat(share).isGreaterThan(0.99);
        }
    }

    /** PALOS_AS_PRINTED cuts messages at the chunk: payload is shared exactly, for which it sends more packets. */
    @ParameterizedTest
    @CsvSource({"256", "1000", "4096"})
    void asPrintedEachFlowSendsASeventeenthOfThePayload(int bytes) {
        SizeSweep sweep = new SizeSweep(1, Size.QUICK, Frames.STANDARD, Disciplines.AS_NAMED);
        SizeSweep.Shares printed = sweep.together(Discipline.PALOS_AS_PRINTED, bytes);
        assertThat(printed.largePayload()).isCloseTo(1 / 17.0, within(0.01 / 17));
        assertThat(printed.large() + printed.small()).isCloseTo(1, within(0.005));
        assertThat(printed.packets())
                .isGreaterThan(1.05
                        * sweep.together(Discipline.DEFICIT_ROUND_ROBIN, bytes).packets());
    }

    @Test
    void figuresTurnWhereADisciplineIsNotWhatItIsCalled() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> immune = new MutationRun(List.of(new Figure3()), 1, Size.QUICK)
                .run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("packet round robin run as chunks", "3.24, 3.slope", "2 of 2 claims");
        assertThat(PalosFigures.figures())
                .allSatisfy(each -> assertThat(each.mutations().isEmpty()).isNotEqualTo(each.isRepeatable()));
    }

    @Test
    void groupsAreIsolatedByChunksAndLanesAndNotByPackets() {
        assertThat(largeShareOfWeightThree(Discipline.CHUNKS)).isCloseTo(0.75, within(0.01));
        assertThat(largeShareOfWeightThree(Discipline.VIRTUAL_LANES))
                .isCloseTo(0.75, within(0.04)); // 154 B are 3 units
        double packets = largeShareOfWeightThree(Discipline.PACKET_ROUND_ROBIN);
        double large = SizeSweep.largePacket(Frames.STANDARD);
        double small = SizeSweep.smallPacket(Frames.STANDARD, PalosWorld.SMALL);
        assertThat(packets).isCloseTo(large / (large + small), within(0.005));
    }

    /** Two flows of 2 MiB in a group of weight 3 beside two of 64 B in a group of weight 1. */
    private static double largeShareOfWeightThree(Discipline discipline) {
        SharesRun run = run(discipline);
        double[] shares = run.flows(2, run.tenant("small", 1), 1, PalosWorld.SMALL)
                .flows(2, run.tenant("large", 3), 1, PalosWorld.LARGE)
                .shares();
        assertThat(Arrays.stream(shares).sum()).isCloseTo(1, within(0.005));
        return SharesRun.sum(shares, 2, 4);
    }

    @Test
    void levelsAreThoseOfEquationOneAndAsPrintedInPayload() {
        FigureReport report = new Figure10().run(1, Size.QUICK);
        for (String of : List.of("large", "small", "mixed")) {
            assertThat(claim(report, "10.ours." + of).ours()).as(of).isLessThan(5); // a short run: a packet is 0.6 %
        }
        holds(report, "10.printed.large", "10.printed.small", "10.printed.mixed");
        assertThat(claim(report, "10.whole.mixed").ours()).isGreaterThan(20);
        holds(report, "10.idle");
        assertThat(claim(report, "10.idle.printed").verdict()).isEqualTo(Verdict.HOLDS_NOT);
        assertThat(claim(report, "10.idle.printed").ours()).isBetween(37.0, 38.0);
    }

    @Test
    void aWeightInOneGroupIsNotFeltInAnother() {
        FigureReport report = new Figure11().run(1, Size.QUICK);
        holds(report, "11.groups", "11.midway.groups", "11.printed");
        assertThat(claim(report, "11.midway.flows").ours()).isLessThan(3);
        assertThat(claim(report, "11.whole").verdict()).isEqualTo(Verdict.HOLDS_NOT);
        assertThat(claim(report, "11.flows").ours()).isLessThan(3);
        assertThat(claim(report, "11.qp6.1").ours()).isCloseTo(8.333, within(0.2));
        assertThat(claim(report, "11.qp6.6").ours()).isCloseTo(27.273, within(0.4));
    }

    @Test
    void aSmallMessageWaitsForAPacketOfEachLargeFlowUnlessItIsUrgent() {
        LatencyRun run = new LatencyRun(1, Size.QUICK, Frames.STANDARD, Disciplines.AS_NAMED);
        double alone = run.run(Discipline.CHUNKS, TrafficClass.URGENT, 0).mean();
        assertThat(alone).isCloseTo(1_294, within(20.0));
        double packet = SizeSweep.largePacket(Frames.STANDARD) * 8 / PalosWorld.LINE_GIGABITS;
        double four =
                run.run(Discipline.PACKET_ROUND_ROBIN, TrafficClass.BULK, 4).mean();
        double sixteen =
                run.run(Discipline.PACKET_ROUND_ROBIN, TrafficClass.BULK, 16).mean();
        assertThat(sixteen - four).isCloseTo(12 * packet, within(packet));
        assertThat(run.run(Discipline.PALOS_AS_PRINTED, TrafficClass.URGENT, 16).mean())
                .isLessThan(1.79 * alone);
        LatencyProbe.Latency urgent = run.run(Discipline.CHUNKS, TrafficClass.URGENT, 16);
        assertThat(urgent.mean()).isLessThan(1.79 * alone);
        assertThat(urgent.most()).isLessThan((long) alone + 2_621); // two chunks of 16 KiB
    }

    @Test
    void whatMeasuresThisMachineIsRunWhenItIsNamed() {
        FigureReport report = new WeightCost().run(1, Size.QUICK);
        assertThat(report.claims())
                .hasSize(3)
                .allSatisfy(each -> assertThat(each.ours()).isPositive());
        assertThat(PalosFigures.figures().stream().filter(each -> !each.isRepeatable()))
                .extracting(PaperFigure::id)
                .containsExactly("cost", "real");
    }

    @Test
    void theSameSeedWritesTheSameFile() throws IOException {
        String first = files("first", "5");
        assertThat(files("again", "5")).isEqualTo(first);
        assertThat(files("other", "6")).isNotEqualTo(first);
        try (Stream<Path> all = Files.list(directory.resolve("first"))) {
            assertThat(all.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("palos.json", "palos.md", "palos-figure-3.png");
        }
    }

    private String files(String name, String seed) throws IOException {
        Path out = directory.resolve(name);
        int exit = new CommandLine(new PalosFigures())
                .execute("--quick", "--figure", "3", "--seed", seed, "--out", out.toString());
        assertThat(exit).isZero();
        return Files.readString(out.resolve("palos.json"));
    }

    @Test
    void figuresAreNamedAndUnknownOnesRefused() {
        List<String> ids = PalosFigures.figures().stream().map(PaperFigure::id).toList();
        assertThat(ids).containsExactly("2", "3", "7", "8", "9", "10", "11", "cost", "real");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CommandLine line =
                new CommandLine(new PalosFigures()).setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        assertThat(line.execute("--figure", "3,17")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no figure 17; there are 2, 3");
    }
}
