package io.verbena.admin;

import io.verbena.MergingStatistics;
import io.verbena.RateExchange;
import io.verbena.TenantAllocation;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.Limit;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a client of the {@link AdminSocket} says, and what it is told. Every answer ends in a line {@code ok} or
 * {@code error} and a text.
 *
 * <pre>
 *   list              {"name":"a","weight":3, ... }     a line a tenant, counts since the node's launch
 *                     ok                                delays since the client's list before this one
 *   rates             {"name":"a","requests":7415.0, ... }   a line a tenant with a rate, and one of what was
 *                     {"exchange":{"activePeers":2, ... }}    agreed with other nodes, where they do
 *                     ok
 *   merging           {"name":"a","operations":900, ... }    a line a tenant with merging regions, counts since the
 *                     ok                                node's launch
 *   weight a 5        ok | error TEXT
 * </pre>
 *
 * <p>For one thread.
 */
final class AdminSession {
    private record Delays(PerformanceGroup group, Histogram counts) {}

    private final Administered administered;
    private final Map<String, Delays> delaysBefore = new HashMap<>();

    AdminSession(Administered administered) {
        this.administered = administered;
    }

    /** Answers a line; the answer ends in a newline. */
    String answer(String line) {
        String[] words = line.split(" +", -1);
        try {
            if (words[0].equals("list") && words.length == 1) {
                return list();
            }
            if (words[0].equals("rates") && words.length == 1) {
                return rates();
            }
            if (words[0].equals("merging") && words.length == 1) {
                return merging();
            }
            if (words[0].equals("weight") && words.length == 3) {
                administered.weight(words[1], number(words[2]));
                return "ok\n";
            }
            return "error '" + printable(line) + "' is neither list nor rates nor merging nor weight NAME NUMBER\n";
        } catch (IllegalArgumentException | IllegalStateException e) {
            return "error " + printable(String.valueOf(e.getMessage())) + "\n";
        }
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("weight '" + text + "' is no number", e);
        }
    }

    /** What a client sent comes back to a terminal. */
    private static String printable(String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    private String list() {
        StringBuilder out = new StringBuilder();
        Map<String, TenantAllocation> allocations = administered.allocations();
        for (Administered.Member tenant : administered.tenants()) {
            PerformanceGroup group = tenant.group();
            GroupStatistics s = group.statistics();
            Histogram delays = delays(group);
            out.append("{\"name\":\"").append(group.name()).append('"');
            field(out, "weight", group.weight());
            field(out, "queuePairs", group.queuePairs());
            field(out, "urgentQueuePairs", group.urgentQueuePairs());
            field(out, "bytes", s.bytes());
            field(out, "charged", s.charged());
            field(out, "entitled", s.entitled());
            field(out, "messages", s.messages());
            field(out, "chunks", s.chunks());
            field(out, "visits", s.visits());
            field(out, "backloggedNanos", s.backloggedNanos());
            field(out, "p50DelayNanos", delays.getValueAtPercentile(50));
            field(out, "p99DelayNanos", delays.getValueAtPercentile(99));
            field(out, "slowCallbacks", tenant.slowCallbacks().getAsLong());
            field(out, "refusedForWindow", s.refusals(Limit.WINDOW));
            field(out, "refusedForLink", s.refusals(Limit.LINK));
            field(out, "refusedForReceiver", s.refusals(Limit.RECEIVER));
            field(out, "refusedForCeiling", s.refusals(Limit.CEILING));
            field(out, "demoted", s.demoted());
            field(out, "requestRate", group.operationRate());
            field(out, "deliveryRate", tenant.deliveryRate().getAsLong());
            TenantAllocation allocation = allocations.get(group.name());
            if (allocation != null) {
                out.append(",\"rateBound\":\"").append(allocation.bound()).append('"');
            }
            field(out, "heldByRate", s.held());
            MergingStatistics merging = tenant.merging().get();
            if (!merging.isIdle()) {
                out.append(",\"merging\":{");
                fields(out, merging).append('}');
            }
            field(out, "memory", group.memory().used());
            field(out, "refusedForMemory", group.memory().refusals());
            out.append("}\n");
        }
        return out.append("ok\n").toString();
    }

    private String rates() {
        StringBuilder out = new StringBuilder();
        administered
                .allocations()
                .forEach((name, its) -> out.append("{\"name\":\"")
                        .append(name)
                        .append("\",\"epoch\":")
                        .append(its.epoch())
                        .append(",\"requests\":")
                        .append(its.requests())
                        .append(",\"deliveries\":")
                        .append(its.completions())
                        .append(",\"price\":")
                        .append(its.price())
                        .append(",\"gap\":")
                        .append(its.gap())
                        .append(",\"bound\":\"")
                        .append(its.bound())
                        .append("\",\"basis\":\"")
                        .append(its.basis())
                        .append("\"}\n"));
        RateExchange exchange = administered.rateExchange();
        if (exchange != null) {
            out.append("{\"exchange\":{\"activePeers\":").append(exchange.activePeers());
            field(out, "requestSteps", exchange.requestSteps());
            field(out, "deliverySteps", exchange.deliverySteps());
            field(out, "lateSteps", exchange.lateSteps());
            field(out, "sent", exchange.sent());
            field(out, "unsent", exchange.unsent());
            field(out, "received", exchange.received());
            field(out, "duplicate", exchange.ignored().duplicate());
            field(out, "stale", exchange.ignored().stale());
            field(out, "malformed", exchange.ignored().malformed());
            field(out, "implausible", exchange.ignored().implausible());
            field(out, "notConnected", exchange.ignored().notConnected());
            field(out, "leasesEnded", exchange.leasesEnded());
            field(out, "peersLost", exchange.peersLost());
            out.append("}}\n");
        }
        return out.append("ok\n").toString();
    }

    private String merging() {
        StringBuilder out = new StringBuilder();
        for (Administered.Member tenant : administered.tenants()) {
            MergingStatistics merging = tenant.merging().get();
            if (!merging.isIdle()) {
                out.append("{\"name\":\"").append(tenant.group().name()).append("\",");
                fields(out, merging).append("}\n");
            }
        }
        return out.append("ok\n").toString();
    }

    private static StringBuilder fields(StringBuilder out, MergingStatistics merging) {
        out.append("\"operations\":").append(merging.operations());
        field(out, "workRequests", merging.workRequests());
        field(out, "doorbells", merging.doorbells());
        field(out, "merged", merging.merged());
        field(out, "chained", merging.chained());
        field(out, "waited", merging.waited());
        field(out, "refused", merging.refused());
        field(out, "bytesInFlight", merging.bytesInFlight());
        field(out, "window", merging.window());
        return out;
    }

    private static void field(StringBuilder out, String name, long value) {
        out.append(",\"").append(name).append("\":").append(value);
    }

    /** Delays since the list before. */
    private Histogram delays(PerformanceGroup group) {
        Histogram now = group.statistics().delays();
        Delays before = delaysBefore.put(group.name(), new Delays(group, now));
        if (before == null || before.group() != group) { // a tenant of the same name may be another
            return now;
        }
        Histogram since = now.copy();
        since.subtract(before.counts());
        return since;
    }
}
