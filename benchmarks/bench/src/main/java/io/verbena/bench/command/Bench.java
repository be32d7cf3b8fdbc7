package io.verbena.bench.command;

import io.verbena.bench.channels.ChannelsCommand;
import io.verbena.bench.channels.GuiltyCommand;
import io.verbena.bench.compare.Comparison;
import io.verbena.bench.compare.ComparisonPlan;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.FigureTarget;
import io.verbena.bench.compare.Globs;
import io.verbena.bench.files.FilesCommand;
import io.verbena.bench.kv.KvCommand;
import io.verbena.bench.kv.OverloadCommand;
import io.verbena.bench.overflow.OverflowCommand;
import io.verbena.bench.path.PathKind;
import io.verbena.bench.polling.PollingCommand;
import io.verbena.bench.promise.PromiseCommand;
import io.verbena.bench.rates.RatesCommand;
import io.verbena.bench.report.Plots;
import io.verbena.bench.report.RatioTable;
import io.verbena.bench.scale.Scale;
import io.verbena.bench.tenants.AdversaryCommand;
import io.verbena.bench.tenants.ArbiterCommand;
import io.verbena.bench.tenants.TenantsCommand;
import io.verbena.bench.tenants.UrgentCommand;
import io.verbena.bench.trial.Trial;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench}: the comparison with what a user would pick instead. */
@Command(
        name = "bench",
        subcommands = {
            CompareCommand.class,
            SweepCommand.class,
            LatencyCommand.class,
            WaitingCommand.class,
            PollingCommand.class,
            Scale.class,
            ChannelsCommand.class,
            GuiltyCommand.class,
            RatesCommand.class,
            KvCommand.class,
            FilesCommand.class,
            OverloadCommand.class,
            OverflowCommand.class,
            TenantsCommand.class,
            UrgentCommand.class,
            AdversaryCommand.class,
            ArbiterCommand.class,
            PromiseCommand.class,
            JmhCommand.class
        },
        description = {
            "Compares Verbena with what a user would pick instead: rows of paths, each measured in JVMs of its own, in",
            "rounds that alternate between the paths. Prints medians, ranges and "
                    + "ratios, and whether each row's target is",
            "met; saves results.json and plots. Ends with 1 if a measurement died, hung or got what it must not get.%n"
        })
public final class Bench extends RowsCommand {
    private static final int QUICK_ROUNDS = 2;
    private static final double QUICK_SECONDS = 1;
    private static final double QUICK_LIMIT = 285;

    @Option(
            names = "--quick",
            description = "Less than five minutes: fewer rows, two rounds of a second, one peer a row.")
    boolean quick;

    @Option(
            names = "--against",
            split = ",",
            paramLabel = "<peer>",
            description = "Only these peers, such as aeron-ipc,netty-*; rows without them drop out.")
    List<String> against = new ArrayList<>();

    @Option(
            names = "--rows",
            split = ",",
            paramLabel = "<row>",
            description = "Only these rows, such as rtt-32-shm,rate-*.")
    List<String> patterns = new ArrayList<>();

    @Option(names = "--list", description = "Print rows and paths, and measure nothing.")
    boolean list;

    @Mixin
    RunOptions options = new RunOptions();

    private final List<ComparisonRow> plan;

    /** Runs the plan. */
    public Bench() {
        this(ComparisonPlan.rows());
    }

    Bench(List<ComparisonRow> plan) {
        this.plan = plan;
    }

    @Override
    protected int run() {
        List<ComparisonRow> rows = ComparisonPlan.select(plan, new Globs(patterns), new Globs(against));
        if (rows.isEmpty()) {
            throw new RunException("no row has one of the peers " + String.join(" ", against));
        }
        if (list) {
            print(rows);
            return 0;
        }
        List<String> command = new ArrayList<>(List.of("bench"));
        if (quick) {
            command.add("--quick");
            rows = brief(rows);
        }
        command.addAll(List.of("--rows", String.join(",", patterns), "--against", String.join(",", against)));
        Comparison.Schedule schedule =
                quick ? options.schedule(QUICK_ROUNDS, QUICK_SECONDS, QUICK_LIMIT) : options.schedule();
        return measure(
                command,
                options,
                schedule,
                rows,
                results -> {
                    RatioTable table = new RatioTable(results);
                    table.print(out);
                    out.println();
                    out.println(table.verdict());
                },
                Bench::draw);
    }

    /** What was asked for by name stays. */
    private List<ComparisonRow> brief(List<ComparisonRow> rows) {
        List<ComparisonRow> few = patterns.isEmpty() && against.isEmpty() ? ComparisonPlan.brief(rows) : rows;
        return against.isEmpty() ? few.stream().map(ComparisonRow::againstFirst).toList() : few;
    }

    private static void draw(Plots plots) {
        plots.targets();
        plots.rows();
    }

    private void print(List<ComparisonRow> rows) {
        for (ComparisonRow row : rows) {
            out.println(row.id() + ": " + row.title());
            for (Contestant subject : row.subjects()) {
                StringJoiner targets = new StringJoiner(", ", "  (", ")").setEmptyValue("");
                for (FigureTarget target : subject.targets()) {
                    targets.add(target.figure().title() + " " + target.text());
                }
                out.println("    " + subject.label() + targets + missing(subject));
            }
            for (Contestant reference : row.references()) {
                out.println("  : " + reference.label() + missing(reference));
            }
        }
        out.println();
        StringJoiner paths = new StringJoiner(" ", "paths: ", "");
        for (PathKind kind : PathKind.values()) {
            paths.add(kind.optionName());
        }
        out.println(paths);
    }

    private static String missing(Contestant contestant) {
        return Trial.whyNot(contestant.setting())
                .map(reason -> "  not available: " + reason)
                .orElse("");
    }
}
