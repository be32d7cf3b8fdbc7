package io.verbena.redis;

import org.jspecify.annotations.Nullable;

/** What the JVM has to be started with. Uses nothing that needs it. */
final class JvmFlags {
    private static final String PACKAGE = "jdk.internal.misc";

    private JvmFlags() {}

    /** The flag that is missing, or null. */
    static @Nullable String missing() {
        final boolean exported = Object.class.getModule().isExported(PACKAGE, JvmFlags.class.getModule());
        return exported ? null : "--add-exports java.base/" + PACKAGE + "=ALL-UNNAMED";
    }
}
