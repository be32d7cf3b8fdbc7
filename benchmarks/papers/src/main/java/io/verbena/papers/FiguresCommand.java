package io.verbena.papers;

import io.verbena.papers.avatar.AvatarFigures;
import io.verbena.papers.drum.DrumFigures;
import io.verbena.papers.model.ModelFigures;
import io.verbena.papers.palos.PalosFigures;
import io.verbena.papers.rdmabox.RdmaboxFigures;
import io.verbena.papers.rima.RimaFigures;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code verbena figures}: a subcommand a paper. */
@Command(
        name = "figures",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        subcommands = {
            AvatarFigures.class,
            DrumFigures.class,
            PalosFigures.class,
            RdmaboxFigures.class,
            RimaFigures.class,
            ModelFigures.class
        },
        description = {
            "Makes the figures of papers again, and says of each claim whether it holds here.",
            "An example is: verbena figures rima --quick.%n"
        })
public final class FiguresCommand implements Runnable {
    @Spec
    @Nullable
    CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(System.out);
        }
    }
}
