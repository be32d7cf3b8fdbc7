package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Seeded random commands of every type, right and wrong, on few keys so that they meet. */
final class RandomCommands {
    // Words in angle brackets are drawn at random, see draw(); a star repeats the word behind it 1 to 4 times,
    // two stars 1 to 100 times.
    private static final String[] TEMPLATES = {
        "GET <K>",
        "SET <K> <V>",
        "SET <K> <V> <SETOPT>",
        "SET <K> <V> <SETOPT> <SETOPT>",
        "SET <K> <V> EX <T>",
        "SET <K> <V> PX 9000000 <SETOPT>",
        "SETNX <K> <V>",
        "SETEX <K> <T> <V>",
        "PSETEX <K> 9000000 <V>",
        "GETSET <K> <V>",
        "GETDEL <K>",
        "GETEX <K>",
        "GETEX <K> PERSIST",
        "GETEX <K> EX <T>",
        "GETEX <K> <SETOPT>",
        "APPEND <K> <V>",
        "STRLEN <K>",
        "GETRANGE <K> <I> <I>",
        "SUBSTR <K> <I> <I>",
        "SETRANGE <K> <N> <V>",
        "MGET *<K>",
        "MSET <K> <V> <K> <V>",
        "MSET <K> <V> <K>",
        "MSETNX <K> <V> <K> <V>",
        "INCR <K>",
        "DECR <K>",
        "INCRBY <K> <I>",
        "DECRBY <K> <I>",
        "INCRBYFLOAT <K> <F>",
        "INCRBYFLOAT <K> <F>",
        "GETBIT <K> <N>",
        "SETBIT <K> <N> <BIT>",
        "BITCOUNT <K>",
        "BITCOUNT <K> <I> <I>",
        "BITCOUNT <K> <I> <I> <UNIT>",
        "BITPOS <K> <BIT>",
        "BITPOS <K> <BIT> <I>",
        "BITPOS <K> <BIT> <I> <I>",
        "BITPOS <K> <BIT> <I> <I> <UNIT>",
        "DEL *<K>",
        "UNLINK <K>",
        "EXISTS *<K>",
        "TOUCH *<K>",
        "TYPE <K>",
        "RENAME <K> <K>",
        "RENAMENX <K> <K>",
        "COPY <K> <K>",
        "COPY <K> <K> REPLACE",
        "COPY <K> <K> DB 1",
        "COPY <K> <K> DB 99",
        "OBJECT ENCODING <K>",
        "OBJECT ENCODING <K>",
        "OBJECT ENCODING <K>",
        "OBJECT REFCOUNT <K>",
        "OBJECT FREQ <K>",
        "OBJECT NOSUCH <K>",
        "OBJECT ENCODING",
        "MEMORY NOSUCH",
        "MEMORY USAGE",
        "MEMORY USAGE <K> SAMPLES x",
        "EXPIRE <K> 5000",
        "EXPIRE <K> -5 <EXPOPT>",
        "EXPIRE <K> <E> <EXPOPT>",
        "EXPIRE <K> <E> <EXPOPT> <EXPOPT>",
        "PEXPIRE <K> <E>000 <EXPOPT>",
        "EXPIREAT <K> 33177117420",
        "PEXPIREAT <K> 33177117420000",
        "EXPIREAT <K> <I>",
        "EXPIRE <K> <BAD>",
        "TTL <K>",
        "PTTL <K>",
        "EXPIRETIME <K>",
        "PEXPIRETIME <K>",
        "PERSIST <K>",
        "DBSIZE",
        "KEYS *",
        "KEYS k[0-3]",
        "SCAN 0 COUNT 100000",
        "SCAN 0 COUNT 100000 MATCH k?",
        "SCAN x",
        "SCAN 1.5",
        "SCAN 0 COUNT 100000 TYPE list",
        "SCAN 0 COUNT <I>x",
        "SCAN 0 COUNT 0",
        "LPUSH <K> *<V>",
        "RPUSH <K> *<V>",
        "LPUSH <K> *<V>",
        "RPUSH <K> *<V>",
        "LPUSHX <K> <V>",
        "RPUSHX <K> *<V>",
        "LPOP <K>",
        "RPOP <K>",
        "LPOP <K> <N>",
        "RPOP <K> <I>",
        "LRANGE <K> <I> <I>",
        "LRANGE <K> 0 -1",
        "LLEN <K>",
        "LINDEX <K> <I>",
        "LSET <K> <I> <V>",
        "LREM <K> <I> <V>",
        "LTRIM <K> <I> <I>",
        "LTRIM <K> 0 20",
        "LINSERT <K> BEFORE <V> <V>",
        "LINSERT <K> AFTER <V> <V>",
        "LINSERT <K> ON <V> <V>",
        "LPOS <K> <V>",
        "LPOS <K> <V> RANK <I>",
        "LPOS <K> <V> COUNT <N>",
        "LPOS <K> <V> RANK <I> COUNT <I> MAXLEN <I>",
        "LMOVE <K> <K> <SIDE> <SIDE>",
        "RPOPLPUSH <K> <K>",
        "SADD <K> *<V>",
        "SADD <K> *<I>",
        "SADD <K> *<M>",
        "SREM <K> *<V>",
        "SREM <K> *<I>",
        "SISMEMBER <K> <V>",
        "SMISMEMBER <K> *<V>",
        "SMEMBERS <K>",
        "SCARD <K>",
        "SSCAN <K> 0 COUNT 100000",
        "SSCAN <K> 0 COUNT 100000 MATCH *1*",
        "SMOVE <K> <K> <I>",
        "SINTER *<K>",
        "SUNION *<K>",
        "SDIFF *<K>",
        "SINTERSTORE <K> *<K>",
        "SUNIONSTORE <K> *<K>",
        "SDIFFSTORE <K> *<K>",
        "SPOP <K> 1000000",
        "SPOP <K> <BAD>",
        "SRANDMEMBER <K> 1000000",
        "SRANDMEMBER <K> 0",
        "SRANDMEMBER <K> x",
        "HSET <K> <M> <V>",
        "HSET <K> <M> <V> <M> <V>",
        "HSET <K> <M> <V> <M>",
        "HMSET <K> <M> <V> <M> <I>",
        "HSETNX <K> <M> <V>",
        "HGET <K> <M>",
        "HMGET <K> *<M>",
        "HGETALL <K>",
        "HDEL <K> *<M>",
        "HEXISTS <K> <M>",
        "HLEN <K>",
        "HKEYS <K>",
        "HVALS <K>",
        "HINCRBY <K> <M> <I>",
        "HINCRBYFLOAT <K> <M> <F>",
        "HSTRLEN <K> <M>",
        "HSCAN <K> 0 COUNT 100000",
        "HSCAN <K> 0 COUNT 100000 MATCH m1*",
        "HRANDFIELD <K> 100000 WITHVALUES",
        "HRANDFIELD <K> 100000",
        "HRANDFIELD <K> 1 NOPE",
        "ZADD <K> <F> <M>",
        "ZADD <K> <I> <M> <I> <M>",
        "ZADD <K> 0 <M> 0 <V> 0 <M>",
        "ZADD <K> <ZOPT> <F> <M>",
        "ZADD <K> <ZOPT> <ZOPT> <I> <M> <I> <M>",
        "ZREM <K> *<M>",
        "ZSCORE <K> <M>",
        "ZMSCORE <K> *<M>",
        "ZCARD <K>",
        "ZINCRBY <K> <F> <M>",
        "ZRANK <K> <M>",
        "ZREVRANK <K> <M>",
        "ZRANGE <K> <I> <I>",
        "ZRANGE <K> 0 -1 WITHSCORES",
        "ZRANGE <K> <I> <I> REV WITHSCORES",
        "ZRANGE <K> <S> <S> BYSCORE",
        "ZRANGE <K> <S> <S> BYSCORE REV",
        "ZRANGE <K> <S> <S> BYSCORE LIMIT <I> <I> WITHSCORES",
        "ZRANGE <Z> <L> <L> BYLEX",
        "ZRANGE <Z> <L> <L> BYLEX REV LIMIT <I> <I>",
        "ZRANGE <K> 0 1 LIMIT 0 1",
        "ZRANGE <Z> <L> <L> BYLEX WITHSCORES",
        "ZREVRANGE <K> <I> <I>",
        "ZREVRANGE <K> <I> <I> WITHSCORES",
        "ZRANGEBYSCORE <K> <S> <S>",
        "ZRANGEBYSCORE <K> <S> <S> WITHSCORES LIMIT <I> <I>",
        "ZREVRANGEBYSCORE <K> <S> <S> WITHSCORES",
        "ZRANGEBYLEX <Z> <L> <L>",
        "ZREVRANGEBYLEX <Z> <L> <L>",
        "ZCOUNT <K> <S> <S>",
        "ZLEXCOUNT <Z> <L> <L>",
        "ZPOPMIN <K>",
        "ZPOPMAX <K>",
        "ZPOPMIN <K> <I>",
        "ZPOPMAX <K> <N>",
        "ZREMRANGEBYRANK <K> <I> <I>",
        "ZREMRANGEBYSCORE <K> <S> <S>",
        "ZREMRANGEBYLEX <Z> <L> <L>",
        "ZSCAN <K> 0 COUNT 100000",
        "ZRANDMEMBER <K> 100000",
        "ZRANDMEMBER <K> 100000 WITHSCORES",
        "RPUSH <K> **<V>",
        "LPUSH <K> **<I>",
        "SADD <K> **<I>",
        "SADD <K> **<M>",
        "HSET <K> **<MV>",
        "HDEL <K> **<M>",
        "ZADD <K> **<IM>",
        "ZREM <K> **<M>",
        "ZADD <Z> 0 <M> 0 <M> 0 <M>",
        "ZADD <Z> **<0M>",
        "ZADD <Z> 0 <V>",
        "ZREM <Z> <M>",
        "ZRANGE <Z> 0 -1 WITHSCORES",
        "COPY <Z> <K>",
        "SET <Z> <V> NX",
        "UNLINK <Z>",
        "FLUSHDB NOPE"
    };

