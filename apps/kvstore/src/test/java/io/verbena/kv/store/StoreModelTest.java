package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random commands on a shard with a virtual clock, each reply compared with that of plain collections. */
@Timeout(180)
class StoreModelTest {
    private static final int COMMANDS = 30_000;
    // <I> an integer, <V> a value, <M> a member; starred words come 1 to 40 times.
    private static final String[] TEMPLATES = {
        "SET <V>",
        "GET",
        "GETDEL",
        "INCRBY <I>",
        "APPEND <V>",
        "STRLEN",
        "GETRANGE <I> <I>",
        "SETRANGE <N> <V>",
        "DEL",
        "EXISTS",
        "PEXPIRE <N>",
        "PEXPIRE <N>",
        "PTTL",
        "PERSIST",
        "LPUSH *<V>",
        "RPUSH *<V>",
        "LPOP",
        "RPOP",
        "LRANGE <I> <I>",
        "LRANGE 0 -1",
        "LINDEX <I>",
        "LREM <I> <V>",
        "LSET <I> <V>",
        "LTRIM <I> -1",
        "SADD *<V>",
        "SADD *<M>",
        "SADD *<I>",
        "SREM *<M>",
        "SISMEMBER <M>",
        "SCARD",
        "SMEMBERS",
        "HSET *<M>=<V>",
        "HSET <M> <V>",
        "HGET <M>",
        "HDEL *<M>",
        "HLEN",
        "HGETALL",
        "ZADD *<I>=<M>",
        "ZADD <I> <M>",
        "ZREM *<M>",
        "ZSCORE <M>",
        "ZRANK <M>",
        "ZRANGE <I> <I> WITHSCORES",
        "ZRANGE 0 -1 WITHSCORES",
        "ZCOUNT <I> <I>",
        "ZPOPMIN"
    };

    private static final List<Class<?>> HOMES =
            List.of(String.class, ArrayList.class, TreeSet.class, HashMap.class, TreeMap.class);

    private Random random = new Random();
    private int spread;

    @ParameterizedTest
    @CsvSource({"1, 10", "2, 100", "3, 1000", "4, 10000"})
    void answersAsItsModel(long seed, int values) {
        try (ShardFixture kv = new ShardFixture(new ShardContext().seed(seed))) {
            walk(kv, seed, values);
            assertThat(kv.shard.usedMemory()).isGreaterThan(ShardFixture.EMPTY_BYTES);
            expectNothingIsLeft(kv);
        }
    }

    /** Whatever is not in use is out, so that nearly each command brings something in. */
    @ParameterizedTest
    @CsvSource({"11, 10, 1", "12, 100, 2", "13, 300, 5"})
    void answersAsItsModelWhereAllIsOut(long seed, int values, int delays) {
        SlowMemory far = new SlowMemory(8 << 20, seed, delays);
        ShardContext context = new ShardContext()
                .seed(seed)
                .maxMemory(ShardFixture.EXPIRIES + 6000)
                .overflow(far, 0, 8 << 20);
        try (ShardFixture kv = new ShardFixture(context)) {
            walk(kv, seed, values);
            assertThat(kv.shard.overflow().movedIn()).isGreaterThan(COMMANDS / 10);
            assertThat(kv.shard.overflow().failures()).isZero();
            expectNothingIsLeft(kv);
            assertThat(kv.shard.overflow().values()).isZero();
            assertThat(kv.shard.overflow().bytes()).isZero();
        }
    }

    private void walk(ShardFixture kv, long seed, int values) {
        random = new Random(seed);
        spread = values;
        StoreModel model = new StoreModel();
        for (int i = 0; i < COMMANDS; i++) {
            List<String> words = command();
            String name = words.get(0);
            String[] arguments = words.subList(1, words.size()).toArray(new String[0]);
            kv.now += random.nextInt(3);
            model.now = kv.now;
            Object expected = sorted(name, model.call(name, arguments));
            assertThat(sorted(name, kv.call(name, arguments)))
                    .as("seed %s, command %s: %s", seed, i, words)
                    .isEqualTo(expected);
            if (random.nextInt(10) == 0) {
                kv.shard.housekeep(kv.now, random.nextInt(100));
            }
        }
        assertThat(kv.shard.statistics().expired()).isPositive();
    }

    private static void expectNothingIsLeft(ShardFixture kv) {
        kv.deleteEachKey();
        assertThat(kv.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
        kv.run("FLUSHALL");
        assertThat(kv.shard.usedMemory()).isZero();
    }

    private List<String> command() {
        String[] template = TEMPLATES[random.nextInt(TEMPLATES.length)].split(" ");
        List<String> words = new ArrayList<>();
        words.add(template[0]);
        words.add(key(template[0]));
        for (int i = 1; i < template.length; i++) {
            boolean many = template[i].startsWith("*");
            for (int n = many ? 1 + random.nextInt(40) : 1; n > 0; n--) {
                for (String word : template[i].substring(many ? 1 : 0).split("=")) {
                    words.add(draw(word));
                }
            }
        }
        return words;
    }

    /** Mostly one of three keys of the command's type. */
    private String key(String command) {
        Class<?> type = StoreModel.typeOf(command);
        int home = type == null ? random.nextInt(HOMES.size()) : HOMES.indexOf(type);
        return "k" + (random.nextInt(30) == 0 ? random.nextInt(15) : 3 * home + random.nextInt(3));
    }

    private String draw(String word) {
        return switch (word) {
            case "<I>" -> Integer.toString(random.nextInt(spread) - spread / 4);
            case "<N>" -> Integer.toString(random.nextInt(2000));
            case "<M>" -> "m" + random.nextInt(spread);
            case "<V>" ->
                switch (random.nextInt(8)) {
                    case 0 -> "";
                    case 1 -> Integer.toString(random.nextInt(spread));
                    case 2 -> "x".repeat(random.nextInt(random.nextInt(50) == 0 ? 20_000 : 200));
                    default -> "v" + random.nextInt(spread);
                };
            default -> word;
        };
    }

    /** Sets have no order, hashes order by field. */
    private static Object sorted(String name, Object reply) {
        if (!(reply instanceof List<?> list) || !(name.equals("SMEMBERS") || name.equals("HGETALL"))) {
            return reply;
        }
        int step = name.equals("SMEMBERS") ? 1 : 2;
        List<String> groups = new ArrayList<>();
        for (int i = 0; i < list.size(); i += step) {
            groups.add(String.valueOf(list.subList(i, i + step)));
        }
        groups.sort(Comparator.naturalOrder());
        return groups;
    }
}
