package io.verbena.bench.check.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Values that say whose they are. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ContentTest {
    private static final int RUN = 0x5e1f3a;
    private final ValueContent value = ValueContent.generated(RUN, 17, 12, 4, 1000);

    @Test
    void namesItself() {
        assertThat(new String(value.toBytes(), StandardCharsets.US_ASCII))
                .startsWith("c0011k000cv000004#000000~5e1f3a>c0011k000cv000004#000001~5e1f3a>");
        assertThat(Text.origin(value.toBytes(), 0, RUN))
                .isEqualTo("this value belongs to connection 17, key k12, version 4, from its byte 0");
        assertThat(Text.origin(value.toBytes(), 500, RUN + 1))
                .isEqualTo(
                        "this value belongs to connection 17, key k12, version 4, from its byte 480, of another run");
    }

    @Test
    void partsAreParts() {
        byte[] all = value.toBytes();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            int begin = random.nextInt(all.length);
            int end = begin + random.nextInt(all.length - begin);
            byte[] part = Arrays.copyOfRange(all, begin, end);
            assertThat(value.slice(begin, end).toBytes()).isEqualTo(part);
            assertThat(value.slice(begin, end).isSame(part)).isTrue();
            assertThat(value.mismatch(begin, all, begin, end - begin)).isEqualTo(-1);
        }
    }

    @Test
    void aDifferenceIsFound() {
        byte[] other = value.toBytes();
        other[777]++;
        assertThat(value.mismatch(0, other, 0, other.length)).isEqualTo(777);
        assertThat(value.isSame(other)).isFalse();
    }

    @Test
    void shortValuesDiffer() {
        assertThat(ValueContent.generated(RUN, 1, 2, 3, 10).toBytes())
                .isNotEqualTo(ValueContent.generated(RUN, 1, 2, 4, 10).toBytes())
                .isEqualTo(ValueContent.generated(RUN, 1, 2, 3, 10).toBytes());
    }
}
