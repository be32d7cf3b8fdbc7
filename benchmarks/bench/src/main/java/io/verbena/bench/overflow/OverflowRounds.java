package io.verbena.bench.overflow;

import io.verbena.Node;
import io.verbena.bench.Interval;
import io.verbena.bench.report.MarkdownTable;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** Rounds of several sides by turns; the first side is compared with each of the others. */
final class OverflowRounds {
    private final Node node;
    private final List<Side> sides;
    private final int writes;
    private final double seconds;
    private boolean limited;

    /**
     * @param node of the loads
     * @param writes SETs in 100 operations
     * @param seconds of a side's round
     */
    OverflowRounds(Node node, List<Side> sides, int writes, double seconds) {
        this.node = node;
        this.sides = sides;
        this.writes = writes;
        this.seconds = seconds;
    }

    /** Limits the memory of each side anew before each round from now on: what JVMs hold changes. */
    void limitMemory() {
        limited = true;
    }

    /** Rounds that do not count. */
    void warmUp(int rounds) {
        for (int i = 0; i < rounds; i++) {
            for (Side side : sides) {
                run(side);
                side.load().times();
            }
        }
    }

    private double run(Side side) {
        if (limited) {
            Side.whileServing(node, side.server()::limit);
        }
        return side.run(writes, seconds);
    }

    /** Rounds that count, whose medians and ranges are printed. */
    void measure(int rounds, int depth, PrintStream out) {
        double[][] rates = new double[sides.size()][rounds];
        double[][] medians = new double[sides.size()][rounds];
        double[][] tails = new double[sides.size()][rounds];
        List<List<MemoryGroup.Usage>> usages = new ArrayList<>();
        sides.forEach(side -> usages.add(new ArrayList<>()));
        for (int i = 0; i < rounds; i++) {
            for (int side = 0; side < sides.size(); side++) {
                rates[side][i] = run(sides.get(side)) / 1000;
                if (limited) {
                    usages.get(side).add(sides.get(side).server().usage());
                }
                Histogram times = sides.get(side).load().times();
                medians[side][i] = times.getValueAtPercentile(50) / 1000.0;
                tails[side][i] = times.getValueAtPercentile(99) / 1000.0;
            }
        }
        List<String> heads = new ArrayList<>(List.of("what"));
        sides.forEach(side -> heads.add(side.name()));
        String first = sides.get(0).name();
        sides.stream().skip(1).forEach(side -> heads.add(first + " by " + side.name()));
        MarkdownTable table = new MarkdownTable(heads);
        table.line(line("1000 operations a second, " + depth + " under way, " + writes + " % SETs", rates));
        table.line(line("p50, us", medians));
        table.line(line("p99, us", tails));
        table.print(out);
        for (int side = 0; side < sides.size(); side++) {
            printMemory(sides.get(side).name(), usages.get(side), out);
        }
    }

    private static void printMemory(String name, List<MemoryGroup.Usage> usages, PrintStream out) {
        if (!usages.isEmpty()) {
            out.println(name + ": MiB held " + memory(usages, MemoryGroup.Usage::held) + ", of files in the page cache "
                    + memory(usages, MemoryGroup.Usage::cached));
        }
    }

    private static String memory(List<MemoryGroup.Usage> usages, ToLongFunction<MemoryGroup.Usage> part) {
        return cell(usages.stream()
                .mapToDouble(usage -> part.applyAsLong(usage) / (double) (1 << 20))
                .toArray());
    }

    /** Values of all sides, and those of the first by those of each other in the same round. */
    private static List<String> line(String what, double[][] values) {
        List<String> cells = new ArrayList<>(List.of(what));
        for (double[] ofSide : values) {
            cells.add(cell(ofSide));
        }
        for (int side = 1; side < values.length; side++) {
            double[] ratios = new double[values[side].length];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = values[0][i] / values[side][i];
            }
            cells.add(cell(ratios));
        }
        return cells;
    }

    private static String cell(double[] values) {
        Interval interval = Interval.of(values);
        return String.format(Locale.ROOT, "%.2f (%.2f-%.2f)", interval.median(), interval.min(), interval.max());
    }
}
