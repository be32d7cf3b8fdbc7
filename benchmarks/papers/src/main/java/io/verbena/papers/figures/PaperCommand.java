package io.verbena.papers.figures;

import io.verbena.verification.RunCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A paper's subcommand of {@code verbena figures}: which figures to run, how much of each, and where files go. */
public abstract class PaperCommand extends RunCommand {
    @Option(
            names = "--figure",
            split = ",",
            paramLabel = "<figure>",
            description = "Only these, with commas between them; by default all but those that measure this machine.")
    List<String> chosen = List.of();

    @Option(names = "--quick", description = "Run less of each, to see in a minute that all of it works.")
    boolean quick;

    @Option(
            names = "--mutate",
            description = "Instead, break each figure on purpose in its ways, and say which claims that turns; "
                    + "fails if one that holds cannot fail.")
    boolean mutate;

    @Option(names = "--seed", paramLabel = "<seed>", description = "Of all chance; default ${DEFAULT-VALUE}.")
    long seed = 1;

    @Option(
            names = "--out",
            paramLabel = "<directory>",
            description = "Where files go; by default target/figures and the paper's name.")
    @Nullable
    Path folder;

    private final String paper;
    private final List<PaperFigure> figures;

    /**
     * A paper.
     *
     * @param paper names its files
     * @param figures all that there are of it, in its order
     */
    protected PaperCommand(String paper, List<PaperFigure> figures) {
        super("figures");
        this.paper = paper;
        this.figures = List.copyOf(figures);
    }

    @Override
    protected final int run() {
        List<PaperFigure> wanted = new ArrayList<>();
        List<String> unknown = new ArrayList<>(chosen);
        for (PaperFigure figure : figures) {
            if (chosen.isEmpty() ? figure.isRepeatable() : unknown.remove(figure.id())) {
                wanted.add(figure);
            }
        }
        if (!unknown.isEmpty()) {
            throw wrong("no figure " + String.join(", ", unknown) + "; there are "
                    + String.join(", ", figures.stream().map(PaperFigure::id).toList()));
        }
        if (wanted.isEmpty() && !mutate) { // all of them measure this machine
            wanted.addAll(figures);
        }
        PaperFigure.Size size = quick ? PaperFigure.Size.QUICK : PaperFigure.Size.FULL;
        if (mutate) {
            wanted.removeIf(figure -> !figure.isRepeatable());
            return new MutationRun(wanted, seed, size).run(out).isEmpty() ? 0 : 1;
        }
        Path directory = folder == null ? Path.of("target", "figures", paper) : folder;
        new FigureRun(paper, wanted, seed, size).run(directory, out);
        return 0;
    }
}
