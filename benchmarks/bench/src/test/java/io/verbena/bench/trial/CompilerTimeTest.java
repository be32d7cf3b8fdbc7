package io.verbena.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilerTimeTest {
    @TempDir
    Path tasks;

    private void thread(String id, String name, String schedstat) throws IOException {
        Path thread = Files.createDirectories(tasks.resolve(id));
        Files.writeString(thread.resolve("comm"), name + "\n");
        Files.writeString(thread.resolve("schedstat"), schedstat + "\n");
    }

    @Test
    void whatC2HasRunIsAddedUpAndKept() throws IOException {
        CompilerTime compilers = new CompilerTime(tasks);
        thread("11", "C2 CompilerThre", "1000 77 5");
        thread("12", "C2 CompilerThre", "200 1 1");
        thread("13", "C1 CompilerThre", "5000 1 1");
        thread("14", "near-end", "9000 1 1");
        assertThat(compilers.nanos()).isEqualTo(1200);
        thread("11", "C2 CompilerThre", "1500 78 6");
        Files.delete(tasks.resolve("12/schedstat")); // the JVM has ended it
        assertThat(compilers.nanos()).isEqualTo(1700);
    }

    @Test
    void whereTheSystemDoesNotSayNothingRan() {
        assertThat(new CompilerTime(tasks.resolve("none")).nanos()).isZero();
    }
}
