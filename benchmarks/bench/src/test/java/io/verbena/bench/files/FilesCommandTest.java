package io.verbena.bench.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(240)
class FilesCommandTest {
    /** All is read as it was written, and each kind of work has its line. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void remoteFilesAreMeasuredBesideLocalOnes(String fabric, @TempDir Path directory) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        FilesCommand command = new FilesCommand();
        command.printTo(out, out);
        String[] arguments = {
            "--size",
            "4",
            "--resident",
            "1",
            "--operations",
            "200",
            "--rounds",
            "1",
            "--fabric",
            fabric,
            "--tmpfs",
            directory.toString(),
            "--disk",
            directory.toString()
        };
        int status = new CommandLine(command).execute(arguments);
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text.lines().filter(line -> line.startsWith("| "))).hasSize(1 + 5);
        assertThat(directory).isEmptyDirectory();
    }
}
