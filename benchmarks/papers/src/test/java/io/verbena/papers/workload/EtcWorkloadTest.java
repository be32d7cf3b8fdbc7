package io.verbena.papers.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class EtcWorkloadTest {
    private static final int MIB = 1 << 20;

    private static int[] sizes(EtcWorkload etc, int count) {
        int[] sizes = new int[count];
        for (int i = 0; i < count; i++) {
            sizes[i] = etc.messageBytes();
        }
        return sizes;
    }

    /** The numbers are those of every machine and every Java release. */
    @Test
    void aSeedIsTheSameTrafficEverywhere() {
        int[] drawn = new int[100];
        EtcWorkload etc = new EtcWorkload(EtcVariant.ETC, 2012);
        EtcWorkload rima = new EtcWorkload(EtcVariant.ETC_RIMA, 2012);
        for (int i = 0; i < drawn.length; i += 5) {
            drawn[i] = etc.keyBytes();
            drawn[i + 1] = etc.valueBytes();
            drawn[i + 2] = etc.messageBytes();
            drawn[i + 3] = (int) etc.gapNanos();
            drawn[i + 4] = rima.messageBytes();
        }
        assertThat(Arrays.hashCode(drawn)).as(Arrays.toString(drawn)).isEqualTo(1530495261);
    }

    @Test
    void gapsDoNotShiftSizes() {
        EtcWorkload one = new EtcWorkload(EtcVariant.ETC, 5);
        EtcWorkload other = new EtcWorkload(EtcVariant.ETC, 5).load(1e6);
        for (int i = 0; i < 1000; i++) {
            other.gapNanos();
            other.isGet();
            assertThat(other.messageBytes()).isEqualTo(one.messageBytes());
        }
        assertThat(sizes(new EtcWorkload(EtcVariant.ETC, 6), 1000))
                .isNotEqualTo(sizes(new EtcWorkload(EtcVariant.ETC, 5), 1000));
    }

    @Test
    void everySoManyMessagesTheLargestComes() {
        int[] sizes = sizes(new EtcWorkload(EtcVariant.ETC, 5).injectEvery(MIB, 1000), 10_000);
        for (int i = 0; i < sizes.length; i++) {
            assertThat(sizes[i] == MIB).isEqualTo((i + 1) % 1000 == 0);
        }
        EtcWorkload etc = new EtcWorkload(EtcVariant.ETC, 5);
        assertThatThrownBy(() -> etc.injectEvery(MIB, 0)).hasMessage("every 0 < minimum 1");
        assertThatThrownBy(() -> etc.injectEvery(-1, 1)).hasMessage("size -1 < minimum 0");
    }

    @Test
    void sizesAndLoadAndMixCanBeOthers() {
        EtcWorkload etc = new EtcWorkload(EtcVariant.ETC_RIMA, 5)
                .sizes(EtcWorkload.messages(EtcVariant.ETC_RIMA).truncated(100))
                .load(1e6)
                .getsPerSet(1);
        long gaps = 0;
        int gets = 0;
        for (int i = 0; i < 100_000; i++) {
            assertThat(etc.messageBytes()).isLessThanOrEqualTo(100);
            gaps += etc.gapNanos();
            gets += etc.isGet() ? 1 : 0;
        }
        assertThat(gaps / 100_000.0).isBetween(980.0, 1020.0);
        assertThat(gets).isBetween(49_000, 51_000);
        EtcWorkload reads = new EtcWorkload(EtcVariant.ETC, 5);
        int sets = 0;
        for (int i = 0; i < 310_000; i++) {
            sets += reads.isGet() ? 0 : 1;
        }
        assertThat(sets).isBetween(9_700, 10_300);
    }
}
