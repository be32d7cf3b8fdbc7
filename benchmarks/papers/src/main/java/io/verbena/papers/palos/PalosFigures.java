package io.verbena.papers.palos;

import io.verbena.papers.figures.PaperCommand;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code verbena figures palos}: the evaluation of Palos. */
@Command(
        name = "palos",
        description = {
            "Palos' figures 2, 3 and 7 to 11 with all disciplines of the arbiter, on a "
                    + "simulated link of 100 Gb/s; by name also",
            "'cost', of the arbiter alone, and 'real', figures 7, 8, 9 and 11 on this machine, in about 7 minutes.",
            "Prints the paper's number beside the one here and whether the claim "
                    + "holds; writes PNG, Markdown and JSON.%n"
        })
public final class PalosFigures extends PaperCommand {
    /** Creates it. */
    public PalosFigures() {
        super("palos", figures());
    }

    /** All of them, in the paper's order. */
    static List<PaperFigure> figures() {
        return List.of(
                new Figure2(),
                new Figure3(),
                new Figure7(),
                new Figure8(),
                new Figure9(),
                new Figure10(),
                new Figure11(),
                new WeightCost(),
                new RealFigure());
    }
}
