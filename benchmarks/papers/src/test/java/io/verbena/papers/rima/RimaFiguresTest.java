package io.verbena.papers.rima;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is computed comes out as it was computed by hand; what is simulated as it must. */
@Tag("computed") // the same on every JDK
@Timeout(180)
class RimaFiguresTest {
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

    @Test
    void sizesHaveThePointsOfThePaper() {
        FigureReport report = new Figure2().run(1, Size.QUICK);
        holds(report, "2.kilobyte", "2.tail", "2.mean", "2.drawn");
    }

    @Test
    void otherSizesChangeSharedQueuesAndNoAppendQueue() {
        FigureReport report = new Table1().run(1, Size.FULL);
        holds(report, "table1.srq", "table1.rima");
        assertThat(claim(report, "table1.srq").ours()).isGreaterThanOrEqualTo(5);
    }

    /** What is computed takes no time: each of its claims that holds can fail. Of the others, {@code --mutate}. */
    @Test
    void computedClaimsTurnWhereTheModelIsBroken() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<PaperFigure> computed = List.of(new Table1(), new Figure2(), new Figure4(), new Figure6(), new Figure7());
        List<String> immune =
                new MutationRun(computed, 1, Size.QUICK).run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(immune).as(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(RimaFigures.figures())
                .allSatisfy(each -> assertThat(each.mutations()).isNotEmpty());
    }

    @Test
    void equalRangesNeedLeastAtTwoHundred() {
        FigureReport report = new Figure4().run(1, Size.FULL);
        assertThat(claim(report, "4.least").ours()).isBetween(1.620, 1.628);
        assertThat(claim(report, "4.least-at").ours()).isBetween(195.0, 204.0);
        holds(report, "4.least", "4.least-at", "4.server", "4.ratio", "4.u");
    }

    @Test
    void slabsMergedIntoEightNeedAGibibyteAndAHalf() {
        FigureReport report = new Figure6().run(1, Size.FULL);
        assertThat(claim(report, "6.eight").ours()).isBetween(1.48, 1.49);
        assertThat(claim(report, "6.best").ours()).isEqualTo(10);
        assertThat(claim(report, "6.one").ours()).isBetween(4_590.0, 4_600.0);
        holds(report, "6.slabs", "6.one", "6.eight", "6.best", "6.all", "6.rima");
    }

    @Test
    void longerMessagesChangeAppendQueuesLittle() {
        FigureReport report = new Figure7().run(1, Size.FULL);
        holds(report, "7.rima", "7.advantage");
        assertThat(claim(report, "7.rima").ours()).isBetween(2.0, 3.0);
    }

    @Test
    void anAppendQueueIsSmallAndReadyWhereOneSharedReceiveQueueIsHuge() {
        FigureReport report = new Figure3().run(3, Size.QUICK);
        holds(
                report,
                "3.srq.active",
                "3.srq.total",
                "3.rima.active",
                "3.rima.mean",
                "3.rima.peak",
                "3.ratio",
                "3.line.mean",
                "3.line.peak",
                "3.line.ready",
                "3.line.not-ready",
                "3.line.slow");
        assertThat(claim(report, "3.line.throughput.1mib").ours()).isBetween(0.9, 1.02);
    }

    @Test
    void aCapHalvesThroughputOnFewMachinesAlone() {
        FigureReport report = new Table5().run(1, Size.QUICK);
        holds(report, "table5.64", "table5.128", "table5.256", "table5.memory");
        assertThat(claim(report, "table5.scaling").verdict()).isEqualTo(Verdict.HOLDS_NOT);
        assertThat(claim(report, "table5.scaling").ours()).isBetween(0.95, 1.05);
    }

    @Test
    void messagesThatWaitTakeWhatTheFormulaSays() {
        FigureReport report = new Figure5().run(1, Size.QUICK);
        holds(report, "5.u", "5.best", "5.rima", "5.active");
    }

    @Test
    void largeMessagesPayForLittleMemoryUnlessTheyAreAppended() {
        FigureReport report = new TailLatency().run(1, Size.QUICK);
        assertThat(report.claims())
                .allSatisfy(each -> assertThat(each.verdict()).isNotEqualTo(Verdict.HOLDS_NOT));
        assertThat(claim(report, "5.2.1.fetch-add").ours()).isBetween(2.9, 3.2);
        assertThat(claim(report, "5.2.1.pre-allocated").ours()).isBetween(37.7, 37.9);
    }

    @Test
    void theSameSeedWritesTheSameFile() throws IOException {
        String first = files("first", "5");
        assertThat(files("again", "5")).isEqualTo(first);
        assertThat(files("other", "6")).isNotEqualTo(first);
        try (Stream<Path> all = Files.list(directory.resolve("first"))) {
            assertThat(all.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("rima.json", "rima.md", "rima-figure-4.png", "rima-figure-5.png");
        }
    }

    private String files(String name, String seed) throws IOException {
        Path out = directory.resolve(name);
        int exit = new CommandLine(new RimaFigures())
                .execute("--quick", "--figure", "4,5", "--seed", seed, "--out", out.toString());
        assertThat(exit).isZero();
        return Files.readString(out.resolve("rima.json"));
    }

    @Test
    void figuresAreNamedAndUnknownOnesRefused() {
        List<String> ids = RimaFigures.figures().stream().map(PaperFigure::id).toList();
        assertThat(ids).doesNotHaveDuplicates().contains("table1", "2", "3", "4", "5", "6", "7", "table5", "table6");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CommandLine line =
                new CommandLine(new RimaFigures()).setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        assertThat(line.execute("--figure", "3,17")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no figure 17; there are table1, 2, 3, 4");
    }
}
