package io.verbena.papers.model;

import io.verbena.papers.figures.PaperCommand;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code verbena figures model}: the simulated NIC and host. */
@Command(
        name = "model",
        description = {
            "The simulated NIC and host: which discipline of a card shows figure 2 of Avatar and figure 3 of Palos;",
            "by name also 'machine', what the model says of this machine's cores beside what they do, in a minute.%n"
        })
public final class ModelFigures extends PaperCommand {
    /** Creates it. */
    public ModelFigures() {
        super("model", figures());
    }

    static List<PaperFigure> figures() {
        return List.of(new CardFigure(), new MachineFigure());
    }
}
