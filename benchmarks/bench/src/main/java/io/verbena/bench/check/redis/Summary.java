package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The final table. */
final class Summary {
    private static final int COLUMNS = 4;

    private final Run run;
    private final Map<String, Integer> rounds;
    private final Shared shared;
    private final double seconds;

    Summary(Run run, Map<String, Integer> rounds, Shared shared, double seconds) {
        this.run = run;
        this.rounds = rounds;
        this.shared = shared;
        this.seconds = seconds;
    }

    List<String> lines() {
        RedisTally tally = run.tally();
        List<String> lines = new ArrayList<>();
        lines.add(line("replies checked", "%,d in %.1f s", tally.replies.sum(), seconds));
        lines.add(line(
                "bytes", "%,.1f MB sent, %,.1f MB received", tally.bytesOut.sum() / 1e6, tally.bytesIn.sum() / 1e6));
        lines.add(line("deepest pipeline", "%,d", tally.maxDepth.get()));
        lines.add(line(
                "connections",
                "%,d times anew, %,d deaths with %,d commands in doubt, %,d half closes",
                tally.reconnects.sum(),
                tally.deaths.sum(),
                tally.inDoubt.sum(),
                tally.halfCloses.sum()));
        if (run.context().allowOom) {
            lines.add(line("refused", "%,d writes for want of memory", tally.refused.sum()));
        }
        lines.add(line("judged", "%s", shared.summary()));
        run.latencies().lines().forEach((group, text) -> lines.add(line(group + " group", "%s", text)));
        StringBuilder row = new StringBuilder();
        int column = 0;
        for (Map.Entry<String, Long> each : tally.byCommand().entrySet()) {
            row.append(String.format(Locale.ROOT, "%-14s%,11d   ", each.getKey(), each.getValue()));
            if (++column % COLUMNS == 0) {
                lines.add("  " + row.toString().stripTrailing());
                row.setLength(0);
            }
        }
        if (row.length() > 0) {
            lines.add("  " + row.toString().stripTrailing());
        }
        lines.add(line("rounds", "%s", rounds));
        return lines;
    }

    private static String line(String name, String format, Object... values) {
        return String.format(Locale.ROOT, "  %-18s", name) + String.format(Locale.ROOT, format, values);
    }
}
