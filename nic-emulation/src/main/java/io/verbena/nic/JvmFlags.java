package io.verbena.nic;

import org.jspecify.annotations.Nullable;

/**
 * The flags that the JVM has to be started with. Reports a missing flag at launch, in one line, which would otherwise
 * be an IllegalAccessError deep inside. Stateless; any thread. Does not itself need what it checks.
 */
public final class JvmFlags {
    private static final String PACKAGE = "jdk.internal.misc";

    /** The flag that Agrona's buffers need. */
    public static final String EXPORTS = "--add-exports java.base/" + PACKAGE + "=ALL-UNNAMED";

    private JvmFlags() {}

    /** The flag that this JVM lacks, or null. */
    public static @Nullable String missing() {
        Module base = Object.class.getModule();
        Module ours = org.agrona.concurrent.UnsafeBuffer.class.getModule();
        return base.isExported(PACKAGE, ours) ? null : EXPORTS;
    }

    static void check() {
        String missing = missing();
        if (missing != null) {
            throw new IllegalStateException("start the JVM with " + missing
                    + " (or name it in the manifest's Add-Exports of an executable jar)");
        }
    }
}
