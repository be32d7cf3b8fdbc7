package io.verbena.bench.check.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.redis.ProxyContext;
import io.verbena.redis.ProxyServer;
import io.verbena.redis.backend.NodeStore;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * The whole load for some seconds against the proxy with its default settings, and with several shards; and parts of
 * it.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RedisCheckTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void theProxyAnswersAsItMust(int shards) throws Exception {
        passes(shards, context(shards, "--seconds", "3"));
    }

    @Test
    void largeValuesAreWholeAndInOrder() throws Exception {
        passes(1, context(1, "--scenario", "overwrite-163840-8-deep,overwrite-1048576-8-deep"));
    }

    @Test
    void whatTheDeadHaveLeftIsNobodys() throws Exception {
        passes(1, context(1, "--scenario", "cut-1-mib"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"incr-1000-deep", "set-65536-16-deep", "overwrite-1048576-8-deep"})
    void nobodyIsLeftWaiting(String scenario) throws Exception {
        passes(1, context(1, "--scenario", scenario, "--stall", "20"));
    }

    private static RedisCheckContext context(int seed, String... more) {
        RedisCheckContext made = new RedisCheckContext();
        made.own = true;
        new CommandLine(made)
                .setOverwrittenOptionsAllowed(true)
                .parseArgs(Stream.concat(
                                Stream.of(
                                        ("--seed " + seed + " --seconds 1.5 --clients 100 --max-value 4m --max-data 64m"
                                                        + " --stall 20")
                                                .split(" ")),
                                Stream.of(more))
                        .toArray(String[]::new));
        return made;
    }

    private static void passes(int shards, RedisCheckContext context) throws IOException, InterruptedException {
        ProxyContext proxy = new ProxyContext().port(0).shards(shards).conclude();
        NodeStore store = new NodeStore(proxy.shards(), proxy.maxMemory(), proxy.maxMemoryPolicy());
        try (ProxyServer server = ProxyServer.launch(proxy, store)) {
            context.address("127.0.0.1", server.port());
            assertThat(new RedisCheck(context, line -> {}, () -> null).run().failure())
                    .isNull();
        }
    }
}
