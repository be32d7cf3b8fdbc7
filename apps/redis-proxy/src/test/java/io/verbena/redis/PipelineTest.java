package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies come in the order of the commands, whatever the order in which shards answer. */
@Timeout(180)
class PipelineTest {
    @Test
    void aThousandCommandsInOneWrite() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient client = proxy.client()) {
            StringBuilder sent = new StringBuilder();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                sent.append(RespClient.encode("SET", "k" + i, "v" + i)).append("PING\r\n");
                sent.append(RespClient.encode("GET", "k" + i)).append(RespClient.encode("NOSUCH"));
                expected.addAll(List.of("+OK\r\n", "+PONG\r\n", bulk("v" + i)));
                expected.add("-ERR unknown command 'NOSUCH', with args beginning with: \r\n");
            }
            client.send(sent.toString());
            for (String reply : expected) {
                assertThat(client.read()).isEqualTo(reply);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shardsThatAnswerInAnyOrder(int seed) throws Exception {
        ShufflingStore[] store = new ShufflingStore[1];
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().shards(4).workers(2), direct -> {
            store[0] = new ShufflingStore(direct, seed);
            return store[0];
        })) {
            int clients = 4;
            ExecutorService threads = Executors.newFixedThreadPool(clients);
            try {
                List<Future<Integer>> runs = new ArrayList<>();
                for (int i = 0; i < clients; i++) {
                    int number = i;
                    runs.add(threads.submit(() -> converse(proxy, number, new SplittableRandom(100L * seed + number))));
                }
                for (Future<Integer> run : runs) {
                    assertThat(run.get(50, TimeUnit.SECONDS)).isEqualTo(40);
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(store[0].overtakings.get()).isPositive();
            assertThat(store[0].refusals.get()).isPositive();
            assertThat(proxy.server().total(WorkerStatistics.Counter.ORPHANED_REPLIES))
                    .isZero();
        }
    }

    /** Batches of random commands on keys of this client's own, checked against a map. */
    private static int converse(ProxyFixture proxy, int number, SplittableRandom random) throws Exception {
        Map<String, String> model = new HashMap<>();
        try (RespClient client = proxy.client()) {
            for (int batch = 0; batch < 40; batch++) {
                StringBuilder sent = new StringBuilder();
                List<String> expected = new ArrayList<>();
                for (int i = 1 + random.nextInt(60); i > 0; i--) {
                    one(number, random, model, sent, expected);
                }
                client.send(sent.toString());
                for (int i = 0; i < expected.size(); i++) {
                    assertThat(client.read())
                            .as("client %d batch %d reply %d", number, batch, i)
                            .isEqualTo(expected.get(i));
                }
            }
        }
        return 40;
    }

    private static void one(
            int number, SplittableRandom random, Map<String, String> model, StringBuilder sent, List<String> expected) {
        String key = number + ":" + random.nextInt(20);
        String other = number + ":" + random.nextInt(20);
        String value = "v".repeat(random.nextInt(3000)) + random.nextInt();
        switch (random.nextInt(9)) {
            case 0:
            case 1:
                sent.append(RespClient.encode("SET", key, value));
                model.put(key, value);
                expected.add("+OK\r\n");
                break;
            case 2:
            case 3:
                sent.append(RespClient.encode("GET", key));
                expected.add(bulk(model.get(key)));
                break;
            case 4:
                sent.append(RespClient.encode("MGET", key, other, key));
                expected.add("*3\r\n" + bulk(model.get(key)) + bulk(model.get(other)) + bulk(model.get(key)));
                break;
            case 5:
                sent.append(RespClient.encode("MSET", key, value, other, "o"));
                model.put(key, value);
                model.put(other, "o");
                expected.add("+OK\r\n");
                break;
            case 6:
                sent.append(RespClient.encode("DEL", key, other));
                expected.add(
                        ":" + ((model.remove(key) == null ? 0 : 1) + (model.remove(other) == null ? 0 : 1)) + "\r\n");
                break;
            case 7:
                sent.append(RespClient.encode("EXISTS", key, other));
                expected.add(":" + ((model.containsKey(key) ? 1 : 0) + (model.containsKey(other) ? 1 : 0)) + "\r\n");
                break;
            default:
                sent.append(RespClient.encode("ECHO", value));
                expected.add(bulk(value));
                break;
        }
    }

    private static String bulk(String value) {
        return value == null ? "$-1\r\n" : "$" + value.length() + "\r\n" + value + "\r\n";
    }
}
