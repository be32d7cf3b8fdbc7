package io.verbena.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where it was measured.
 *
 * @param os name and version of the system
 * @param cpu model, empty if the system does not say
 * @param processors that the JVM may use
 * @param memoryBytes of the machine, 0 if the system does not say
 * @param jdk version and vendor
 * @param vm name and version
 * @param flags of the JVM, each fork's too
 * @param versions of Verbena and of the libraries it was compared with
 */
public record Machine(
        String os,
        String cpu,
        int processors,
        long memoryBytes,
        String jdk,
        String vm,
        List<String> flags,
        Map<String, String> versions) {
    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final Path MEMORY = Path.of("/proc/meminfo");

    /** This one. */
    public static Machine here() {
        String memory = field(MEMORY, "MemTotal").replaceAll("[^0-9]", "");
        return new Machine(
                property("os.name") + " " + property("os.version") + " " + property("os.arch"),
                field(CPU, "model name"),
                Runtime.getRuntime().availableProcessors(),
                memory.isEmpty() ? 0 : Long.parseLong(memory) << 10,
                property("java.version") + " " + property("java.vendor"),
                property("java.vm.name") + " " + property("java.vm.version"),
                List.copyOf(ManagementFactory.getRuntimeMXBean().getInputArguments()),
                libraries());
    }

    /** One line. */
    public String text() {
        return processors + " x " + (cpu.isEmpty() ? "unknown processor" : cpu) + ", " + os + ", JDK " + jdk;
    }

    private static String property(String name) {
        return System.getProperty(name, "");
    }

    private static String field(Path file, String name) {
        if (!Files.isReadable(file)) {
            return "";
        }
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                int colon = line.indexOf(':');
                if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
                    return line.substring(colon + 1).strip();
                }
            }
        } catch (IOException e) {
            return "";
        }
        return "";
    }

    private static Map<String, String> libraries() {
        Map<String, String> versions = new TreeMap<>();
        try (@Nullable InputStream in = Machine.class.getResourceAsStream("versions.properties")) {
            if (in != null) {
                Properties properties = new Properties();
                properties.load(in);
                properties.forEach((name, version) -> versions.put(String.valueOf(name), String.valueOf(version)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return versions;
    }
}
