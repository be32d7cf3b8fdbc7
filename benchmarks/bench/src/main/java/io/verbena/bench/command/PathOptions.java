package io.verbena.bench.command;

import io.verbena.bench.compare.Contestant;
import io.verbena.bench.path.PathKind;
import io.verbena.bench.path.Waiting;
import io.verbena.bench.trial.Setting;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which paths, with which messages: the same options of every command that is told its paths. */
final class PathOptions {
    @Parameters(paramLabel = "<path>", description = "Paths; bench --list names them.")
    List<String> paths = new ArrayList<>();

    @Option(
            names = "--bytes",
            paramLabel = "<bytes>",
            defaultValue = "32",
            converter = SuffixedNumbers.Size.class,
            description = "Bytes of a message, such as 32, 4k or 1m; default ${DEFAULT-VALUE}.")
    int bytes = 32;

    @Option(names = "--threads", description = "Two threads of one process instead of two processes.")
    boolean threads;

    /** The paths of the arguments, or these. */
    List<String> paths(String... defaults) {
        return paths.isEmpty() ? List.of(defaults) : paths;
    }

    /** The setting with what these options say. */
    Setting apply(Setting setting, Waiting waiting, int busy) {
        return setting.withBytes(bytes)
                .withThreads(threads)
                .withWaiting(waiting)
                .withBusy(busy);
    }

    /** Contestants of the same setting; what cannot be measured is misuse. */
    static List<Contestant> contestants(List<String> paths, Setting setting) {
        List<Contestant> made = new ArrayList<>();
        for (String path : paths) {
            if (!setting.threads() && !PathKind.of(path).isBetweenProcesses()) {
                throw new RunException(path + " is a path within one process; add --threads");
            }
            made.add(Contestant.of(setting.withPath(path)));
        }
        return made;
    }
}
