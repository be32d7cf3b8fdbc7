package io.verbena.papers.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What all papers' figures have in common: verdicts, numbers, pictures, files. */
@Timeout(180)
class FiguresTest {
    @TempDir
    Path directory;

    @Test
    void aNumberNearThePapersHolds() {
        assertThat(Claim.near("a", "", 100, "", 102, 0.02, "no").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(Claim.near("a", "", 100, "", 98, 0.02, "no").verdict()).isEqualTo(Verdict.HOLDS);
        Claim far = Claim.near("a", "", 100, "", 102.1, 0.02, "no");
        assertThat(far.verdict()).isEqualTo(Verdict.HOLDS_NOT);
        assertThat(far.reason()).isEqualTo("no");
        assertThat(Claim.near("a", "", 0, "", 0, 0.02, "no").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(far.accepted()).isEqualTo("± 2 %");
        Claim computed = Claim.nearComputed("a", "", 8, "Gb/s", 9, 0.1, "no");
        assertThat(computed.paper()).isNaN();
        assertThat(computed.accepted()).isEqualTo("8 Gb/s ± 10 %");
        assertThat(computed.holds()).isFalse();
        assertThat(Claim.atMost("a", "", 0.01, 0.01, "no").but("b").accepted()).isEqualTo("≤ 1 %");
    }

    @Test
    void aRemarkNeverMakesAClaimHold() {
        Claim held = Claim.judged("a", "", 1, "", 1, true, "no").but("with luck");
        assertThat(held.verdict()).isEqualTo(Verdict.HOLDS_WITH_REASON);
        assertThat(held.reason()).isEqualTo("with luck");
        Claim failed = Claim.judged("a", "", 1, "", 2, false, "no").but("with luck");
        assertThat(failed.verdict()).isEqualTo(Verdict.HOLDS_NOT);
        assertThat(failed.reason()).isEqualTo("no; with luck");
        assertThatThrownBy(() -> Claim.judged("a", "", 1, "", 2, false, "")).hasMessageContaining("without a reason");
    }

    @Test
    void numbersHaveFourDigitsThatCount() {
        assertThat(Numbers.text(1.6243, "GB")).isEqualTo("1.624 GB");
        assertThat(Numbers.text(16_800.0, "")).isEqualTo("16,800");
        assertThat(Numbers.text(4596.8)).isEqualTo("4,597");
        assertThat(Numbers.text(5.2)).isEqualTo("5.2");
        assertThat(Numbers.text(0.00012)).isEqualTo("1.20e-04");
        assertThat(Numbers.text(Double.NaN, "GB")).isEqualTo("-");
        assertThat(Numbers.bytes(1 << 20)).isEqualTo("1.049 MB (1 MiB)");
        assertThat(Numbers.tick(2e9)).isEqualTo("2G");
    }

    @Test
    void picturesAreAsLargeAsTheySay() throws IOException {
        PaperPlot lines = new PaperPlot("lines", "title", "x", "y")
                .logarithmicX()
                .logarithmicY()
                .line("ours", List.of(1.0, 10.0, 100.0), List.of(5.0, 50.0, 20.0), 0)
                .dashes("more", List.of(1.0, 100.0), List.of(7.0, 7.0), 1)
                .points("paper", List.of(10.0), List.of(40.0), 0);
        PaperPlot bars = new PaperPlot("bars", "title", "x", "y")
                .categories(List.of("a", "b"))
                .bars("paper", List.of(1.0, 2.0))
                .bars("ours", List.of(1.5, 2.5));
        BufferedImage first = ImageIO.read(lines.save(directory).toFile());
        BufferedImage second = ImageIO.read(bars.save(directory).toFile());
        assertThat(List.of(first.getWidth(), first.getHeight())).containsExactly(PaperPlot.WIDTH, PaperPlot.HEIGHT);
        assertThat(List.of(second.getWidth(), second.getHeight())).containsExactly(PaperPlot.WIDTH, PaperPlot.HEIGHT);
        assertThat(colors(first)).as("lines").isGreaterThan(3);
        assertThat(colors(second)).as("bars").isGreaterThan(3);
    }

    private static long colors(BufferedImage image) {
        return java.util.Arrays.stream(
                        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth()))
                .distinct()
                .count();
    }

    @Test
    void picturesThatMakeNoSenseAreRefused() {
        PaperPlot plot = new PaperPlot("p", "", "", "").logarithmicY();
        assertThatThrownBy(() -> plot.line("a", List.of(1.0), List.of(1.0, 2.0), 0))
                .hasMessageContaining("1 x for 2 y");
        assertThatThrownBy(() -> plot.save(directory)).hasMessageContaining("no data");
        assertThatThrownBy(() -> plot.bars("a", List.of(1.0))).hasMessageContaining("1 bars for 0 categories");
        plot.line("a", List.of(1.0, 2.0), List.of(0.0, 2.0), 0);
        assertThatThrownBy(() -> plot.save(directory)).hasMessageContaining("no place on a logarithmic axis");
    }

    @Test
    void aClaimThatNoMutationTurnsIsNamed() {
        PaperFigure broken = figure(3, List.of());
        PaperFigure whole = figure(1, List.of(new Mutation("three instead of one", broken)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(new MutationRun(List.of(whole), 7, PaperFigure.Size.QUICK)
                        .run(new PrintStream(out, true, StandardCharsets.UTF_8)))
                .containsExactly("1.always");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("three instead of one", "| 1.less", "1 of 2 claims", "No mutation turns 1.always.");
    }

    /** Claims that a value is less than 2, that it is a number, and that it is less than nothing. */
    private static PaperFigure figure(double value, List<Mutation> mutations) {
        return new PaperFigure("1", "Figure 1") {
            @Override
            public List<Mutation> mutations() {
                return mutations;
            }

            @Override
            public FigureReport run(long seed, Size size) {
                return new FigureReport(id(), title())
                        .claim(Claim.judged("1.less", "", "", value, value < 2, "more"))
                        .claim(Claim.judged("1.always", "", "", value, !Double.isNaN(value), "none"))
                        .claim(Claim.judged("1.never", "", "", value, value < 0, "more"));
            }
        };
    }

    @Test
    void aRunLeavesItsFiles() throws IOException {
        PaperFigure figure = new PaperFigure("1", "Figure 1") {
            @Override
            public FigureReport run(long seed, Size size) {
                return new FigureReport(id(), title())
                        .setting("seed", String.valueOf(seed))
                        .claim(Claim.near("1.a", "a claim", Double.NaN, "MB", 2, 0.1, "no number is printed"))
                        .table(new DataTable("Data", List.of("x", "y"), List.of(List.of("1", "2"))))
                        .note("a note")
                        .plot(new PaperPlot("paper-1", "t", "x", "y").line("l", List.of(1.0), List.of(1.0), 0));
            }
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<FigureReport> reports = new FigureRun("paper", List.of(figure), 7, PaperFigure.Size.QUICK)
                .run(directory.resolve("new"), new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(reports).hasSize(1);
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("does not hold", "| 1.a", "a note", "paper.json");
        String json = Files.readString(directory.resolve("new/paper.json"));
        assertThat(json).contains("\"ours\" : 2.0", "HOLDS_NOT", "\"seed\" : 7").doesNotContain("NaN");
        assertThat(Files.readString(directory.resolve("new/paper.md"))).contains("paper-1.png", "Data:");
        assertThat(directory.resolve("new/paper-1.png")).isNotEmptyFile();
        assertThatThrownBy(() -> new DataTable("Data", List.of("x"), List.of(List.of("1", "2"))))
                .hasMessageContaining("2 cells for 1 columns");
    }
}
