package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies have a limit, and a command whose reply exceeds it has changed nothing. */
@Timeout(180)
class ReplyLimitTest {
    private static final int LIMIT = 2048;
    private static final String[] SETUP = {
        "RPUSH list %s %s %s %s",
        "SADD set %s1 %s2 %s3 %s4 small",
        "SADD numbers 1 2 3 4 5 6 7 8 9",
        "HSET hash %s1 %s %s2 %s",
        "ZADD zset 1 %s1 2 %s2 3 %s3 4 %s4",
        "SET string %s%s%s%s",
        "SET expires %s%s%s%s EX 1000",
    };

    private static ShardFixture shard() {
        ShardFixture kv = new ShardFixture(new ShardContext().seed(1).maxReplyLength(LIMIT));
        for (String line : SETUP) {
            assertThat(String.valueOf(kv.run(line.replace("%s", "x".repeat(600)))))
                    .doesNotStartWith("ERR");
        }
        return kv;
    }

    private static List<Object> state(ShardFixture kv) {
        List<Object> state = new ArrayList<>();
        for (String line : List.of(
                "LLEN list",
                "SCARD set",
                "SCARD numbers",
                "HLEN hash",
                "ZCARD zset",
                "STRLEN string",
                "STRLEN expires",
                "EXISTS other",
                "PTTL string",
                "PTTL expires",
                "DBSIZE")) {
            state.add(kv.run(line));
        }
        return state;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LPOP list 4",
                "RPOP list 4",
                "LPOP list 1000",
                "SPOP set 4",
                "SPOP set 5",
                "SPOP set 100000",
                "ZPOPMIN zset 4",
                "ZPOPMAX zset 1000",
                "GETDEL string",
                "GETSET string v",
                "SET string v GET",
                "SET string v EX 10 GET",
                "GETEX string EX 10",
                "GETEX expires PERSIST",
                "GET string",
                "LRANGE list 0 -1",
                "SMEMBERS set",
                "HGETALL hash",
                "HRANDFIELD hash -5 WITHVALUES",
                "SRANDMEMBER set 4",
                "SRANDMEMBER set -4",
                "SRANDMEMBER numbers -1000000000",
                "SRANDMEMBER numbers -300",
                "ZRANGE zset 0 -1",
                "ZRANDMEMBER zset -9000000000 WITHSCORES",
                "SINTER set set",
                "SUNION set zset2",
                "MGET string string",
                "GETRANGE string 0 -1"
            })
    void aReplyBeyondTheLimitChangesNothing(String line) {
        try (ShardFixture kv = shard()) {
            List<Object> before = state(kv);
            assertThat(String.valueOf(kv.run(line))).startsWith("ERR reply of ").contains(" > maximum ");
            assertThat(state(kv)).isEqualTo(before);
        }
    }

    /** A client's inbox limits a reply further, and the element itself may be too long. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "LPOP list",
                "LMOVE list list LEFT RIGHT",
                "RPOPLPUSH list other",
                "SPOP numbers 7",
                "INCRBYFLOAT string 1",
                "INCRBYFLOAT other 1e300",
                "HINCRBYFLOAT hash2 f 1e300"
            })
    void whatAClientCannotTakeChangesNothing(String line) {
        try (ShardFixture kv = shard()) {
            List<Object> before = state(kv);
            kv.limitReplies(120);
            Object reply = kv.run(line);
            kv.limitReplies(1 << 20);
            assertThat(String.valueOf(reply)).startsWith("ERR ");
            assertThat(state(kv)).isEqualTo(before);
        }
    }

    @Test
    void whatFitsIsDone() {
        try (ShardFixture kv = shard()) {
            assertThat((List<?>) kv.run("LPOP list 3")).hasSize(3);
            assertThat((List<?>) kv.run("ZPOPMAX zset 3")).hasSize(6);
            assertThat((List<?>) kv.run("SPOP set 3")).hasSize(3);
            List<?> popped = (List<?>) kv.run("SPOP numbers 8");
            assertThat(new HashSet<>(popped)).hasSize(8);
            List<?> left = (List<?>) kv.run("SMEMBERS numbers");
            assertThat(left).hasSize(1);
            assertThat(popped.contains(left.get(0))).isFalse();
            assertThat(kv.run("SCARD set")).isEqualTo(2L);
        }
    }

    @Test
    void oneScanIsBoundedWhateverCountAsks() {
        try (ShardFixture kv = new ShardFixture()) {
            int keys = 100_000;
            for (int i = 0; i < keys; i++) {
                kv.call("SET", "key:" + i, "v");
                kv.call("HSET", "hash", "f" + i, i % 100 == 0 ? "x".repeat(20_000) : "v");
            }
            for (String line : List.of("SCAN %s COUNT 9223372036854775807", "HSCAN hash %s COUNT 100000000")) {
                Set<Object> seen = new HashSet<>();
                String cursor = "0";
                int calls = 0;
                do {
                    List<?> reply = (List<?>) kv.run(line.replace("%s", cursor));
                    cursor = (String) reply.get(0);
                    List<?> elements = (List<?>) reply.get(1);
                    assertThat(elements.size()).isLessThan(2 * (ScanOptions.MAX_COUNT + 100));
                    long bytes = elements.stream()
                            .mapToLong(element -> ((String) element).length())
                            .sum();
                    assertThat(bytes).isLessThan(ScanOptions.MAX_BYTES + 200_000L);
                    seen.addAll(elements);
                    calls++;
                } while (!cursor.equals("0"));
                assertThat(calls).isBetween(keys / ScanOptions.MAX_COUNT, 200);
                assertThat(seen.size()).isGreaterThanOrEqualTo(keys);
            }
        }
    }

    private static String request(String line) {
        String[] words = line.split(" ");
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        RequestEncoder encoder =
                new RequestEncoder().begin(buffer, 0, KvOp.valueOf(words[0].toUpperCase(Locale.ROOT)), 0, 0, 0);
        for (int i = 1; i < words.length; i++) {
            encoder.argument(words[i].getBytes(StandardCharsets.ISO_8859_1));
        }
        return new String(buffer.byteArray(), 0, encoder.length(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void aTransactionTellsOfEachCommandWhetherItHappened() {
        try (ShardFixture kv = shard()) {
            List<String> lines = List.of(
                    "SET first 1", "LPOP list", "LPOP list", "LPOP list", "LPOP list 2", "GETDEL string", "INCR first");
            List<?> replies = (List<?>) kv.call(
                    "TRANSACTION", lines.stream().map(ReplyLimitTest::request).toArray(String[]::new));
            assertThat(replies).hasSize(lines.size());
            assertThat(replies.get(0)).isEqualTo("OK");
            assertThat(replies.get(1)).isEqualTo("x".repeat(600));
            assertThat(replies.get(3)).isEqualTo("x".repeat(600));
            for (int i = 4; i <= 5; i++) {
                assertThat((String) replies.get(i)).startsWith("ERR ");
            }
            assertThat(replies.get(6)).isEqualTo(2L);
            assertThat(kv.run("LLEN list")).isEqualTo(1L);
            assertThat(kv.run("STRLEN string")).isEqualTo(2400L);
        }
    }

    @Test
    void aTransactionWhoseRepliesDoNotFitIsRefusedWhole() {
        try (ShardFixture kv = shard()) {
            String[] requests = new String[40];
            java.util.Arrays.fill(requests, request("INCR counter"));
            assertThat((String) kv.call("TRANSACTION", requests))
                    .isEqualTo("ERR transaction of 40 requests > maximum 30 for a reply of up to 2048 bytes");
            assertThat(kv.run("EXISTS counter")).isEqualTo(0L);
        }
    }
}
