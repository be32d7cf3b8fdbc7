package io.verbena.bench.trial;

import io.verbena.nic.JvmFlags;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.Stream;

/** The options of JVMs that this one starts. Stateless; any thread. */
public final class JvmOptions {
    /** What {@code java -jar} finds in the jar's manifest, which a JVM with a class path does not read. */
    private static final List<String> OF_THE_MANIFEST =
            List.of(JvmFlags.EXPORTS.replace(' ', '='), "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

    private JvmOptions() {}

    /** All options of this JVM but its agents, after those that open modules. */
    public static List<String> inherited() {
        return inherited(ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    /** Those that open modules. */
    public static List<String> ofModules() {
        return inherited().stream().filter(each -> each.startsWith("--")).toList();
    }

    static List<String> inherited(List<String> own) {
        return Stream.concat(OF_THE_MANIFEST.stream(), own.stream())
                .filter(each -> !each.startsWith("-javaagent") && !each.startsWith("-agentlib"))
                .toList();
    }
}
