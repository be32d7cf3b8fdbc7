package io.verbena.papers.drum;

import io.verbena.papers.figures.PaperCommand;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code verbena figures drum}: the simulations of DRUM. */
@Command(
        name = "drum",
        description = {
            "DRUM's figures 2a to 2c on the simulated NIC: batches, polls, connections; 8 to 16 there: RAW,",
            "SHARE and an agent with rates by utility; its figures 4 to 6 with the solvers of rates: rounds,",
            "residuals, lost messages, and its algorithms as they are printed. By name also, on this machine:",
            "17, what the agent takes of a core, and 'large', 10,000 hosts of 5,000 applications, in about a",
            "minute on two free cores.",
            "Prints the paper's number beside the one here and whether the claim "
                    + "holds; writes PNG, Markdown and JSON.%n"
        })
public final class DrumFigures extends PaperCommand {
    /** Creates it. */
    public DrumFigures() {
        super("drum", figures());
    }

    /** All of them, in the paper's order. */
    static List<PaperFigure> figures() {
        return List.of(
                new Figure2a(),
                new Figure2b(),
                new Figure2c(),
                ConvergenceFigure.figure4(),
                ConvergenceFigure.figure5(),
                new LossFigure(),
                new Figure8(),
                new Figure9(),
                new Figure10(),
                new Figure11(),
                new Figure12(),
                new Figure13(),
                StoreFigure.figure15(false),
                StoreFigure.figure15(true),
                StoreFigure.figure16(false),
                StoreFigure.figure16(true),
                new AgentFigure(),
                new LargeFigure());
    }
}
