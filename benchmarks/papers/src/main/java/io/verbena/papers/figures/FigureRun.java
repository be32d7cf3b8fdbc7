package io.verbena.papers.figures;

import io.verbena.bench.report.MarkdownTable;
import io.verbena.bench.trial.Json;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs figures of a paper one after the other, and leaves in a directory {@code <paper>.json}, {@code <paper>.md} and a
 * PNG a picture. Of simulated figures the JSON says nothing of the machine or the time: it is a function of the
 * arguments.
 */
public final class FigureRun {
    private static final List<String> CLAIM_HEADS =
            List.of("claim", "what is claimed", "paper", "accepted", "here", "verdict", "why");

    private final String paper;
    private final List<PaperFigure> figures;
    private final long seed;
    private final PaperFigure.Size size;

    /**
     * A run.
     *
     * @param paper names the files
     * @param figures what to run, in order
     * @param seed of all chance
     * @param size how much is run of each
     */
    public FigureRun(String paper, List<PaperFigure> figures, long seed, PaperFigure.Size size) {
        this.paper = paper;
        this.figures = List.copyOf(figures);
        this.seed = seed;
        this.size = size;
    }

    /**
     * Runs.
     *
     * @param directory for the files; made if it is not there
     * @param out gets each figure's report as it is done, in Markdown
     * @return what came out
     */
    public List<FigureReport> run(Path directory, PrintStream out) {
        List<FigureReport> reports = new ArrayList<>();
        try {
            Files.createDirectories(directory);
            for (PaperFigure figure : figures) {
                long start = System.nanoTime();
                FigureReport report = figure.run(seed, size);
                reports.add(report);
                print(report, out);
                report.plots().forEach(plot -> plot.save(directory));
                out.printf(Locale.ROOT, "(%.1f s)%n%n", (System.nanoTime() - start) / 1e9);
            }
            write(reports, directory);
        } catch (IOException e) {
            throw new RunException("cannot write into " + directory + ": " + e.getMessage(), e);
        }
        summary(reports, out);
        out.println("written: " + directory.resolve(paper + ".json") + ", " + directory.resolve(paper + ".md") + ", "
                + reports.stream().mapToInt(each -> each.plots().size()).sum() + " plots");
        return reports;
    }

    private void write(List<FigureReport> reports, Path directory) throws IOException {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("paper", paper);
        root.put("seed", seed);
        root.put("size", size);
        root.put("figures", reports.stream().map(FigureRun::json).toList());
        Json.write(directory.resolve(paper + ".json"), root);
        try (PrintStream markdown = new PrintStream(
                Files.newOutputStream(directory.resolve(paper + ".md")), false, StandardCharsets.UTF_8)) {
            summary(reports, markdown);
            reports.forEach(report -> print(report, markdown));
        }
    }

    private static Map<String, Object> json(FigureReport report) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("figure", report.id());
        map.put("title", report.title());
        map.put("settings", report.settings());
        map.put("claims", report.claims().stream().map(FigureRun::json).toList());
        map.put("tables", report.tables());
        map.put("notes", report.notes());
        map.put(
                "plots",
                report.plots().stream().map(plot -> plot.name() + ".png").toList());
        return map;
    }

    /** Without the numbers that are none: JSON has no NaN. */
    private static Map<String, Object> json(Claim claim) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", claim.id());
        map.put("text", claim.text());
        if (!Double.isNaN(claim.paper())) {
            map.put("paper", claim.paper());
        }
        if (!Double.isNaN(claim.ours())) {
            map.put("ours", claim.ours());
        }
        map.put("unit", claim.unit());
        map.put("accepted", claim.accepted());
        map.put("verdict", claim.verdict());
        map.put("reason", claim.reason());
        return map;
    }

    private static void summary(List<FigureReport> reports, PrintStream out) {
        MarkdownTable table = new MarkdownTable(List.of("figure", "holds", "holds, but", "does not hold"));
        for (FigureReport report : reports) {
            List<String> cells = new ArrayList<>();
            cells.add(report.title());
            for (Verdict verdict : Verdict.values()) {
                cells.add(String.valueOf(report.claims().stream()
                        .filter(claim -> claim.verdict() == verdict)
                        .count()));
            }
            table.line(cells);
        }
        table.print(out);
        out.println();
    }

    private static void print(FigureReport report, PrintStream out) {
        out.println("## " + report.title());
        out.println();
        if (!report.settings().isEmpty()) {
            List<String> settings = new ArrayList<>();
            report.settings().forEach((name, value) -> settings.add(name + " " + value));
            out.println("Settings: " + String.join("; ", settings) + ".");
            out.println();
        }
        MarkdownTable claims = new MarkdownTable(CLAIM_HEADS);
        for (Claim claim : report.claims()) {
            claims.line(List.of(
                    claim.id(),
                    claim.text(),
                    Numbers.text(claim.paper(), claim.unit()),
                    claim.accepted(),
                    Numbers.text(claim.ours(), claim.unit()),
                    claim.verdict().words(),
                    claim.reason()));
        }
        claims.print(out);
        out.println();
        for (DataTable data : report.tables()) {
            out.println(data.title() + ":");
            out.println();
            MarkdownTable table = new MarkdownTable(data.heads());
            data.rows().forEach(table::line);
            table.print(out);
            out.println();
        }
        for (String note : report.notes()) {
            out.println("- " + note);
        }
        if (!report.notes().isEmpty()) {
            out.println();
        }
        for (PaperPlot plot : report.plots()) {
            out.println("![" + report.title() + "](" + plot.name() + ".png)");
            out.println();
        }
    }
}
