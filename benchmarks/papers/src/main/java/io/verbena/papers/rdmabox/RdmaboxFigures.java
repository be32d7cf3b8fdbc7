package io.verbena.papers.rdmabox;

import io.verbena.papers.figures.PaperCommand;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code verbena figures rdmabox}: what RDMAbox measures. */
@Command(
        name = "rdmabox",
        description = {
            "RDMAbox's figures 1, 2 and 8 to 12 on the simulated NIC and host: threads on one queue pair, clusters of",
            "requests by polling scheme, a window for the bytes in flight, an application that pages to many peers, a",
            "store, trainings and a remote file by RDMAbox and by what it is compared with. By name also, here:",
            "from which length on it is cheaper to register a buffer than to copy it (5), and what merging and",
            "chaining do for threads that page (6, 7 and table I: 'batching'), in a minute on two free cores.",
            "Prints the paper's number beside the one here and whether the claim holds; writes PNG, Markdown"
                    + " and JSON.%n"
        })
public final class RdmaboxFigures extends PaperCommand {
    /** Creates it. */
    public RdmaboxFigures() {
        super("rdmabox", figures());
    }

    /** All of them, in the paper's order. */
    static List<PaperFigure> figures() {
        return List.of(
                new Figure1(),
                new Figure2(),
                new Figure5(),
                new BatchingFigure(),
                new Figure8(),
                new Figure9(),
                new Figure10(),
                new Figure11(),
                new Figure12());
    }
}
