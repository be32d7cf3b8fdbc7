package io.verbena.verification.conformance;

import io.verbena.verification.conformance.Fabric.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code conformance}: runs the suite and prints the table. */
@Command(
        name = "conformance",
        mixinStandardHelpOptions = true,
        description = "Shows, row by row, what the verbs must do and whether they do it on each fabric.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no row failed", "1:a row failed", "2:bad arguments"})
@SuppressWarnings("NullAway.Init") // by picocli
public final class Conformance implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "NAME",
            description = "Only these columns: sim, shm, tcp, uds. May be given several times.")
    private List<String> fabrics = new ArrayList<>();

    @Option(
            names = "--row",
            split = ",",
            paramLabel = "TEXT",
            description = "Only rows whose name, text or section contains this. May be given several times.")
    private List<String> rows = new ArrayList<>();

    @Option(names = "--markdown", paramLabel = "FILE", description = "Also writes the table to a file, as Markdown.")
    private @Nullable Path markdown;

    @Option(names = "--list", description = "Lists the names of the rows, and runs nothing.")
    private boolean list;

    /** Created by the command line. */
    public Conformance() {}

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            for (Row row : Row.values()) {
                out.printf("%-24s %s%n", row, row.text);
            }
            out.flush();
            return 0;
        }
        Suite suite = new Suite(columns(), this::isWanted);
        if (suite.rows().isEmpty()) {
            throw new ParameterException(spec.commandLine(), "no row matches " + rows + "; --list names them");
        }
        Table table = new Table(suite.run());
        out.print(table.text());
        out.flush();
        Path file = markdown;
        if (file != null) {
            Files.writeString(file, table.markdown());
        }
        return suite.failures().isEmpty() ? 0 : 1;
    }

    private Set<Column> columns() {
        Set<Column> columns = EnumSet.noneOf(Column.class);
        for (String name : fabrics) {
            columns.add(Arrays.stream(Column.values())
                    .filter(c -> c.option.equals(name))
                    .findFirst()
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(),
                            "unknown fabric '" + name + "', expected one of "
                                    + Arrays.stream(Column.values())
                                            .map(c -> c.option)
                                            .collect(Collectors.joining(", ")))));
        }
        return columns.isEmpty() ? EnumSet.allOf(Column.class) : columns;
    }

    private boolean isWanted(Row row) {
        String all = (row + " " + row.text + " " + row.section.title).toLowerCase(Locale.ROOT);
        return rows.isEmpty() || rows.stream().anyMatch(r -> all.contains(r.toLowerCase(Locale.ROOT)));
    }
}
