package io.verbena.fabric.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example of docs/verbs.md stands there as it is here, and runs. */
@Timeout(180)
class TwoNicsTest {
    @Test
    void isWhatTheDocumentationShows() throws Exception {
        String source =
                Files.readString(Path.of("src", "test", "java", "io", "verbena", "fabric", "examples", "TwoNics.java"));
        String shown = source.substring(
                source.indexOf("            // A reliable connection"),
                source.indexOf("    private static Completion"));
        String documentation = Files.readString(Path.of("..", "docs", "verbs.md"));
        assertThat(documentation).contains(lines(shown));
    }

    /** Without indentation and the closing braces at the end. */
    private static String lines(String code) {
        StringBuilder text = new StringBuilder();
        code.lines()
                .takeWhile(line -> line.startsWith("            ") || line.isBlank())
                .forEach(line ->
                        text.append(line.isBlank() ? "" : line.substring(12)).append('\n'));
        return text.toString();
    }

    @Test
    void runs() {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            TwoNics.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        assertThat(output.toString(StandardCharsets.UTF_8).lines())
                .hasSize(6)
                .contains("B has 43, A was told 42")
                .filteredOn(line -> line.contains("SUCCESS"))
                .hasSize(5);
    }
}
