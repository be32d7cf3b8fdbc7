package io.verbena.bench.check.messages;

import io.verbena.bench.check.messages.Resources.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether what a process holds grows. What comes and goes makes each look another: of a minute the least counts, and what the
 * last minutes have at least is compared with what the minutes before the fifth had at most.
 */
final class Growth {
    /** Minutes until everything has been once. */
    private static final int SETTLED = 5;

    /** Minutes of which the least is what is kept. */
    private static final int LAST = 3;

    private final List<Resources> minutes = new ArrayList<>();
    private @Nullable Resources minute;

    /** Takes a look of the minute under way. */
    void look(Resources now) {
        minute = minute == null ? now : minute.least(now);
    }

    /** A minute is over. Returns what it had at least. */
    Resources endMinute() {
        Resources over = minute == null ? Resources.now() : minute;
        minutes.add(over);
        minute = null;
        return over;
    }

    /** What has grown, a line each; empty if nothing has, or if it cannot be told before the eighth minute. */
    List<String> grown() {
        List<String> grown = new ArrayList<>();
        if (minutes.size() < SETTLED + LAST) {
            return grown;
        }
        Resources before = minutes.subList(0, SETTLED).stream().reduce(minutes.get(0), Resources::most);
        int from = minutes.size() - LAST;
        Resources after = minutes.subList(from, minutes.size()).stream().reduce(minutes.get(from), Resources::least);
        for (Kind kind : Kind.values()) {
            if (kind.hasGrown(before.of(kind), after.of(kind))) {
                grown.add(String.format(
                        Locale.ROOT,
                        "%s: %d at most in the first %d minutes, %d at least in the last %d",
                        kind.title(),
                        kind.units(before.of(kind)),
                        SETTLED,
                        kind.units(after.of(kind)),
                        LAST));
            }
        }
        return grown;
    }
}
