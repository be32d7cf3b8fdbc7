package io.verbena.papers.rima;

import io.verbena.papers.etc.EtcFigure;
import io.verbena.papers.figures.PaperCommand;
import io.verbena.papers.figures.PaperFigure;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** {@code verbena figures rima}: the evaluation of RIMA. */
@Command(
        name = "rima",
        description = {
            "RIMA's figures 2 to 7, its tables 1, 5 and 6 and the latencies of its section "
                    + "5.2.1, on a simulated fabric of 56 Gb/s.",
            "With --figure real also ETC traffic between processes of this machine.",
            "Prints the paper's number beside the one here and whether the claim "
                    + "holds; writes PNG, Markdown and JSON.%n"
        })
public final class RimaFigures extends PaperCommand {
    /** Creates it. */
    public RimaFigures() {
        super(
                "rima",
                Stream.concat(figures().stream(), Stream.of(new EtcFigure())).toList());
    }

    /** All that are simulated or computed, in the paper's order. */
    static List<PaperFigure> figures() {
        return List.of(
                new Table1(),
                new Figure2(),
                new Figure3(),
                new Figure4(),
                new Figure5(),
                new Figure6(),
                new Figure7(),
                new Table5(),
                new TailLatency());
    }
}
