package io.verbena.fabric.shm;

import io.verbena.fabric.security.SharedSecret;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link SharedMemoryFabric}. Not thread-safe; read once, by the fabric's constructor. */
public final class SharedMemoryContext {
    private int ringLength = LocalFabric.DEFAULT_RING_LENGTH;
    private int maxPacket = LocalFabric.DEFAULT_MAX_PACKET;
    private int maxConnections = 1024;
    private int backlog = 256;
    private @Nullable SharedSecret secret;
    private Duration helloTimeout = Duration.ofSeconds(5);

    /** Creates settings with the defaults. */
    public SharedMemoryContext() {}

    /** Bytes of a ring, a power of two; a link's rings are as the connecting side wants them. Default 256 KiB. */
    public SharedMemoryContext ringLength(int bytes) {
        ringLength = bytes;
        return this;
    }

    /** Largest packet in bytes, headers included; a ring must hold 4. Default 16 KiB + 128. */
    public SharedMemoryContext maxPacket(int bytes) {
        if (bytes < 512) {
            throw new IllegalArgumentException("maxPacket " + bytes + " < minimum 512");
        }
        maxPacket = bytes;
        return this;
    }

    /** Most connections that are let in. Default 1024. */
    public SharedMemoryContext maxConnections(int connections) {
        if (connections < 1) {
            throw new IllegalArgumentException("maxConnections " + connections + " < minimum 1");
        }
        maxConnections = connections;
        return this;
    }

    /** Connections that the kernel queues before they are accepted. Default 256. */
    public SharedMemoryContext backlog(int connections) {
        if (connections < 1) {
            throw new IllegalArgumentException("backlog " + connections + " < minimum 1");
        }
        backlog = connections;
        return this;
    }

    /** Time in which a peer must have said its hello. Default 5 s. */
    public SharedMemoryContext helloTimeout(Duration timeout) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("helloTimeout " + timeout + " is not positive");
        }
        helloTimeout = timeout;
        return this;
    }

    /** Asks peers to prove a secret besides being of the same user, and proves it to them. None by default. */
    public SharedMemoryContext secret(SharedSecret shared) {
        secret = shared;
        return this;
    }

    @Nullable
    SharedSecret secret() {
        return secret;
    }

    int ringLength() {
        return ringLength;
    }

    int maxPacket() {
        return maxPacket;
    }

    int maxConnections() {
        return maxConnections;
    }

    int backlog() {
        return backlog;
    }

    Duration helloTimeout() {
        return helloTimeout;
    }
}
