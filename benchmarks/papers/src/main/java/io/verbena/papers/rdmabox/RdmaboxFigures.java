package io.verbena.papers.rdmabox;

import io.verbena.papers.figures.PaperCommand;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code verbena figures rdmabox}: what RDMAbox measures. */
@Command(
        name = "rdmabox",
        description = {
            "RDMAbox on this machine: from which length on it is cheaper to register a buffer than to copy",
            "it (5), and what merging and chaining do for threads that page (6, 7 and table I: 'batching').",
            "A minute on two free cores. Prints the paper's number beside the one here and whether the claim",
            "holds; writes PNG, Markdown and JSON.%n"
        })
public final class RdmaboxFigures extends PaperCommand {
    /** Creates it. */
    public RdmaboxFigures() {
        super("rdmabox", figures());
    }

    /** All of them, in the paper's order. */
    static List<PaperFigure> figures() {
        return List.of(new Figure1(), new Figure2(), new Figure5(), new BatchingFigure());
    }
}
