package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StringOperationsTest {
    private final ShardFixture kv = new ShardFixture();

    @AfterEach
    void close() {
        kv.close();
    }

    @Test
    void storesAndReads() {
        assertThat(kv.run("SET k v")).isEqualTo("OK");
        assertThat(kv.run("GET k")).isEqualTo("v");
        assertThat(kv.run("GET none")).isNull();
        assertThat(kv.run("STRLEN k")).isEqualTo(1L);
        assertThat(kv.run("GETSET k w")).isEqualTo("v");
        assertThat(kv.run("GETDEL k")).isEqualTo("w");
        assertThat(kv.run("EXISTS k")).isEqualTo(0L);
        assertThat(kv.run("MSET a 1 b 2 c x")).isEqualTo("OK");
        assertThat(kv.run("MGET a none b c")).isEqualTo(java.util.Arrays.asList("1", null, "2", "x"));
        assertThat(kv.run("MSETNX d 1 a 2")).isEqualTo(0L);
        assertThat(kv.run("EXISTS a b d a")).isEqualTo(3L);
        assertThat(kv.call("SET", "bin", "\0\u00ff\r\n")).isEqualTo("OK");
        assertThat(kv.run("GET bin")).isEqualTo("\0\u00ff\r\n");
    }

    @Test
    void setTakesOptions() {
        assertThat(kv.run("SET k v XX")).isNull();
        assertThat(kv.run("SET k v NX")).isEqualTo("OK");
        assertThat(kv.run("SET k w NX")).isNull();
        assertThat(kv.run("SET k w NX GET")).isEqualTo("v");
        assertThat(kv.run("SET k w XX GET EX 10")).isEqualTo("v");
        assertThat(kv.run("TTL k")).isEqualTo(10L);
        assertThat(kv.run("SET k x KEEPTTL")).isEqualTo("OK");
        assertThat(kv.run("TTL k")).isEqualTo(10L);
        assertThat(kv.run("SET k y")).isEqualTo("OK");
        assertThat(kv.run("TTL k")).isEqualTo(-1L);
        assertThat(kv.run("SET k y PXAT " + (kv.now + 1500))).isEqualTo("OK");
        assertThat(kv.run("PTTL k")).isEqualTo(1500L);
        assertThat(kv.run("PEXPIRETIME k")).isEqualTo(kv.now + 1500);
        assertThat(kv.run("SET k y EX 0")).isEqualTo("ERR invalid expire time in 'set' command");
        assertThat(kv.run("SETEX k -1 y")).isEqualTo("ERR invalid expire time in 'setex' command");
        assertThat(kv.run("SET k y EX x")).isEqualTo("ERR value is not an integer or out of range");
        assertThat(kv.run("SET k y EX")).isEqualTo("ERR syntax error");
        assertThat(kv.run("SET k y EX 1 PX 1")).isEqualTo("ERR syntax error");
        assertThat(kv.run("SET k y NX XX")).isEqualTo("ERR syntax error");
        assertThat(kv.run("GETEX k PERSIST")).isEqualTo("y");
        assertThat(kv.run("TTL k")).isEqualTo(-1L);
        assertThat(kv.run("GETEX k PXAT 1")).isEqualTo("y");
        assertThat(kv.run("GETEX k")).isNull();
    }

    @Test
    void expiresLazily() {
        kv.run("SET k v PX 100");
        kv.now += 100;
        assertThat(kv.run("GET k")).isEqualTo("v");
        kv.now += 1;
        assertThat(kv.shard.keys(0)).isEqualTo(1);
        assertThat(kv.run("GET k")).isNull();
        assertThat(kv.shard.keys(0)).isZero();
        assertThat(kv.shard.statistics().expired()).isEqualTo(1);
        assertThat(kv.shard.statistics().hits()).isEqualTo(1);
        assertThat(kv.shard.statistics().misses()).isEqualTo(1);
    }

    @Test
    void appendsAndCuts() {
        assertThat(kv.run("APPEND k 12")).isEqualTo(2L);
        assertThat(kv.run("OBJECT ENCODING k")).isEqualTo("int");
        assertThat(kv.run("APPEND k ab")).isEqualTo(4L);
        assertThat(kv.run("OBJECT ENCODING k")).isEqualTo("raw");
        assertThat(kv.run("GETRANGE k 1 2")).isEqualTo("2a");
        assertThat(kv.run("GETRANGE k -3 -1")).isEqualTo("2ab");
        assertThat(kv.run("GETRANGE k 5 9")).isEqualTo("");
        assertThat(kv.run("SETRANGE k 6 xy")).isEqualTo(8L);
        assertThat(kv.run("GET k")).isEqualTo("12ab\0\0xy");
        assertThat(kv.run("SETRANGE n 2 x")).isEqualTo(3L);
        assertThat(kv.run("GET n")).isEqualTo("\0\0x");
        assertThat(kv.run("SETRANGE n -1 x")).isEqualTo("ERR offset is out of range");
        assertThat(kv.run("SETRANGE n 9223372036854775807 x"))
                .isEqualTo("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    }

    @Test
    void counts() {
        assertThat(kv.run("INCR c")).isEqualTo(1L);
        assertThat(kv.run("INCRBY c 41")).isEqualTo(42L);
        assertThat(kv.run("DECRBY c 50")).isEqualTo(-8L);
        assertThat(kv.run("DECR c")).isEqualTo(-9L);
        assertThat(kv.run("GET c")).isEqualTo("-9");
        kv.run("SET c 9223372036854775807");
        assertThat(kv.run("INCR c")).isEqualTo("ERR increment or decrement would overflow");
        assertThat(kv.run("DECRBY c -9223372036854775808")).isEqualTo("ERR decrement would overflow");
        kv.run("SET c 007");
        assertThat(kv.run("INCR c")).isEqualTo("ERR value is not an integer or out of range");
        assertThat(kv.run("INCRBYFLOAT c 0.1")).isEqualTo("7.1");
        kv.run("SET f 10.5");
        assertThat(kv.run("INCRBYFLOAT f 0.1")).isEqualTo("10.6");
        assertThat(kv.run("INCRBYFLOAT f 5.0e3")).isEqualTo("5010.60000000000000009");
        assertThat(kv.run("INCRBYFLOAT f x")).isEqualTo("ERR value is not a valid float");
        assertThat(kv.run("INCRBYFLOAT f inf")).isEqualTo("ERR increment would produce NaN or Infinity");
    }

    @Test
    void bits() {
        assertThat(kv.run("SETBIT b 7 1")).isEqualTo(0L);
        assertThat(kv.run("SETBIT b 7 0")).isEqualTo(1L);
        assertThat(kv.run("SETBIT b 100 1")).isEqualTo(0L);
        assertThat(kv.run("STRLEN b")).isEqualTo(13L);
        assertThat(kv.run("GETBIT b 100")).isEqualTo(1L);
        assertThat(kv.run("GETBIT b 1000")).isEqualTo(0L);
        kv.run("SET w foobar");
        assertThat(kv.run("BITCOUNT w")).isEqualTo(26L);
        assertThat(kv.run("BITCOUNT w 1 1")).isEqualTo(6L);
        assertThat(kv.run("BITCOUNT w 5 30 BIT")).isEqualTo(17L);
        assertThat(kv.call("SET", "p", "\u00ff\u00f0\0")).isEqualTo("OK");
        assertThat(kv.run("BITPOS p 0")).isEqualTo(12L);
        assertThat(kv.run("BITPOS p 1 2")).isEqualTo(-1L);
    }

    @Test
    void namesLimits() {
        String longKey = "k".repeat(65537);
        assertThat(kv.call("SET", longKey, "v")).isEqualTo("ERR key of 65537 bytes > maximum 65536");
        assertThat(kv.call("SET", longKey.substring(1), "v")).isEqualTo("OK");
        try (ShardFixture small = new ShardFixture(new ShardContext().maxValueLength(100_000))) {
            assertThat(small.call("SET", "k", "v".repeat(100_001)))
                    .isEqualTo("ERR value of 100001 bytes > maximum 100000");
            assertThat(small.call("SET", "k", "v".repeat(100_000))).isEqualTo("OK");
            assertThat(small.call("APPEND", "k", "v"))
                    .isEqualTo("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
        }
        kv.database = 16;
        assertThat(kv.run("GET k")).isEqualTo("ERR DB index is out of range");
        kv.database = 0;
        assertThat(kv.run("GET k k")).isEqualTo("ERR wrong number of arguments for 'get' command");
    }

    @Test
    void keepsEncodings() {
        kv.run("SET i 123");
        kv.run("SET e abc");
        kv.call("SET", "r", "x".repeat(45));
        assertThat(List.of(kv.run("OBJECT ENCODING i"), kv.run("OBJECT ENCODING e"), kv.run("OBJECT ENCODING r")))
                .isEqualTo(List.of("int", "embstr", "raw"));
        assertThat(kv.run("OBJECT REFCOUNT i")).isEqualTo((long) Integer.MAX_VALUE);
        assertThat(kv.run("OBJECT REFCOUNT e")).isEqualTo(1L);
        kv.now += 12_345;
        assertThat(kv.run("OBJECT IDLETIME e")).isEqualTo(12L);
        kv.run("TOUCH e");
        assertThat(kv.run("OBJECT IDLETIME e")).isEqualTo(0L);
        assertThat((Long) kv.run("MEMORY USAGE r")).isBetween(90L, 200L);
        assertThat(kv.run("OBJECT ENCODING none")).isNull();
        assertThat(kv.run("OBJECT NONE e")).isEqualTo("ERR unknown subcommand 'NONE'. Try OBJECT HELP.");
    }
}
