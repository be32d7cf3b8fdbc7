package io.verbena.bench.fabric;

import io.verbena.bench.BenchException;
import java.util.Locale;

/** What carries the packets, and how the ends are reached. */
public enum FabricKind {
    /** Shared memory of two processes, with the direct path. */
    SHM,
    /** Unix-domain sockets. */
    UDS,
    /** TCP. */
    TCP,
    /** Both ends in this process, a thread each, with the direct path. */
    LOCAL;

    /** By its name on the command line. */
    public static FabricKind of(String name) {
        for (FabricKind kind : values()) {
            if (kind.optionName().equals(name)) {
                return kind;
            }
        }
        throw new BenchException("unknown fabric '" + name + "', expected shm, uds, tcp or local");
    }

    /** The name on the command line. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
