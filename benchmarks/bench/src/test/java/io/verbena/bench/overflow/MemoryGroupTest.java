package io.verbena.bench.overflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MemoryGroupTest {
    private static final int MIB = 1 << 20;

    /** A real one; where this process may not make any, the test is over. */
    static MemoryGroup groupOrAbort(String name) {
        try {
            return MemoryGroup.create(name);
        } catch (RunException e) {
            Assumptions.abort(e.getMessage());
            throw e;
        }
    }

    private static Process start(MemoryGroup group, String... command) throws IOException {
        List<String> whole = new ArrayList<>(group.launcher());
        whole.addAll(List.of(command));
        return new ProcessBuilder(whole).start();
    }

    private static Path directoryOf(MemoryGroup group) {
        return Path.of(group.launcher().get(3)).getParent();
    }

    @Test
    void withVersionTwoTheNearestGroupThatPassesTheControllerOn(@TempDir Path mount) throws IOException {
        Path own = Files.createDirectories(mount.resolve("user.slice/app.slice/run.scope"));
        MemoryController controller = new MemoryController(2, mount, own);
        Files.writeString(own.resolve("cgroup.subtree_control"), "\n");
        Files.writeString(own.resolveSibling("cgroup.subtree_control"), "pids memory_recursiveprot\n");
        assertThatExceptionOfType(RunException.class)
                .isThrownBy(() -> MemoryGroup.parent(controller))
                .withMessageContaining("cgroup.subtree_control of no group from " + own + " up to " + mount);
        Files.writeString(mount.resolve("cgroup.subtree_control"), "cpu memory\n");
        assertThat(MemoryGroup.parent(controller)).isEqualTo(mount);
        Files.writeString(own.resolveSibling("cgroup.subtree_control"), "cpu memory pids\n");
        assertThat(MemoryGroup.parent(controller)).isEqualTo(own.getParent());
    }

    @Test
    void saysWhereTheRightIsMissing(@TempDir Path mount) {
        Path gone = mount.resolve("gone");
        assertThatExceptionOfType(RunException.class)
                .isThrownBy(() -> MemoryGroup.create(new MemoryController(1, mount, gone), "test"))
                .withMessageContaining("no right to make a memory cgroup in " + gone)
                .withMessageContaining("Delegate=yes");
    }

    @Test
    void itsMemoryIsCountedAndAnEndTakesAllAlong() throws Exception {
        Process sleeper;
        Path directory;
        try (MemoryGroup group = groupOrAbort("counted")) {
            directory = directoryOf(group);
            sleeper = start(group, "sleep", "600");
            assertThat(Files.readAllLines(directory.resolve("cgroup.procs"))).hasSizeLessThanOrEqualTo(1);
            Process holder = start(group, "sh", "-c", "x=$(head -c 20000000 /dev/zero | tr '\\0' x); echo; read y");
            assertThat(holder.getInputStream().read()).isEqualTo('\n');
            assertThat(group.usage().held()).isGreaterThan(19 * MIB);
            assertThatExceptionOfType(RunException.class)
                    .isThrownBy(() -> group.limit(MIB))
                    .withMessageContaining("cannot be limited to 1 MiB");
            assertThat(group.kills()).isZero();
        }
        assertThat(directory).doesNotExist();
        assertThat(sleeper.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void pagesOfFilesStayWithinTheLimit(@TempDir Path files) throws Exception {
        Path file = Files.write(files.resolve("file"), new byte[1]);
        try (MemoryGroup group = groupOrAbort("files")) {
            group.limit(64 * MIB);
            group.limit(16 * MIB);
            Process copy = start(group, "dd", "if=/dev/zero", "of=" + file, "bs=1M", "count=48", "conv=fsync");
            assertThat(copy.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(copy.exitValue()).isZero();
            MemoryGroup.Usage usage = group.usage();
            assertThat(usage.held() + usage.cached()).isLessThanOrEqualTo(16 * MIB);
            assertThat(group.kills()).isZero();
        }
    }

    @Test
    void whoNeedsMoreIsKilledAndThatIsCounted() throws Exception {
        try (MemoryGroup group = groupOrAbort("killed")) {
            group.limit(16 * MIB);
            Process greedy = start(group, "sh", "-c", "head -c 100000000 /dev/zero | tail -c 100000000");
            greedy.getInputStream().transferTo(OutputStream.nullOutputStream());
            assertThat(greedy.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(group.kills()).isPositive();
        }
    }
}
