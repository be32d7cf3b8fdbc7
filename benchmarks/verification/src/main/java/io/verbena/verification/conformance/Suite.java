package io.verbena.verification.conformance;

import io.verbena.verification.conformance.Fabric.Column;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.opentest4j.TestAbortedException;

/**
 * Runs the suite's classes on JUnit's platform, and gathers what became of each row. One run; not thread-safe.
 */
public final class Suite {
    private static final String TIMEOUT = "60 s";

    /** All of it; a class that is not here is not run. */
    static final List<Class<? extends ConformanceTest>> CLASSES = List.of(
            StatesTest.class,
            OperationsTest.class,
            StatusTest.class,
            FlushTest.class,
            RetryTest.class,
            UnreliableTest.class,
            MemoryWindowTest.class,
            WireDuplicatesTest.class,
            WireInvalidTest.class,
            WireAppendTest.class,
            WireAnswersTest.class,
            WireSkipTest.class,
            FaultTest.class,
            AtomicsTest.class,
            PostingTest.class,
            CompletionQueueTest.class,
            SharedReceiveQueueTest.class,
            AppendQueueTest.class,
            AppendMemoryTest.class,
            StreamsTest.class,
            ObjectLifeTest.class,
            GroupsTest.class,
            OrderTest.class);

    private final Set<Column> columns;
    private final Set<Row> rows;
    private final Map<Row, Map<Column, RowVerdict>> verdicts = new EnumMap<>(Row.class);
    private int tests;
    private Duration duration = Duration.ZERO;

    /**
     * A run of all rows on all fabrics.
     */
    public Suite() {
        this(EnumSet.allOf(Column.class), row -> true);
    }

