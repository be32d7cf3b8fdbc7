package io.verbena.bench.compare;

import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Names picked by patterns in which {@code *} stands for anything. */
public final class Globs {
    private final List<String> globs;
    private final List<Pattern> patterns = new ArrayList<>();

    /** Of these patterns; none pick everything. */
    public Globs(List<String> globs) {
        this.globs = List.copyOf(globs);
        for (String glob : globs) {
            patterns.add(Pattern.compile("\\Q" + glob.replace("*", "\\E.*\\Q") + "\\E"));
        }
    }

    /** Whether a name is picked. */
    public boolean pick(String name) {
        return patterns.isEmpty()
                || patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches());
    }

    /**
     * Throws if one of the patterns picks none of the names.
     *
     * @param what the names are, for the message
     */
    public void check(String what, Collection<String> names) {
        Set<String> known = new LinkedHashSet<>(names);
        for (int i = 0; i < patterns.size(); i++) {
            Pattern pattern = patterns.get(i);
            if (known.stream().noneMatch(name -> pattern.matcher(name).matches())) {
                throw new RunException(
                        "no " + what + " matches '" + globs.get(i) + "'; there are " + String.join(" ", known));
            }
        }
    }
}
