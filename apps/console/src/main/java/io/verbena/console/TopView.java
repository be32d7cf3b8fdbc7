package io.verbena.console;

import io.verbena.nic.arbiter.JainIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The table of a node's tenants over an interval: what each is entitled to among those that had something to send, by
 * the node's books or, where it keeps none, by weight; and what it got.
 */
final class TopView {
    private static final String FORMAT = "%3s %-16s %7s %9s %9s %-20s %10s %12s %6s %9s %9s %-14s %5s %8s";
    private static final int BAR = 20;
    private static final int NAME = 16;

    private TopView() {}

    /**
     * Lines of the table.
     *
     * @param before at the interval's start
     * @param now at its end
     * @param nanos between the two
     */
    static List<String> lines(List<TenantState> before, List<TenantState> now, long nanos) {
        long[] charged = new long[now.size()];
        long[] busy = new long[now.size()];
        long[] bytes = new long[now.size()];
        long[] messages = new long[now.size()];
        long[] demoted = new long[now.size()];
        long[] slow = new long[now.size()];
        String[] limits = new String[now.size()];
        long[] due = new long[now.size()];
        long all = 0;
        long allDue = 0;
        long weights = 0;
        for (int i = 0; i < now.size(); i++) {
            TenantState state = now.get(i);
            TenantState old = of(before, state);
            charged[i] = state.charged() - old.charged();
            busy[i] = state.backloggedNanos() - old.backloggedNanos();
            bytes[i] = state.bytes() - old.bytes();
            messages[i] = state.messages() - old.messages();
            slow[i] = state.slowCallbacks() - old.slowCallbacks();
            limits[i] = state.limit(old);
            demoted[i] = state.demoted() - old.demoted();
            due[i] = state.entitled() - old.entitled();
            all += charged[i];
            allDue += charged[i] > 0 ? due[i] : 0;
            weights += charged[i] > 0 ? state.weight() : 0;
        }
        List<String> lines = new ArrayList<>();
        lines.add(text(
                FORMAT,
                "#",
                "tenant",
                "weight",
                "entitled",
                "share",
                "",
                "MB/s",
                "messages/s",
                "busy",
                "p50 us",
                "p99 us",
                "limit",
                "slow",
                "demoted"));
        double[] normalised = new double[now.size()];
        int active = 0;
        double seconds = nanos / 1e9;
        for (int i = 0; i < now.size(); i++) {
            TenantState state = now.get(i);
            boolean sends = charged[i] > 0;
            double entitled = sends ? (allDue > 0 ? due[i] / (double) allDue : state.weight() / (double) weights) : 0;
            double share = sends ? charged[i] / (double) all : 0;
            if (entitled > 0) {
                normalised[active++] = share / entitled;
            }
            lines.add(text(
                    FORMAT,
                    String.valueOf(i + 1),
                    shortened(state.name()),
                    String.valueOf(state.weight()),
                    sends ? text("%.2f %%", entitled * 100) : "-",
                    sends ? text("%.2f %%", share * 100) : "-",
                    bar(share, entitled),
                    text("%.1f", bytes[i] / seconds / 1e6),
                    text("%,.0f", messages[i] / seconds),
                    text("%.0f %%", Math.min(100, busy[i] * 100.0 / nanos)),
                    text("%.1f", state.p50DelayNanos() / 1e3),
                    text("%.1f", state.p99DelayNanos() / 1e3),
                    limits[i],
                    String.valueOf(slow[i]),
                    String.valueOf(demoted[i])));
        }
        lines.add("");
        lines.add(
                active == 0
                        ? "nobody sends"
                        : text(
                                "Jain's index %.4f over %d that send",
                                JainIndex.of(Arrays.copyOf(normalised, active)), active));
        return lines;
    }

    /** The tenant's state before; one that was not there then had nothing. */
    private static TenantState of(List<TenantState> before, TenantState state) {
        for (TenantState each : before) {
            if (each.name().equals(state.name())) {
                return each;
            }
        }
        return new TenantState(state.name(), state.weight(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** What it got as a bar, with a mark where its entitlement ends. */
    private static String bar(double share, double entitled) {
        char[] cells = new char[BAR];
        int full = (int) Math.round(share * BAR);
        int mark = Math.min(BAR - 1, (int) Math.round(entitled * BAR));
        for (int i = 0; i < BAR; i++) {
            cells[i] = i < full ? '#' : '.';
        }
        if (entitled > 0) {
            cells[mark] = '|';
        }
        return new String(cells);
    }

    private static String shortened(String name) {
        return name.length() <= NAME ? name : name.substring(0, NAME - 1) + '~';
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values).stripTrailing();
    }
}
