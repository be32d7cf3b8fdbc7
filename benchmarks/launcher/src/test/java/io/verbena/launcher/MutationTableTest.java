package io.verbena.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holds the table of mutations in {@code docs/testing.md} against {@code .ci/mutations/run --list}. */
@Tag("computed")
class MutationTableTest {
    private static final String HEAD = "| mistake | rule | caught by |";

    @Test
    void theDocumentedMutationsAreThoseThatAreRun() throws Exception {
        Path root = Path.of("").toAbsolutePath().resolve("../..").normalize();
        Path document = root.resolve("docs/testing.md");
        Path script = root.resolve(".ci/mutations/run");
        assumeTrue(Files.exists(document) && Files.exists(script), "docs or .ci is not in this checkout");

        assertThat(tableOf(document)).as("docs/testing.md").containsExactlyElementsOf(listOf(script));
    }

    /** The rows below the table's head and its ruler. */
    private static List<String> tableOf(Path document) throws IOException {
        List<String> lines = Files.readAllLines(document);
        assertThat(lines).containsOnlyOnce(HEAD);
        return lines.subList(lines.indexOf(HEAD) + 2, lines.size()).stream()
                .takeWhile(line -> line.startsWith("|"))
                .toList();
    }

    private static List<String> listOf(Path script) throws Exception {
        Process process = new ProcessBuilder("bash", script.toString(), "--list")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).isZero();
            assertThat(output).isNotEmpty();
            return output.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
