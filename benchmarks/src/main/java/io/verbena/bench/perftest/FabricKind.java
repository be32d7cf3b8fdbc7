package io.verbena.bench.perftest;

import java.util.Locale;

/** What carries the packets, and how the ends are reached. */
enum FabricKind {
    /** Shared memory of two processes, with the direct path. */
    SHM,
    /** Unix-domain sockets. */
    UDS,
    /** TCP. */
    TCP,
    /** Both ends in this process, a thread each, with the direct path. */
    LOCAL;

    static FabricKind of(String name) {
        for (FabricKind kind : values()) {
            if (kind.optionName().equals(name)) {
                return kind;
            }
        }
        throw new PerftestException("unknown fabric '" + name + "', expected shm, uds, tcp or local");
    }

    String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
