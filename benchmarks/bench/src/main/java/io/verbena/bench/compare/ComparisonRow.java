package io.verbena.bench.compare;

import io.verbena.bench.trial.Figure;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Contestants that are measured side by side.
 *
 * @param id short name, for patterns and file names
 * @param title what is measured
 * @param figures that a table shows
 * @param subjects what is compared
 * @param references with what; the first is the one that ratios and targets mean; may be empty
 */
public record ComparisonRow(
        String id, String title, List<Figure> figures, List<Contestant> subjects, List<Contestant> references) {
    /** Defensive. */
    public ComparisonRow {
        figures = List.copyOf(figures);
        subjects = List.copyOf(subjects);
        references = List.copyOf(references);
        Set<String> labels = new HashSet<>();
        for (List<Contestant> side : List.of(subjects, references)) {
            for (Contestant each : side) {
                if (!labels.add(each.label())) {
                    throw new RunException(each.label() + " is twice in " + id);
                }
            }
        }
    }

    /** Subjects, then references. */
    public List<Contestant> contestants() {
        List<Contestant> all = new ArrayList<>(subjects);
        all.addAll(references);
        return all;
    }

    /** The same against the first reference alone, if there is one. */
    public ComparisonRow againstFirst() {
        return against(references.subList(0, Math.min(1, references.size())));
    }

    /** The same against other references. */
    public ComparisonRow against(List<Contestant> others) {
        return new ComparisonRow(id, title, figures, subjects, others);
    }
}
