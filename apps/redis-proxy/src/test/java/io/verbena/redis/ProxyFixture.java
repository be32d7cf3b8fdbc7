package io.verbena.redis;

import io.verbena.redis.backend.InProcessStore;

/** A proxy on any free port over shards in this process. */
final class ProxyFixture implements AutoCloseable {
    private final ProxyServer server;

    ProxyFixture() {
        this(new ProxyContext());
    }

    ProxyFixture(ProxyContext context) {
        context.port(0);
        server = ProxyServer.launch(
                context,
                new InProcessStore(
                        context.shards(), context.maxMemory(), context.maxMemoryPolicy(), context.nativeTransport()));
    }

    ProxyServer server() {
        return server;
    }

    int port() {
        return server.port();
    }

    RespClient client() throws java.io.IOException {
        return new RespClient(server.port());
    }

    @Override
    public void close() {
        server.close();
    }
}