    private static final String[] FLOATS = {
        "0", "1", "-1", "0.1", "3.14", "1e5", "-2.5e-3", "1.0", "5.0e3", "123456.789", "17.000000000001", "1e17", "-0",
        "inf", "-inf", "+inf", "nan", "x", "", "1e400", "0x10", ".5", "5.", "1e", "99999999999999999", "1e-20",
        "0.30000000000000004", "1e308", "4.9e-324"
    };
    private static final String[] INTEGERS = {
        "9223372036854775807",
        "-9223372036854775808",
        "-9223372036854775807",
        "9223372036854775808",
        "",
        "x",
        "1.5",
        "01",
        "+1",
        "-0",
        " 1"
    };
    private static final String[] SET_OPTIONS = {"NX", "XX", "GET", "KEEPTTL", "EX", "PX", "nx", "PERSIST", "bogus"};
    private static final String[] EXPIRE_OPTIONS = {"NX", "XX", "GT", "LT", "gt", "bogus"};
    private static final String[] ZADD_OPTIONS = {"NX", "XX", "GT", "LT", "CH", "INCR", "ch"};
    private static final String[] LEX = {"-", "+", "[m1", "(m1", "[m5", "(m3", "[", "(m", "m", "--", "", "[m100"};
    private static final int KEYS_PER_TYPE = 2;
    private static final int KEYS = 5 * KEYS_PER_TYPE;

