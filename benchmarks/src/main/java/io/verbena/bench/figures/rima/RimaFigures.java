package io.verbena.bench.figures.rima;

import io.verbena.bench.etc.EtcFigure;
import io.verbena.bench.figures.FigureRun;
import io.verbena.bench.figures.PaperFigure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena figures rima}: the evaluation of RIMA. */
@Command(
        name = "rima",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "RIMA's figures 3 to 7, its tables 5 and 6 and the latencies of its section 5.2.1, on a simulated fabric of 56 Gb/s.",
            "Prints the paper's number beside the one here and whether the claim holds; writes PNG, Markdown and JSON.%n"
        })
public final class RimaFigures implements Callable<Integer> {
    @Spec
    @Nullable
    CommandSpec spec;

    @Option(
            names = "--figure",
            split = ",",
            paramLabel = "<figure>",
            description = "Only these, for example 3,table5; all by default.")
    List<String> chosen = List.of();

    @Option(names = "--quick", description = "Run less of each, to see in a minute that all of it works.")
    boolean quick;

    @Option(
            names = "--real",
            description = {
                "Also sends ETC traffic between processes of this machine over shared memory, a minute: figure 'real'.",
                "Linux alone."
            })
    boolean real;

    @Option(names = "--seed", paramLabel = "<seed>", description = "Of all chance; default ${DEFAULT-VALUE}.")
    long seed = 1;

    @Option(names = "--out", paramLabel = "<directory>", description = "Where files go; default ${DEFAULT-VALUE}.")
    Path out = Path.of("target", "figures", "rima");

    /** All of them, in the paper's order. */
    static List<PaperFigure> figures() {
        return List.of(
                new Figure3(),
                new Figure4(),
                new Figure5(),
                new Figure6(),
                new Figure7(),
                new Table5(),
                new TailLatency());
    }

    @Override
    public Integer call() {
        PaperFigure traffic = new EtcFigure();
        List<PaperFigure> offered = new ArrayList<>(figures());
        offered.add(traffic);
        List<PaperFigure> figures = new ArrayList<>();
        List<String> unknown = new ArrayList<>(chosen);
        for (PaperFigure figure : offered) {
            boolean named = unknown.remove(figure.id());
            if (named || (figure == traffic ? real : chosen.isEmpty())) {
                figures.add(figure);
            }
        }
        if (!unknown.isEmpty()) {
            throw wrong("no figure " + String.join(", ", unknown) + "; there are "
                    + String.join(", ", offered.stream().map(PaperFigure::id).toList()));
        }
        new FigureRun("rima", figures, seed, quick ? PaperFigure.Size.QUICK : PaperFigure.Size.FULL)
                .run(out, System.out);
        return 0;
    }

    private RuntimeException wrong(String message) {
        CommandSpec present = spec;
        return present == null
                ? new IllegalArgumentException(message)
                : new ParameterException(present.commandLine(), message);
    }
}
