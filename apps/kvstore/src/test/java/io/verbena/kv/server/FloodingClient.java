package io.verbena.kv.server;

import io.verbena.NodeMode;
import io.verbena.kv.protocol.KvOp;
import java.time.Duration;
import java.util.Arrays;

/** A client process that counts as fast as it can, until it is killed. */
final class FloodingClient {
    private FloodingClient() {}

    public static void main(String[] arguments) {
        String key = arguments[1];
        long deadline = System.nanoTime() + Duration.ofSeconds(100).toNanos();
        try (TestClient client = new TestClient(
                Transport.valueOf(arguments[0]),
                NodeMode.INVOKER,
                Arrays.asList(arguments).subList(2, arguments.length))) {
            int shard = client.shardOf(key);
            while (System.nanoTime() < deadline && client.submit(shard, KvOp.INCR, key)) {
                client.client.flush();
                client.until(() -> client.client.outstanding() < 100);
            }
        }
    }
}
