package io.verbena.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class EchoExampleTest {
    @Test
    void isTheReadmesAndShort() throws IOException {
        String source = Files.readString(Path.of("src", "test", "java", "io", "verbena", "examples", "Echo.java"));
        String printed = source.substring(source.indexOf("import "));
        assertThat(printed.lines().count()).isLessThanOrEqualTo(30);
        assertThat(Files.readString(Path.of("..", "README.md"))).contains("```java\n" + printed + "```\n");
    }

    @Test
    void readmePrintsTheVerbsExample() throws IOException {
        String source = Files.readString(Path.of("..", "docs", "examples", "src", "main", "java", "Verbs.java"));
        assertThat(Files.readString(Path.of("..", "README.md"))).contains("```java\n" + source + "```\n");
    }

    @Test
    void printsWhatTheReadmePromises() throws InterruptedException {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Echo.main(new String[0]);
        } finally {
            System.setOut(out);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines("Hello, NIC!");
    }
}
