package io.verbena.bench.check.messages;

import io.verbena.NodeMode;
import io.verbena.bench.check.messages.MessageTally.Count;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a run went.
 *
 * @param settings of the run
 * @param flaw the first thing that was wrong, or null
 * @param rounds that were played
 * @param tallies what was done, by fabric and by mode of the clients
 */
public record MessagesResult(
        MessagesSettings settings,
        @Nullable Flaw flaw,
        int rounds,
        Map<FabricName, Map<NodeMode, MessageTally>> tallies) {

    /** Whether nothing was wrong. */
    public boolean isClean() {
        return flaw == null;
    }

    /** How often something was done, over all fabrics and in all modes. */
    public long total(Count count) {
        return tallies.values().stream()
                .flatMap(modes -> modes.values().stream())
                .mapToLong(tally -> tally.get(count))
                .sum();
    }

    /** What was done, a line a fabric and mode. */
    public String table() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-10s %-9s %12s %10s %10s %8s %10s %9s %7s %6s%n",
                "fabric",
                "mode",
                "messages",
                "MB",
                "calls",
                "expired",
                "region ops",
                "holds",
                "closes",
                "kills"));
        tallies.forEach((fabric, modes) -> new TreeMap<>(modes)
                .forEach((mode, t) -> text.append(String.format(
                        Locale.ROOT,
                        "%-10s %-9s %12d %10.1f %10d %8d %10d %9d %7d %6d%n",
                        fabric,
                        mode,
                        t.get(Count.MESSAGES),
                        t.get(Count.BYTES) / 1e6,
                        t.get(Count.CALLS),
                        t.get(Count.EXPIRED),
                        t.get(Count.OPERATIONS),
                        t.get(Count.HOLDS),
                        t.get(Count.CLOSES),
                        t.get(Count.KILLS)))));
        return text.toString();
    }
}
