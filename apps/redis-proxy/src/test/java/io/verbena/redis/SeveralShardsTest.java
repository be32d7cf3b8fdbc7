package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands whose keys lie on several shards. */
@Timeout(180)
class SeveralShardsTest {
    private static final String CROSS_SLOT = "-CROSSSLOT Keys in request don't hash to the same slot\r\n";

    private ProxyFixture proxy;
    private RespClient client;

    @BeforeEach
    void start() throws Exception {
        proxy = new ProxyFixture(new ProxyContext().shards(5));
        client = proxy.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        proxy.close();
    }

    @Test
    void integersAreAdded() throws Exception {
        assertThat(client.command("MSET", "a", "1", "b", "2", "c", "3", "d", "4"))
                .isEqualTo("+OK\r\n");
        assertThat(client.command("EXISTS", "a", "b", "c", "d", "e", "a")).isEqualTo(":5\r\n");
        assertThat(client.command("DBSIZE")).isEqualTo(":4\r\n");
        assertThat(client.command("TOUCH", "a", "e")).isEqualTo(":1\r\n");
        assertThat(client.command("DEL", "a", "b", "e")).isEqualTo(":2\r\n");
        assertThat(client.command("UNLINK", "c", "d")).isEqualTo(":2\r\n");
        assertThat(client.command("DBSIZE")).isEqualTo(":0\r\n");
    }

    @Test
    void elementsComeInTheOrderOfTheKeys() throws Exception {
        client.command("MSET", "a", "1", "b", "2", "c", "3", "d", "4");
        client.command("LPUSH", "list", "x");
        assertThat(client.command("MGET", "d", "none", "a", "list", "c", "b", "d"))
                .isEqualTo("*7\r\n$1\r\n4\r\n$-1\r\n$1\r\n1\r\n$-1\r\n$1\r\n3\r\n$1\r\n2\r\n$1\r\n4\r\n");
        client.command("HELLO", "3");
        assertThat(client.command("MGET", "none", "a")).isEqualTo("*2\r\n_\r\n$1\r\n1\r\n");
    }

    @Test
    void anOddNumberOfArgumentsIsRefusedAsAWhole() throws Exception {
        assertThat(client.command("MSET", "a", "1", "b"))
                .isEqualTo("-ERR wrong number of arguments for 'mset' command\r\n");
        assertThat(client.command("EXISTS", "a")).isEqualTo(":0\r\n");
    }

    @Test
    void everyShardIsFlushed() throws Exception {
        client.command("MSET", "a", "1", "b", "2", "c", "3", "d", "4");
        assertThat(client.command("FLUSHDB", "nonsense")).isEqualTo("-ERR syntax error\r\n");
        assertThat(client.command("DBSIZE")).isEqualTo(":4\r\n");
        assertThat(client.command("FLUSHALL", "SYNC")).isEqualTo("+OK\r\n");
        assertThat(client.command("DBSIZE")).isEqualTo(":0\r\n");
        assertThat(client.command("RANDOMKEY")).isEqualTo("$-1\r\n");
    }

    @Test
    void keysAreJoinedAndScanVisitsEveryShardOnce() throws Exception {
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            keys.add("key:" + i);
            client.command("SET", "key:" + i, "v");
        }
        assertThat(words(client.command("KEYS", "*"))).isEqualTo(keys);
        assertThat(words(client.command("KEYS", "key:1?"))).hasSize(10);
        assertThat(keys).contains(words(client.command("RANDOMKEY")).iterator().next());

        Set<String> scanned = new HashSet<>();
        String cursor = "0";
        int steps = 0;
        do {
            String reply = client.command("SCAN", cursor, "COUNT", "20");
            Matcher first = Pattern.compile("\\*2\\r\\n\\$\\d+\\r\\n(\\d+)\\r\\n(.*)", Pattern.DOTALL)
                    .matcher(reply);
            assertThat(first.matches()).as(reply).isTrue();
            cursor = first.group(1);
            scanned.addAll(words(first.group(2)));
            assertThat(++steps).isLessThan(500);
        } while (!cursor.equals("0"));
        assertThat(scanned).isEqualTo(keys);
        assertThat(steps).isGreaterThan(5);
        assertThat(client.command("SCAN", "abc")).isEqualTo("-ERR invalid cursor\r\n");
        assertThat(client.command("SCAN", "99999999999999999999999")).isEqualTo("-ERR invalid cursor\r\n");
        assertThat(client.command("SCAN", "0", "COUNT", "0")).startsWith("-ERR");
    }

    private static Set<String> words(String reply) {
        Set<String> words = new HashSet<>();
        Matcher matcher = Pattern.compile("\\$\\d+\\r\\n(.*)\\r\\n").matcher(reply);
        while (matcher.find()) {
            words.add(matcher.group(1));
        }
        return words;
    }

    @Test
    void whatCannotBeSpreadNeedsOneShard() throws Exception {
        assertThat(client.command("MSETNX", "a", "1", "d", "2")).isEqualTo(CROSS_SLOT);
        assertThat(client.command("RENAME", "a", "d")).isEqualTo(CROSS_SLOT);
        assertThat(client.command("MSETNX", "{t}a", "1", "{t}b", "2")).isEqualTo(":1\r\n");
        assertThat(client.command("RENAME", "{t}a", "{t}c")).isEqualTo("+OK\r\n");
        assertThat(client.command("GET", "{t}c")).isEqualTo("$1\r\n1\r\n");
    }

    @Test
    void aTransactionStaysOnOneShard() throws Exception {
        assertThat(client.command("MULTI")).isEqualTo("+OK\r\n");
        assertThat(client.command("SET", "{t}a", "1")).isEqualTo("+QUEUED\r\n");
        assertThat(client.command("PING")).isEqualTo("+QUEUED\r\n");
        assertThat(client.command("MGET", "{t}a", "{t}b")).isEqualTo("+QUEUED\r\n");
        assertThat(client.command("EXEC")).isEqualTo("*3\r\n+OK\r\n+PONG\r\n*2\r\n$1\r\n1\r\n$-1\r\n");

        client.command("MULTI");
        assertThat(client.command("SET", "a", "1")).isEqualTo("+QUEUED\r\n");
        assertThat(client.command("SET", "d", "1"))
                .isEqualTo("-CROSSSLOT Keys of a transaction don't hash to the same slot\r\n");
        assertThat(client.command("EXEC"))
                .isEqualTo("-EXECABORT Transaction discarded because of previous errors.\r\n");
        client.command("MULTI");
        assertThat(client.command("DBSIZE"))
                .isEqualTo("-ERR 'dbsize' concerns every shard and cannot be part of a transaction\r\n");
        assertThat(client.command("DISCARD")).isEqualTo("+OK\r\n");
        assertThat(client.command("EXISTS", "a")).isEqualTo(":0\r\n");
    }
}
