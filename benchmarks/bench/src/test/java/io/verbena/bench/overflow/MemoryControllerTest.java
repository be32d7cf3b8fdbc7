package io.verbena.bench.overflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Texts of {@code /proc/self/mountinfo} and {@code /proc/self/cgroup} as systems of different kinds have them. */
class MemoryControllerTest {
    private static final String ROOT = "26 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard";

    private static Optional<MemoryController> find(List<String> mountinfo, String... cgroup) {
        return MemoryController.find(mountinfo, List.of(cgroup));
    }

    private static Optional<MemoryController> at(int version, String mount, String group) {
        return Optional.of(new MemoryController(version, Path.of(mount), Path.of(group)));
    }

    @Test
    void versionOne() {
        List<String> mountinfo = List.of(
                ROOT,
                "31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu",
                "34 30 0:31 / /sys/fs/cgroup/memory rw,relatime shared:11 master:2 - cgroup cgroup rw,memory");
        assertThat(find(mountinfo, "5:cpu:/", "4:memory:/batch/job:7", "0::/"))
                .isEqualTo(at(1, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/batch/job:7"));
        assertThat(find(mountinfo, "4:memory:/"))
                .as("the root group")
                .isEqualTo(at(1, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory"));
    }

    @Test
    void versionOneBesideVersionTwoWithoutTheController() {
        List<String> mountinfo = List.of(
                "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw",
                "34 30 0:31 / /sys/fs/cgroup/cpu,memory rw,relatime - cgroup cgroup rw,cpu,memory");
        assertThat(find(mountinfo, "0::/user.slice", "4:cpu,memory:/user.slice"))
                .isEqualTo(at(1, "/sys/fs/cgroup/cpu,memory", "/sys/fs/cgroup/cpu,memory/user.slice"));
    }

    @Test
    void aContainerHasAPartOfTheHierarchyMounted() {
        List<String> mountinfo =
                List.of("34 30 0:31 /docker/0a1b /sys/fs/cgroup/memory ro,nosuid master:11 - cgroup cgroup rw,memory");
        assertThat(find(mountinfo, "4:memory:/docker/0a1b"))
                .isEqualTo(at(1, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory"));
        assertThat(find(mountinfo, "4:memory:/docker/0a1b/below"))
                .isEqualTo(at(1, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/below"));
        assertThat(find(mountinfo, "4:memory:/docker/0a1bcd"))
                .as("another group whose name begins as the mounted one's")
                .isEmpty();
    }

    @Test
    void versionTwo() {
        List<String> mountinfo =
                List.of(ROOT, "30 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate");
        String group = "/user.slice/user-1000.slice/user@1000.service/app.slice/run.scope";
        assertThat(find(mountinfo, "0::" + group)).isEqualTo(at(2, "/sys/fs/cgroup", "/sys/fs/cgroup" + group));
        assertThat(find(mountinfo, "1:name=systemd:/x", "0::/"))
                .as("in a container, or outside of all groups")
                .isEqualTo(at(2, "/sys/fs/cgroup", "/sys/fs/cgroup"));
    }

    @Test
    void blanksOfPathsAreOctal() {
        assertThat(find(List.of("30 22 0:26 / /mnt/c\\040g rw - cgroup2 none rw"), "0::/a"))
                .isEqualTo(at(2, "/mnt/c g", "/mnt/c g/a"));
    }

    @Test
    void none() {
        assertThat(find(List.of(ROOT), "0::/")).as("not mounted").isEmpty();
        assertThat(find(List.of(), new String[0])).as("no text").isEmpty();
        assertThat(find(
                        List.of("34 30 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu", "broken", "1 2 - cgroup2"),
                        "5:cpu:/",
                        "broken"))
                .as("other controllers, lines that cannot be read")
                .isEmpty();
    }
}
