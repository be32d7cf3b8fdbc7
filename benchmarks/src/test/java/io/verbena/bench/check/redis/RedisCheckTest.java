package io.verbena.bench.check.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.redis.ProxyContext;
import io.verbena.redis.ProxyServer;
import io.verbena.redis.backend.NodeStore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole load for some seconds against the proxy with its default settings, and with several shards. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RedisCheckTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void theProxyAnswersAsItMust(int shards) throws Exception {
        ProxyContext proxy = new ProxyContext().port(0).shards(shards).conclude();
        NodeStore store = new NodeStore(proxy.shards(), proxy.maxMemory(), proxy.maxMemoryPolicy());
        try (ProxyServer server = ProxyServer.launch(proxy, store)) {
            RedisCheckContext context = new RedisCheckContext()
                    .address("127.0.0.1", server.port())
                    .own(true)
                    .seed(shards)
                    .seconds(3)
                    .clients(100)
                    .maxValue(4 << 20)
                    .maxData(64 << 20)
                    .stallSeconds(20);
            assertThat(new RedisCheck(context, line -> {}, () -> null).run().failure())
                    .isNull();
        }
    }
}
