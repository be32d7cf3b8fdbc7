package io.verbena.verification.fabric;

import io.verbena.verification.RunException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What carries the packets, and how the ends are reached. */
public enum FabricKind {
    /** Shared memory of two processes, with the direct path. */
    SHM,
    /** Unix-domain sockets. */
    UDS,
    /** TCP. */
    TCP,
    /** TCP through Java's own channels, whatever else there is. */
    NIO_TCP,
    /** Mutual TLS 1.3 over TCP. */
    TLS_TCP,
    /** TCP through io_uring. */
    URING_TCP,
    /** Both ends in this process, a thread each, with the direct path. */
    LOCAL;

    /** By its name on the command line. */
    public static FabricKind of(String name) {
        for (FabricKind kind : values()) {
            if (kind.optionName().equals(name)) {
                return kind;
            }
        }
        throw new RunException("unknown fabric '" + name + "', expected "
                + Arrays.stream(values()).map(FabricKind::optionName).collect(Collectors.joining(", ")));
    }

    /** The name on the command line. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Why this machine does not have it, or null if it does. */
    public @Nullable String unavailable() {
        switch (this) {
            case NIO_TCP:
                return SocketNodeFabric.unavailable(SocketNodeFabric.NIO);
            case URING_TCP:
                return SocketNodeFabric.unavailable(SocketNodeFabric.IO_URING);
            default:
                return null;
        }
    }
}
