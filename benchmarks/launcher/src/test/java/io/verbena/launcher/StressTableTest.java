package io.verbena.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holds what {@code docs/testing.md} says of stress tests against the classes in the modules' {@code src/jcstress}. */
@Tag("computed")
class StressTableTest {
    private static final Path ROOT =
            Path.of("").toAbsolutePath().resolve("../..").normalize();
    private static final Path DOCUMENT = ROOT.resolve("docs/testing.md");
    private static final String HEAD = "| test | subject |";
    private static final Pattern MODULE = Pattern.compile("<module>(.+)</module>");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final Pattern COMMAND = Pattern.compile("-Pjcstress -pl ([\\w,/-]+) test");

    @BeforeEach
    void needsTheDocument() {
        assumeTrue(Files.exists(DOCUMENT), "docs is not in this checkout");
    }

    @Test
    void theDocumentedStressTestsAreThoseThatThereAre() throws IOException {
        List<String> tests = new ArrayList<>();
        for (String module : modules()) {
            tests.addAll(testsOf(module));
        }
        assertThat(tableOf(DOCUMENT)).as("docs/testing.md").containsExactlyInAnyOrderElementsOf(tests);
    }

    @Test
    void theDocumentedCommandRunsEachModuleThatHasSome() throws IOException {
        assertThat(found(COMMAND, Files.readString(DOCUMENT)))
                .as("docs/testing.md")
                .isNotEmpty()
                .containsOnly(String.join(",", modules()));
    }

    /** The names in the first column of the table. */
    private static List<String> tableOf(Path document) throws IOException {
        List<String> lines = Files.readAllLines(document);
        assertThat(lines).containsOnlyOnce(HEAD);
        return lines.subList(lines.indexOf(HEAD) + 2, lines.size()).stream()
                .takeWhile(line -> line.startsWith("|"))
                .flatMap(line -> found(NAME, line.substring(0, line.indexOf('|', 1))).stream())
                .toList();
    }

    /** Modules with stress tests, in the order of the build. */
    private static List<String> modules() throws IOException {
        return found(MODULE, Files.readString(ROOT.resolve("pom.xml"))).stream()
                .filter(module -> Files.isDirectory(sources(module)))
                .toList();
    }

    private static Path sources(String module) {
        return ROOT.resolve(module).resolve("src/jcstress/java");
    }

    /** Files with tests in them; what tests share has none. */
    private static List<String> testsOf(String module) throws IOException {
        List<String> tests = new ArrayList<>();
        try (Stream<Path> files = Files.walk(sources(module))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.readString(file).contains("@JCStressTest")) {
                    tests.add(file.getFileName().toString().replace(".java", ""));
                }
            }
        }
        assertThat(tests).as(module).isNotEmpty();
        return tests;
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }
}
