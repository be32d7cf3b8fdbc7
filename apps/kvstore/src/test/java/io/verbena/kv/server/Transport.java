package io.verbena.kv.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.Tenants;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** How the clients of a test reach their server. */
enum Transport {
    LOCAL,
    SHM,
    TCP,
    UDS;

    /** A server of threads that can be reached this way. */
    KvServerContext context(String name, int shards, Path directory) {
        KvServerContext context = new KvServerContext().name(name).shards(shards);
        return switch (this) {
            case LOCAL -> context;
            case SHM -> {
                assumeTrue(System.getProperty("os.name").startsWith("Linux"), "shared memory is for Linux");
                yield context.listen("shm:" + name + "-shm");
            }
            case TCP -> context.listen("tcp://127.0.0.1:0");
            case UDS -> context.listen("uds:" + directory.resolve("kv.sock"));
        };
    }

    List<String> addresses(KvServer server) {
        return addresses(server, Tenants.DEFAULT);
    }

    List<String> addresses(KvServer server, String tenant) {
        return IntStream.range(0, server.shards())
                .mapToObj(shard -> server.addresses(shard, tenant).get(this == LOCAL ? 0 : 1))
                .toList();
    }

    NodeContext client(NodeMode mode) {
        return new NodeContext().mode(mode).sharedMemory(this == SHM);
    }
}
