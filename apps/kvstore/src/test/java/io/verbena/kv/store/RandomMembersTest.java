package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random picks from packed and unpacked hashes, sets and sorted sets; what Redis leaves to chance is checked as such.
 */
class RandomMembersTest {
    private final ShardFixture shard = new ShardFixture();

    @AfterEach
    void close() {
        shard.close();
    }

    private static String key(String command) {
        return command.substring(0, 1);
    }

    private void fill(String command, int members) {
        for (int i = 0; i < members; i++) {
            switch (key(command)) {
                case "h" -> shard.run("hset h m" + i + " " + i);
                case "s" -> shard.run("sadd s m" + i);
                default -> shard.run("zadd z " + i + " m" + i);
            }
        }
    }

    private List<?> pick(String command, String rest) {
        return (List<?>) shard.run(command + " " + key(command) + " " + rest);
    }

    @ParameterizedTest
    @CsvSource({
        "hrandfield, 20",
        "hrandfield, 2000",
        "srandmember, 20",
        "srandmember, 2000",
        "zrandmember, 20",
        "zrandmember, 2000"
    })
    void picksAreMembersDistinctIfAskedForAndReachAll(String command, int members) {
        fill(command, members);
        Set<Object> reached = new HashSet<>();
        // Each round misses a member with a chance of at most 0.95: of 2000 members, none is missed 800 times.
        for (int round = 0; round < 800; round++) {
            List<?> distinct = pick(command, Integer.toString(members / 20));
            assertThat(distinct).hasSize(members / 20).doesNotHaveDuplicates();
            reached.addAll(distinct);
        }
        assertThat(reached).hasSize(members).allMatch(member -> ((String) member).matches("m\\d+"));
        assertThat(pick(command, Integer.toString(members - 1)))
                .hasSize(members - 1)
                .doesNotHaveDuplicates();
        assertThat(pick(command, Integer.toString(members + 5)))
                .hasSize(members)
                .doesNotHaveDuplicates();
        List<?> repeated = pick(command, Integer.toString(-3 * members));
        assertThat(repeated).hasSize(3 * members);
        assertThat(new HashSet<Object>(repeated))
                .hasSizeLessThanOrEqualTo(members)
                .isSubsetOf(reached);
        assertThat(shard.run(command + " " + key(command))).isIn(reached);
    }

    @ParameterizedTest
    @CsvSource({
        "hrandfield, withvalues, 20",
        "hrandfield, withvalues, 2000",
        "zrandmember, withscores, 20",
        "zrandmember, withscores, 2000"
    })
    void valuesBelongToTheirMembers(String command, String option, int members) {
        fill(command, members);
        for (int count : new int[] {members / 4, members - 1, members, -members}) {
            List<?> pairs = pick(command, count + " " + option);
            assertThat(pairs).hasSize(2 * Math.abs(count));
            for (int i = 0; i < pairs.size(); i += 2) {
                assertThat(pairs.get(i)).isEqualTo("m" + pairs.get(i + 1));
            }
        }
    }
}
