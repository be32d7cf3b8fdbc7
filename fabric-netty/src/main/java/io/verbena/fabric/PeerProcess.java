package io.verbena.fabric;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A process of this host at the other end of a connection, so that its death is known and not waited for. The kernel is
 * asked, by {@code /proc}: where there is none nothing is known of any process.
 *
 * <p>Immutable; any thread. A look reads a small file.
 */
public final class PeerProcess {
    private static final Path PROC = Path.of("/proc");
    private static final int START_TIME = 19; // counted from the state, which follows the name
    private static final long HOST = hostOf("sys/kernel/random/boot_id");

    private final long pid;
    private final String started; // a number that is used again is another process

    private PeerProcess(long pid, String started) {
        this.pid = pid;
        this.started = started;
    }

    /**
     * What stands for this host and its numbering of processes: 0 if that is not known, else the same for all that
     * share both.
     */
    public static long host() {
        return HOST;
    }

    /**
     * A process of this host.
     *
     * @param pid its number, any value
     * @return null if there is none of that number now, or it is this one
     */
    public static @Nullable PeerProcess of(long pid) {
        if (pid <= 0 || pid == ProcessHandle.current().pid()) {
            return null;
        }
        String[] stat = stat(pid);
        return stat == null || isOver(stat) ? null : new PeerProcess(pid, stat[START_TIME]);
    }

    /** Whether it has ended; its parent need not know yet. */
    public boolean isGone() {
        String[] stat = stat(pid);
        return stat == null || isOver(stat) || !stat[START_TIME].equals(started);
    }

    private static boolean isOver(String[] stat) {
        return stat[0].equals("Z") || stat[0].equals("X");
    }

    /** What the kernel says of a process from its state on; null if there is none. */
    private static String @Nullable [] stat(long pid) {
        try {
            String text =
                    Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" "); // a name may have any bytes
            return fields.length > START_TIME ? fields : null;
        } catch (IOException | IndexOutOfBoundsException e) {
            return null;
        }
    }

    private static long hostOf(String bootId) {
        try {
            String boot = Files.readString(PROC.resolve(bootId), StandardCharsets.ISO_8859_1);
            String numbering =
                    Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            long hash = 0xcbf29ce484222325L; // FNV-1a
            for (byte b : (boot + numbering).getBytes(StandardCharsets.ISO_8859_1)) {
                hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
            }
            return hash | 1;
        } catch (IOException | UnsupportedOperationException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return "process " + pid;
    }
}
