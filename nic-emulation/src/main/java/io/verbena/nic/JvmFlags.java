package io.verbena.nic;

/** Finds out at launch, in one line, what would otherwise be an IllegalAccessError deep inside. */
final class JvmFlags {
    private static final String NEEDED = "java.base/jdk.internal.misc";

    private JvmFlags() {}

    static void check() {
        Module base = Object.class.getModule();
        Module ours = org.agrona.concurrent.UnsafeBuffer.class.getModule();
        if (!base.isExported("jdk.internal.misc", ours)) {
            throw new IllegalStateException("start the JVM with --add-exports " + NEEDED
                    + "=ALL-UNNAMED (or name it in the manifest's Add-Exports of an executable jar)");
        }
    }
}
