package io.verbena;

import io.verbena.connection.ConnectionSettings;
import io.verbena.mux.MuxSettings;
import java.util.concurrent.TimeUnit;

/** How a node's connections are made and ended. Mutable; not thread-safe. */
final class Connecting {
    int sendDepth = 256;
    int maxInline = 192;
    int stagingLength = 256 << 10;
    int pathMtu = 8192;
    int ackTimeoutCode = 18;
    int retryCount = 7;
    long lingerNanos = TimeUnit.SECONDS.toNanos(1);
    long idleNanos = TimeUnit.SECONDS.toNanos(10);
    long peerTimeoutNanos = TimeUnit.SECONDS.toNanos(10);
    MuxSettings sharing = new MuxOptions().settings();

    ConnectionSettings settings(String nodeName, int maxConnections) {
        return new ConnectionSettings(
                nodeName,
                sendDepth,
                maxInline,
                stagingLength,
                pathMtu,
                ackTimeoutCode,
                retryCount,
                lingerNanos,
                idleNanos,
                peerTimeoutNanos,
                maxConnections,
                sharing);
    }
}
