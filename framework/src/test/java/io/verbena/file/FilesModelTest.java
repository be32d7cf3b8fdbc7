package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is done to files, the default file system of Linux says the same. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@EnabledOnOs(OS.LINUX)
class FilesModelTest {
    private static final int SEEDS = Integer.getInteger("verbena.files.seeds", 12);
    private static final int STEPS = 400;

    @TempDir
    private Path directory;

    /** With 16 pages here, so that blocks come and go; and with all of them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theDefaultFileSystemSaysTheSame(boolean isSmall) throws Exception {
        try (Donors donors = Donors.local().add(64 << 20).add(64 << 20)) {
            FileSystem system = isSmall ? donors.small() : donors.open("whole", donors.properties());
            for (int seed = 0; seed < SEEDS; seed++) {
                Path model = Files.createDirectory(directory.resolve(isSmall + "-" + seed));
                Path ours = Files.createDirectory(system.getPath("/" + seed));
                new Twins(model, ours, seed).run(STEPS);
                deleteAll(ours);
            }
            Path root = system.getPath("/");
            assertThat(Files.getFileStore(root).getUnallocatedSpace())
                    .as("what was deleted gave its blocks back")
                    .isEqualTo(Files.getFileStore(root).getTotalSpace());
        }
    }

    private static void deleteAll(Path root) throws Exception {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Paths are computed as those of Unix are. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void pathsAreThoseOfUnix(long seed) throws Exception {
        try (Donors donors = Donors.local().add(1 << 20)) {
            FileSystem system = donors.small();
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < 3_000; i++) {
                String a = text(random);
                String b = text(random);
                int from = random.nextInt(4);
                int to = random.nextInt(4);
                assertThat(algebra(system.getPath(a), system.getPath(b), from, to))
                        .as("'%s' and '%s', names %s to %s", a, b, from, to)
                        .isEqualTo(algebra(Path.of(a), Path.of(b), from, to));
            }
        }
    }

    private static String text(SplittableRandom random) {
        String[] parts = {"/", "/", "/", "a", "b", "a", "..", ".", "..", "ab", "//"};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append(parts[random.nextInt(parts.length)]);
        }
        return text.toString();
    }

    private static String algebra(Path a, Path b, int from, int to) {
        StringBuilder all = new StringBuilder();
        all.append(a)
                .append(';')
                .append(a.getRoot())
                .append(';')
                .append(a.getParent())
                .append(';');
        all.append(a.getFileName())
                .append(';')
                .append(a.getNameCount())
                .append(';')
                .append(a.normalize());
        all.append(';')
                .append(a.resolve(b))
                .append(';')
                .append(a.resolveSibling(b))
                .append(';');
        all.append(a.startsWith(b)).append(a.endsWith(b)).append(a.equals(b)).append(a.isAbsolute());
        all.append(Integer.signum(a.compareTo(b))).append(';');
        a.forEach(each -> all.append(each).append(','));
        all.append(outcome(() -> a.relativize(b))).append(';').append(outcome(() -> a.subpath(from, to)));
        return all.append(';').append(outcome(() -> a.getName(from))).toString();
    }

    /** Something that may be refused. */
    private interface Question {
        Object ask();
    }

    private static Object outcome(Question question) {
        try {
            return question.ask();
        } catch (IllegalArgumentException e) {
            return e.getClass();
        }
    }
}
