package io.verbena.bench.check.messages;

import io.verbena.bench.check.messages.Resources.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether what a process holds grows. What comes and goes makes each look another: of a minute the least counts, and
 * what the last minutes have at least is compared with what the minutes before the fifth had at most. What grows by
 * little each minute is found later: of the minutes after the fifth, the last third is compared with the first one by a
 * finer measure.
 */
final class Growth {
    /** Minutes until everything has been once. */
    private static final int SETTLED = 5;

    /** Minutes of which the least is what is kept. */
    private static final int LAST = 3;

    /** Fewest minutes of a third: of less, a machine that was slow at first makes much. */
    private static final int THIRD = 10;

    private final List<Resources> minutes = new ArrayList<>();
    private @Nullable Resources minute;

    /** Takes a look of the minute under way. */
    void look(Resources now) {
        minute = minute == null ? now : minute.least(now);
    }

    /** A minute is over. Returns what it had at least. */
    Resources endMinute() {
        Resources over = minute;
        if (over == null) {
            throw new IllegalStateException("a minute without a look");
        }
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
        Resources before = most(0, SETTLED);
        Resources after = least(LAST);
        for (Kind kind : Kind.values()) {
            if (kind.hasGrown(before.of(kind), after.of(kind))) {
                grown.add(say(kind, before, "the first " + SETTLED + " minutes", after, LAST));
            }
        }
        int third = (minutes.size() - SETTLED) / 3;
        if (grown.isEmpty() && third >= THIRD) {
            before = most(SETTLED, SETTLED + third);
            after = least(third);
            for (Kind kind : Kind.values()) {
                if (kind.hasGrownSlowly(before.of(kind), after.of(kind))) {
                    grown.add(say(kind, before, "minutes " + (SETTLED + 1) + " to " + (SETTLED + third), after, third));
                }
            }
        }
        return grown;
    }

    private Resources most(int from, int to) {
        return minutes.subList(from, to).stream().reduce(minutes.get(from), Resources::most);
    }

    private Resources least(int last) {
        int from = minutes.size() - last;
        return minutes.subList(from, minutes.size()).stream().reduce(minutes.get(from), Resources::least);
    }

    private static String say(Kind kind, Resources before, String when, Resources after, int last) {
        return String.format(
                Locale.ROOT,
                "%s: %d at most in %s, %d at least in the last %d",
                kind.title(),
                kind.units(before.of(kind)),
                when,
                kind.units(after.of(kind)),
                last);
    }
}
