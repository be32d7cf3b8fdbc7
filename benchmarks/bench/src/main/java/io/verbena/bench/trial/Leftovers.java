package io.verbena.bench.trial;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.IoUtil;

/** Files that a process which was ended before its time could not delete: paths name them after its id. */
final class Leftovers {
    private static final String PREFIX = "verbena-bench-";

    private Leftovers() {}

    /** Deletes those of a process that has ended. */
    static void delete(long pid) {
        for (Path directory : List.of(Path.of("/dev/shm"), Path.of(System.getProperty("java.io.tmpdir")))) {
            if (Files.isDirectory(directory)) {
                try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, PREFIX + "*-" + pid + "-*")) {
                    for (Path each : found) {
                        IoUtil.delete(each.toFile(), true);
                    }
                } catch (IOException e) {
                    // They stay until somebody else cleans up; the measurement's own failure is what counts.
                    continue;
                }
            }
        }
    }
}
