package io.verbena.redis;

import io.verbena.redis.backend.NodeStore;
import io.verbena.redis.backend.Store;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** A proxy on any free port over shards in this process. */
final class ProxyFixture implements AutoCloseable {
    private final ProxyServer server;

    ProxyFixture() {
        this(new ProxyContext());
    }

    ProxyFixture(ProxyContext context) {
        this(context, store -> store);
    }

    ProxyFixture(ProxyContext context, UnaryOperator<Store> around) {
        context.port(0);
        server = ProxyServer.launch(
                context, around.apply(new NodeStore(context.shards(), context.maxMemory(), context.maxMemoryPolicy())));
    }

    ProxyServer server() {
        return server;
    }

    int port() {
        return server.port();
    }

    RespClient client() throws IOException {
        return new RespClient(server.port());
    }

    @Override
    public void close() {
        server.close();
    }
}