    private final Random random;
    /** Few values: they collide. Many: structures leave their small encodings. */
    private final int spread;

    private KvOp.Group group = KvOp.Group.KEY;

    RandomCommands(long seed, int spread) {
        random = new Random(seed);
        this.spread = spread;
    }

    /** The next command, its name first. */
    List<String> next() {
        List<String> words = new ArrayList<>();
        String[] template = TEMPLATES[random.nextInt(TEMPLATES.length)].split(" ");
        group = KvOp.valueOf(template[0]).group();
        for (String word : template) {
            int repeats = word.startsWith("**<") ? 100 : word.startsWith("*<") ? 4 : 1;
            for (int i = repeats == 1 ? 1 : 1 + random.nextInt(repeats); i > 0; i--) {
                switch (word) {
                    case "**<MV>" -> words.addAll(List.of(draw("<M>"), draw("<V>")));
                    case "**<IM>" -> words.addAll(List.of(draw("<I>"), draw("<M>")));
                    case "**<0M>" -> words.addAll(List.of("0", draw("<M>")));
                    default -> words.add(draw(repeats == 1 ? word : word.substring(word.indexOf('<'))));
                }
            }
        }
        // A shorter SPOP or ...RANDMEMBER would be one with a random outcome.
        boolean isRandom = words.get(0).contains("RAND") || words.get(0).equals("SPOP");
        if (random.nextInt(100) == 0) {
            words.add("extra");
        } else if (random.nextInt(200) == 0 && words.size() > 1 && !isRandom) {
            words.remove(words.size() - 1);
        }
        return words;
    }

