package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.verbena.verification.conformance.Fabric.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import picocli.CommandLine;

/** Runs the conformance suite as the command does, a test a row and fabric. */
class ConformanceSuiteTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "conformance.md");

    @TestFactory
    @Timeout(600)
    List<DynamicNode> rows() {
        Suite suite = new Suite().run();
        List<DynamicNode> nodes = new ArrayList<>();
        for (Row row : suite.rows()) {
            for (Column column : suite.columns()) {
                nodes.add(DynamicTest.dynamicTest(row + " on " + column.title, () -> {
                    RowVerdict verdict = suite.verdict(row, column);
                    assertThat(verdict.hasFailed())
                            .as(row.text + ": " + (verdict.hasFailed() ? verdict.failures() : ""))
                            .isFalse();
                }));
            }
        }
        return nodes;
    }

    /** A test that proves no row, or is in a class that the suite does not name, would never run. */
    @Test
    void everyTestIsRun() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(Suite.class.getPackageName());
        assertThat(classes.stream()
                        .filter(c -> c.isAssignableTo(ConformanceTest.class)
                                && !c.getModifiers().contains(JavaModifier.ABSTRACT))
                        .map(JavaClass::getName))
                .containsExactlyInAnyOrderElementsOf(
                        Suite.CLASSES.stream().map(Class::getName).toList());
        for (Class<?> type : Suite.CLASSES) {
            for (Method method : type.getDeclaredMethods()) {
                if (AnnotationSupport.isAnnotated(method, Testable.class)) {
                    assertThat(method.isAnnotationPresent(Proves.class))
                            .as(method.toString())
                            .isTrue();
                }
            }
        }
    }

    @Test
    void everyRowOfThePageIsOfTheSuiteAndTheOtherWayRound() throws IOException {
        String page = Files.readString(PAGE);
        for (Row row : Row.values()) {
            assertThat(page).as("docs/conformance.md is to be generated again").contains("| " + row.text);
        }
        long lines = page.lines()
                .filter(l -> l.matches("\\|.*\\| (passed|not offered|FAILED) \\|"))
                .count();
        assertThat(lines).isEqualTo(Row.values().length);
        assertThat(page).doesNotContain("FAILED");
    }

    @Test
    void theCommandRunsSomeRowsOnSomeFabricsAndWritesThePage(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("table.md");
        StringWriter out = new StringWriter();
        int status = new CommandLine(new Conformance())
                .setOut(new PrintWriter(out))
                .execute("--fabric", "sim", "--row", "UNSIGNALED,GENERAL_ERR", "--markdown", file.toString());
        assertThat(status).isZero();
        assertThat(out.toString()).contains(Row.UNSIGNALED.text, "passed", Row.GENERAL_ERR.text, "not offered");
        assertThat(out.toString()).doesNotContain(Row.FENCE.text);
        assertThat(Files.readString(file)).contains("| " + Row.UNSIGNALED.text + " | passed |");
    }

    @Test
    void badArgumentsAreNamed() {
        StringWriter err = new StringWriter();
        CommandLine command = new CommandLine(new Conformance()).setErr(new PrintWriter(err));
        assertThat(command.execute("--fabric", "ether")).isEqualTo(2);
        assertThat(command.execute("--row", "no such row")).isEqualTo(2);
        assertThat(err.toString()).contains("ether", "no such row");
    }

    @Test
    void aRowWithoutATestFailsAndSoDoesOneWithAFailure() {
        RowVerdict none = new RowVerdict(Row.FENCE);
        assertThat(none.hasFailed()).isTrue();
        assertThat(none.failures()).containsExactly("no test");
        RowVerdict skipped = new RowVerdict(Row.FENCE);
        skipped.skip("no such thing here");
        assertThat(skipped.hasFailed()).isFalse();
        assertThat(skipped.isNotOffered()).isTrue();
        assertThat(skipped.reason()).isEqualTo("no such thing here");
        skipped.pass();
        assertThat(skipped.isNotOffered()).isFalse();
        skipped.fail("broken");
        assertThat(skipped.hasFailed()).isTrue();
        RowVerdict deviation = new RowVerdict(Row.GENERAL_ERR);
        assertThat(deviation.hasFailed()).isFalse();
        deviation.pass();
        assertThat(deviation.isNotOffered()).isTrue();
        deviation.fail("broken");
        assertThat(deviation.isNotOffered()).isFalse();
    }
}