    /**
     * A run of some.
     *
     * @param columns to fill
     * @param wanted which rows
     */
    Suite(Set<Column> columns, Predicate<Row> wanted) {
        this.columns = EnumSet.copyOf(columns);
        this.rows = Arrays.stream(Row.values())
                .filter(wanted)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Row.class)));
        for (Row row : rows) {
            Map<Column, RowVerdict> line = new EnumMap<>(Column.class);
            for (Column column : this.columns) {
                line.put(column, new RowVerdict(row));
            }
            verdicts.put(row, line);
        }
    }

    /** Runs the tests. */
    public Suite run() {
        long start = System.nanoTime();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(CLASSES.stream()
                                        .map(DiscoverySelectors::selectClass)
                                        .toList())
                                .filters((PostDiscoveryFilter) this::select)
                                .configurationParameter(
                                        Fabrics.PARAMETER,
                                        columns.stream().map(c -> c.option).collect(Collectors.joining(",")))
                                .configurationParameter("junit.jupiter.execution.timeout.default", TIMEOUT)
                                .build(),
                        new Gatherer());
        duration = Duration.ofNanos(System.nanoTime() - start);
        return this;
    }

    private FilterResult select(TestDescriptor test) {
        Optional<TestSource> source = test.getSource();
        if (source.isEmpty() || !(source.get() instanceof MethodSource method)) {
            return FilterResult.included("a container");
        }
        return FilterResult.includedIf(proven(method).stream().anyMatch(rows::contains));
    }

    private static List<Row> proven(MethodSource source) {
        return proven(source.getJavaMethod());
    }

    private static List<Row> proven(Method method) {
        Proves proves = method.getAnnotation(Proves.class);
        return proves == null ? List.of() : List.of(proves.value());
    }

    /** Columns of this run. */
    Set<Column> columns() {
        return columns;
    }

    /** Rows of this run. */
    Set<Row> rows() {
        return rows;
    }

    /** How a row fared. */
    RowVerdict verdict(Row row, Column column) {
        Map<Column, RowVerdict> line = verdicts.get(row);
        RowVerdict verdict = line == null ? null : line.get(column);
        if (verdict == null) {
            throw new IllegalArgumentException(row + " on " + column.title + " is not of this run");
        }
        return verdict;
    }

    /** Tests that ran. */
    int tests() {
        return tests;
    }

    /** How long it took. */
    Duration duration() {
        return duration;
    }

    /** What failed: row, fabric and reason, a line each. */
    public List<String> failures() {
        List<String> failures = new ArrayList<>();
        verdicts.forEach((row, line) -> line.forEach((column, verdict) -> {
            if (verdict.hasFailed()) {
                for (String failure : verdict.failures()) {
                    failures.add(row + " on " + column.title + ": " + failure);
                }
            }
        }));
        return failures;
    }

    /** Hears of each test, finds its fabric among its parents and its rows at its method. */
    private final class Gatherer implements TestExecutionListener {
        private @Nullable TestPlan plan;

        @Override
        public void testPlanExecutionStarted(TestPlan testPlan) {
            plan = testPlan;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            note(test, v -> v.fail(test.getDisplayName() + " was skipped: " + reason));
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            String reason = result.getThrowable().map(Suite::text).orElse("");
            if (test.isTest()) {
                tests++;
            }
            switch (result.getStatus()) {
                case SUCCESSFUL:
                    if (test.isTest()) {
                        note(test, RowVerdict::pass);
                    }
                    break;
                case ABORTED:
                    note(test, v -> v.skip(reason.replace("Assumption failed: ", "")));
                    break;
                default:
                    note(test, v -> v.fail(title(test) + ": " + reason));
            }
        }

        private String title(TestIdentifier test) {
            Method method = method(test);
            String name = test.getDisplayName();
            Fabric fabric = fabric(test);
            return (method == null
                            ? name
                            : method.getDeclaringClass().getSimpleName()
                                    + "." + method.getName()
                                    + (name.startsWith(method.getName()) ? "" : " " + name))
                    + (fabric == null ? "" : " on " + fabric.title);
        }

        /** A failure of a container counts for every row of its class, or of all, on its fabric. */
        private void note(TestIdentifier test, Consumer<RowVerdict> verdict) {
            Fabric fabric = fabric(test);
            Method method = method(test);
            List<Row> proven = method != null ? proven(method) : rowsOf(test);
            for (Row row : proven) {
                Map<Column, RowVerdict> line = verdicts.get(row);
                if (line == null) {
                    continue;
                }
                line.forEach((column, v) -> {
                    if (fabric == null || fabric.column == column) {
                        verdict.accept(v);
                    }
                });
            }
        }

        private List<Row> rowsOf(TestIdentifier container) {
            Class<?> type = container
                    .getSource()
                    .filter(ClassSource.class::isInstance)
                    .map(s -> (Class<?>) ((ClassSource) s).getJavaClass())
                    .orElse(null);
            if (type == null) {
                return List.copyOf(rows);
            }
            return Arrays.stream(type.getDeclaredMethods())
                    .flatMap(m -> proven(m).stream())
                    .distinct()
                    .toList();
        }

        private @Nullable Method method(TestIdentifier test) {
            for (TestIdentifier at = test; at != null; at = parent(at)) {
                Optional<TestSource> source = at.getSource();
                if (source.isPresent() && source.get() instanceof MethodSource method) {
                    return method.getJavaMethod();
                }
            }
            return null;
        }

        private @Nullable Fabric fabric(TestIdentifier test) {
            for (TestIdentifier at = test; at != null; at = parent(at)) {
                Fabric fabric = Fabric.ofTitle(at.getDisplayName());
                if (fabric != null) {
                    return fabric;
                }
            }
            return null;
        }

        private @Nullable TestIdentifier parent(TestIdentifier test) {
            TestPlan known = plan;
            return known == null ? null : known.getParent(test).orElse(null);
        }
    }

    private static String text(Throwable thrown) {
        String message = thrown.getMessage();
        String line = message == null ? "" : message.strip().replaceAll("\\s*\\R\\s*", " ");
        return thrown instanceof AssertionError || thrown instanceof TestAbortedException
                ? line
                : thrown.getClass().getSimpleName() + ": " + line + " at " + thrown.getStackTrace()[0];
    }
}
