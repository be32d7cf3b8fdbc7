package io.verbena.bench.compare;

import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Setting;
import java.util.List;
import java.util.Optional;

/**
 * A path in a row.
 *
 * @param label unique within the row: the path's name, and what sets it apart
 * @param setting how it is measured
 * @param targets what it must reach; none for a reference
 */
public record Contestant(String label, Setting setting, List<FigureTarget> targets) {
    /** Defensive. */
    public Contestant {
        targets = List.copyOf(targets);
    }

    /** One whose label is its path's name. */
    public static Contestant of(Setting setting, FigureTarget... targets) {
        return new Contestant(setting.path(), setting, List.of(targets));
    }

    /** What a figure of it must reach. */
    public Optional<FigureTarget> target(Figure figure) {
        return targets.stream().filter(target -> target.figure() == figure).findFirst();
    }
}
