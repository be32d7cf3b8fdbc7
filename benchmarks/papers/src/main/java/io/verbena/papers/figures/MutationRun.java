package io.verbena.papers.figures;

import io.verbena.bench.report.MarkdownTable;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Runs figures as they are and with each of their mutations, and says which claims none of these turns. */
public final class MutationRun {
    private final List<PaperFigure> figures;
    private final long seed;
    private final PaperFigure.Size size;
    private final List<String> immune = new ArrayList<>();

    /**
     * A run.
     *
     * @param figures that are repeatable
     * @param seed of all chance
     * @param size how much is run of each
     */
    public MutationRun(List<PaperFigure> figures, long seed, PaperFigure.Size size) {
        this.figures = List.copyOf(figures);
        this.seed = seed;
        this.size = size;
    }

    /**
     * Runs.
     *
     * @param out gets what each mutation turns
     * @return ids of the claims that hold and that no mutation turns
     */
    public List<String> run(PrintStream out) {
        immune.clear();
        for (PaperFigure figure : figures) {
            run(figure, out);
        }
        out.println(
                immune.isEmpty()
                        ? "Each claim that holds is turned by a mutation."
                        : "No mutation turns " + String.join(", ", immune) + '.');
        return List.copyOf(immune);
    }

    private void run(PaperFigure figure, PrintStream out) {
        long start = System.nanoTime();
        FigureReport whole = figure.run(seed, size);
        Set<String> held = new LinkedHashSet<>();
        for (Claim claim : whole.claims()) {
            if (claim.holds()) {
                held.add(claim.id());
            }
        }
        Set<String> left = new LinkedHashSet<>(held);
        MarkdownTable table = new MarkdownTable(List.of("broken", "claims that it turns"));
        for (Mutation mutation : figure.mutations()) {
            List<String> turned = new ArrayList<>();
            for (Claim claim : mutation.figure().run(seed, size).claims()) {
                if (!claim.holds() && held.contains(claim.id())) {
                    turned.add(claim.id());
                }
            }
            left.removeAll(turned);
            table.line(List.of(mutation.text(), turned.isEmpty() ? "none" : String.join(", ", turned)));
        }
        out.println("## " + figure.title());
        out.println();
        table.print(out);
        out.println();
        out.printf(
                Locale.ROOT,
                "%d of %d claims that hold are turned (%.1f s)%n%n",
                held.size() - left.size(),
                held.size(),
                (System.nanoTime() - start) / 1e9);
        immune.addAll(left);
    }
}
