package io.verbena.papers.avatar;

import io.verbena.papers.figures.PaperCommand;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code verbena figures avatar}: what Avatar measures, on the simulated NIC and cores. */
@Command(
        name = "avatar",
        description = {
            "Avatar's figures on the simulated NIC and cores: threads and connections that share a queue pair,",
            "behind a lock or by a Worker, and what a message waits for others. Prints the paper's number beside the",
            "one here and whether the claim holds; writes PNG, Markdown and JSON.%n"
        })
public final class AvatarFigures extends PaperCommand {
    /** Creates it. */
    public AvatarFigures() {
        super("avatar", figures());
    }

    /** All of them, in the paper's order. */
    static List<PaperFigure> figures() {
        return List.of(
                new Figure1(),
                new Figure2(),
                new Figure3a(),
                new Figure3b(),
                new Figure5a(),
                new Figure5b(),
                new Figure6(),
                CircleFigure.figure7(),
                CircleFigure.figure8(),
                new Figure9(),
                new Figure10a(),
                new Figure10b());
    }
}
