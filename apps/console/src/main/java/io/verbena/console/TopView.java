package io.verbena.console;

import io.verbena.nic.arbiter.JainIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The table of a node's tenants over an interval: what each is entitled to among those that had something to send, by
 * the node's books or, where it keeps none, by weight; and what it got. Below it those whose operations on remote
 * memory merged or waited, if there are any.
 */
final class TopView {
    private static final String FORMAT =
            "%3s %-16s %7s %9s %9s %-20s %10s %12s %11s %-11s %11s %6s %9s %9s %-14s %5s %8s";
    private static final String[] HEAD = {
        "#",
        "tenant",
        "weight",
        "entitled",
        "share",
        "",
        "MB/s",
        "messages/s",
        "most/s",
        "by",
        "delivers/s",
        "busy",
        "p50 us",
        "p99 us",
        "limit",
        "slow",
        "demoted"
    };
    private static final String MERGING_FORMAT = "%3s %-16s %12s %9s %9s %11s %12s %10s";
    private static final String[] MERGING_HEAD = {
        "#", "merging regions", "operations/s", "merged", "waited", "refused/s", "MB in flight", "MB window"
    };
    private static final int BAR = 20;
    private static final int NAME = 16;

    private TopView() {}

    /** What a tenant did in the interval. */
    private record Interval(TenantState before, TenantState now) {
        long charged() {
            return now.charged() - before.charged();
        }

        boolean sends() {
            return charged() > 0;
        }

        long entitled() {
            return now.entitled() - before.entitled();
        }

        /** Whether its merging regions took or refused anything, or have something under way. */
        boolean merges() {
            MergingState then = before.merged();
            MergingState state = now.merged();
            return state.operations() > then.operations()
                    || state.refused() > then.refused()
                    || state.bytesInFlight() > 0;
        }

        /** Cells of its line from the rate on. */
        List<String> rest(long nanos) {
            double seconds = nanos / 1e9;
            long busy = now.backloggedNanos() - before.backloggedNanos();
            return List.of(
                    text("%.1f", (now.bytes() - before.bytes()) / seconds / 1e6),
                    text("%,.0f", (now.messages() - before.messages()) / seconds),
                    rate(now.requestRate()),
                    now.boundBy(),
                    rate(now.deliveryRate()),
                    text("%.0f %%", Math.min(100, busy * 100.0 / nanos)),
                    text("%.1f", now.p50DelayNanos() / 1e3),
                    text("%.1f", now.p99DelayNanos() / 1e3),
                    now.limit(before),
                    String.valueOf(now.slowCallbacks() - before.slowCallbacks()),
                    String.valueOf(now.demoted() - before.demoted()));
        }
    }

    /**
     * Lines of the table.
     *
     * @param before at the interval's start
     * @param now at its end
     * @param nanos between the two
     */
    static List<String> lines(List<TenantState> before, List<TenantState> now, long nanos) {
        List<Interval> tenants = now.stream()
                .map(state -> new Interval(earlier(before, state), state))
                .toList();
        List<Interval> senders = tenants.stream().filter(Interval::sends).toList();
        long all = senders.stream().mapToLong(Interval::charged).sum();
        long allEntitled = senders.stream().mapToLong(Interval::entitled).sum();
        long weights =
                senders.stream().mapToLong(sender -> sender.now().weight()).sum();
        List<String> lines = new ArrayList<>();
        lines.add(text(FORMAT, (Object[]) HEAD));
        double[] normalised = new double[senders.size()];
        int active = 0;
        for (int i = 0; i < tenants.size(); i++) {
            Interval tenant = tenants.get(i);
            double entitled = 0;
            double share = 0;
            if (tenant.sends()) {
                entitled = allEntitled > 0
                        ? tenant.entitled() / (double) allEntitled
                        : tenant.now().weight() / (double) weights;
                share = tenant.charged() / (double) all;
            }
            if (entitled > 0) {
                normalised[active++] = share / entitled;
            }
            lines.add(line(i + 1, tenant, entitled, share, nanos));
        }
        addMerging(lines, tenants, nanos);
        lines.add("");
        lines.add(
                active == 0
                        ? "nobody sends"
                        : text(
                                "Jain's index %.4f over %d that send",
                                JainIndex.of(Arrays.copyOf(normalised, active)), active));
        return lines;
    }

    private static void addMerging(List<String> lines, List<Interval> tenants, long nanos) {
        boolean began = false;
        for (int i = 0; i < tenants.size(); i++) {
            Interval tenant = tenants.get(i);
            if (tenant.merges()) {
                if (!began) {
                    began = true;
                    lines.add("");
                    lines.add(text(MERGING_FORMAT, (Object[]) MERGING_HEAD));
                }
                lines.add(mergingLine(i + 1, tenant, nanos));
            }
        }
    }

    private static String mergingLine(int number, Interval tenant, long nanos) {
        MergingState before = tenant.before().merged();
        MergingState now = tenant.now().merged();
        double seconds = nanos / 1e9;
        long operations = now.operations() - before.operations();
        return text(
                MERGING_FORMAT,
                number,
                shortened(tenant.now().name()),
                text("%,.0f", operations / seconds),
                part(now.merged() - before.merged(), operations),
                part(now.waited() - before.waited(), operations),
                text("%,.0f", (now.refused() - before.refused()) / seconds),
                text("%.3f", now.bytesInFlight() / 1e6),
                now.window() == Long.MAX_VALUE ? "-" : text("%.3f", now.window() / 1e6));
    }

    /** A part of operations; one may be counted as merged or waiting after the interval in which it came. */
    private static String part(long some, long all) {
        return all == 0 ? "-" : text("%.0f %%", Math.min(100, some * 100.0 / all));
    }

    private static String line(int number, Interval tenant, double entitled, double share, long nanos) {
        List<String> cells = new ArrayList<>();
        cells.add(String.valueOf(number));
        cells.add(shortened(tenant.now().name()));
        cells.add(String.valueOf(tenant.now().weight()));
        cells.add(tenant.sends() ? text("%.2f %%", entitled * 100) : "-");
        cells.add(tenant.sends() ? text("%.2f %%", share * 100) : "-");
        cells.add(bar(share, entitled));
        cells.addAll(tenant.rest(nanos));
        return text(FORMAT, cells.toArray());
    }

    /** The tenant's state before; one that was not there then had nothing. */
    private static TenantState earlier(List<TenantState> before, TenantState state) {
        return before.stream()
                .filter(each -> each.name().equals(state.name()))
                .findFirst()
                .orElseGet(() -> TenantState.atFirst(state.name(), state.weight()));
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

    private static String rate(long perSecond) {
        return perSecond == 0 ? "-" : text("%,d", perSecond);
    }

    private static String shortened(String name) {
        return name.length() <= NAME ? name : name.substring(0, NAME - 1) + '~';
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values).stripTrailing();
    }
}
