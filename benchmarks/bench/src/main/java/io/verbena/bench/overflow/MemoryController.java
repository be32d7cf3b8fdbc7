package io.verbena.bench.overflow;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where the memory controller of this process' cgroup is, as {@code /proc/self/mountinfo} and {@code /proc/self/cgroup}
 * say.
 *
 * @param version of cgroups, 1 or 2
 * @param mount where the hierarchy is mounted
 * @param group directory of this process' group, at or below the mount
 */
record MemoryController(int version, Path mount, Path group) {
    private static final String MEMORY = "memory";
    private static final int MOUNT_ROOT = 3;
    private static final int MOUNT_POINT = 4;

    /**
     * Finds it. Where a hierarchy of version 1 has the controller, one of version 2 that is mounted beside it does not.
     *
     * @param mountinfo lines as proc(5) lays them out: {@code id parent device root point options optional... - type
     *     source superoptions}
     * @param cgroup lines as cgroups(7) lays them out: {@code id:controllers:path}
     */
    static Optional<MemoryController> find(List<String> mountinfo, List<String> cgroup) {
        Optional<String> first = pathOf(cgroup, MEMORY);
        if (first.isPresent()) {
            return find(mountinfo, first.get(), 1);
        }
        return pathOf(cgroup, "").flatMap(path -> find(mountinfo, path, 2));
    }

    /** This process' path in the hierarchy of a controller; that without controllers is version 2's. */
    private static Optional<String> pathOf(List<String> cgroup, String controller) {
        for (String line : cgroup) {
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && List.of(parts[1].split(",")).contains(controller)) {
                return Optional.of(parts[2]);
            }
        }
        return Optional.empty();
    }

    /** The first mount of a hierarchy that shows the path: a container has a part of it mounted. */
    private static Optional<MemoryController> find(List<String> mountinfo, String path, int version) {
        for (String line : mountinfo) {
            int separator = line.indexOf(" - ");
            if (separator < 0) {
                continue;
            }
            String[] mount = line.substring(0, separator).split(" ");
            String[] source = line.substring(separator + " - ".length()).split(" ");
            if (mount.length <= MOUNT_POINT || source.length < 3 || !hasController(source, version)) {
                continue;
            }
            Path root = Path.of(unescaped(mount[MOUNT_ROOT]));
            Path own = Path.of(path);
            if (own.startsWith(root)) {
                Path point = Path.of(unescaped(mount[MOUNT_POINT]));
                return Optional.of(new MemoryController(version, point, normalized(point, root.relativize(own))));
            }
        }
        return Optional.empty();
    }

    private static boolean hasController(String[] source, int version) {
        return version == 2
                ? source[0].equals("cgroup2")
                : source[0].equals("cgroup") && List.of(source[2].split(",")).contains(MEMORY);
    }

    private static Path normalized(Path point, Path relative) {
        return point.resolve(relative).normalize();
    }

    /** A blank, a tab, a newline and a backslash are octal. */
    private static String unescaped(String text) {
        return text.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}