    private String draw(String word) {
        return switch (word) {
            case "<K>" -> key();
            // All members have one score, as the order by member wants it.
            case "<Z>" -> "z" + random.nextInt(2);
            case "<V>" -> value();
            case "<M>" -> "m" + random.nextInt(spread);
            case "<I>" -> integer();
            case "<N>" -> Integer.toString(random.nextInt(40));
            case "<F>" ->
                random.nextInt(3) == 0
                        ? FLOATS[random.nextInt(FLOATS.length)]
                        : Double.toString(random.nextInt(2000) / 8.0 - 100);
            // Seconds, none of them so few that a key expires meanwhile, by two clocks.
            case "<T>" -> {
                String number = integer();
                yield number.equals("0") ? number : number + "00";
            }
            // Relative times with GT or LT: never the same twice, since two clocks would not agree which is later.
            case "<E>" -> Long.toString(10_000 + 10L * random.nextInt(1 << 24));
            case "<E>000" -> Long.toString((10_005 + 10L * random.nextInt(1 << 24)) * 1000);
            case "<S>" -> score();
            case "<L>" -> LEX[random.nextInt(LEX.length)];
            case "<BAD>" -> INTEGERS[random.nextInt(INTEGERS.length)];
            case "<SETOPT>" -> SET_OPTIONS[random.nextInt(SET_OPTIONS.length)];
            case "<EXPOPT>" -> EXPIRE_OPTIONS[random.nextInt(EXPIRE_OPTIONS.length)];
            case "<ZOPT>" -> ZADD_OPTIONS[random.nextInt(ZADD_OPTIONS.length)];
            case "<SIDE>" -> random.nextInt(20) == 0 ? "UP" : random.nextBoolean() ? "LEFT" : "right";
            case "<BIT>" -> random.nextInt(20) == 0 ? "2" : Integer.toString(random.nextInt(2));
            case "<UNIT>" -> random.nextInt(20) == 0 ? "WORD" : random.nextBoolean() ? "BYTE" : "bit";
            default -> word;
        };
    }

    /** Mostly a key that is mostly of the command's type, so that structures grow. */
    private String key() {
        int home = switch (group) {
            case STRING, COUNTER, BIT -> 0;
            case LIST -> 1;
            case SET, SET_ALGEBRA -> 2;
            case HASH -> 3;
            case SORTED_SET, SORTED_SET_RANGE -> 4;
            case KEY, EXPIRY, DATABASE, TRANSFER -> random.nextInt(5);
        };
        return "k"
                + (random.nextInt(20) == 0
                        ? random.nextInt(KEYS)
                        : home * KEYS_PER_TYPE + random.nextInt(KEYS_PER_TYPE));
    }

    private String value() {
        return switch (random.nextInt(12)) {
            case 0 -> "";
            case 1 -> "x".repeat(45 + random.nextInt(60));
            case 2 -> "\0\u00ff\r\n" + random.nextInt(10);
            case 3 -> Double.toString(random.nextInt(1000) / 4.0);
            case 4, 5, 6 -> Integer.toString(random.nextInt(spread));
            case 7 -> random.nextInt(20) == 0 ? "y".repeat(random.nextInt(12_000)) : "y".repeat(random.nextInt(300));
            default -> "v" + random.nextInt(spread);
        };
    }

    private String integer() {
        if (random.nextInt(40) == 0) {
            return INTEGERS[random.nextInt(INTEGERS.length)];
        }
        return Integer.toString(random.nextInt(spread) - spread / 4);
    }

    private String score() {
        String bound = switch (random.nextInt(8)) {
            case 0 -> "-inf";
            case 1 -> "+inf";
            case 2 -> FLOATS[random.nextInt(FLOATS.length)];
            default -> Integer.toString(random.nextInt(300) - 100);
        };
        return random.nextInt(3) == 0 ? "(" + bound : bound;
    }
}
