package io.verbena.papers.srq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SizeClassesTest {
    private static final int MIB = 1 << 20;

    @Test
    void memcachedHasFortyTwoSlabs() {
        SizeClasses slabs = SizeClasses.slabs(MIB);
        assertThat(slabs.count()).isEqualTo(42);
        assertThat(slabs.toString())
                .startsWith("[96, 120, 152, 192, 240, 304, 384, 480, 600, 752, 944, 1184, 1480, ")
                .endsWith(", 771184, 1048576]");
        SizeClasses short24 = slabs.truncated(16 << 10);
        assertThat(short24.count()).isEqualTo(24);
        assertThat(short24.toString()).startsWith("[96, 120, ").endsWith(", 13880, 16384]");
        assertThat(slabs.truncated(2 * MIB)).isEqualTo(slabs);
        assertThat(slabs.truncated(152)).isEqualTo(SizeClasses.of(96, 120, 152));
        assertThat(SizeClasses.slabs(90)).isEqualTo(SizeClasses.single(90));
    }

    @Test
    void aSizeIsInTheClassWhoseLimitItDoesNotExceed() {
        SizeClasses classes = SizeClasses.of(8, 100, 1000);
        assertThat(classes.classOf(0)).isZero();
        assertThat(classes.classOf(8)).isZero();
        assertThat(classes.classOf(9)).isEqualTo(1);
        assertThat(classes.classOf(100)).isEqualTo(1);
        assertThat(classes.classOf(101)).isEqualTo(2);
        assertThat(classes.classOf(1000)).isEqualTo(2);
        assertThat(classes.above(0)).isZero();
        assertThat(classes.above(2)).isEqualTo(100);
        assertThat(classes.max()).isEqualTo(1000);
        assertThatThrownBy(() -> classes.classOf(1001)).hasMessage("size 1001 outside 0..1000");
    }

    @Test
    void equalClassesEndAtTheLargestSize() {
        SizeClasses classes = SizeClasses.equal(1000, 3);
        assertThat(classes).isEqualTo(SizeClasses.of(333, 666, 1000)).hasSameHashCodeAs(SizeClasses.of(333, 666, 1000));
        assertThat(SizeClasses.equal(7, 7)).isEqualTo(SizeClasses.of(1, 2, 3, 4, 5, 6, 7));
        assertThatThrownBy(() -> SizeClasses.equal(7, 8)).hasMessage("8 classes outside 1..7");
    }

    @Test
    void limitsAscend() {
        assertThatThrownBy(() -> SizeClasses.of(8, 8)).hasMessage("limit 8 of class 1 < minimum 9");
        assertThatThrownBy(SizeClasses::of).hasMessage("0 classes < minimum 1");
        assertThatThrownBy(() -> SizeClasses.slabs(1, 96, MIB)).hasMessage("factor 1.0 not above 1");
    }

    /** Against every way to merge a few classes. */
    @Test
    void theOptimizerFindsWhatTryingAllFinds() {
        LinkModel link = LinkModel.fdr(16 << 10);
        SizeDistribution sizes = EtcWorkload.messages(EtcVariant.ETC).truncated(16 << 10);
        SizeClasses candidates = SizeClasses.slabs(2, 64, 16 << 10);
        int n = candidates.count();
        double[] best = new double[n + 1];
        java.util.Arrays.fill(best, Double.MAX_VALUE);
        for (int kept = 0; kept < 1 << (n - 1); kept++) {
            int chosen = kept;
            long[] limits = java.util.stream.IntStream.range(0, n)
                    .filter(i -> i == n - 1 || (chosen >> i & 1) == 1)
                    .mapToLong(candidates::limit)
                    .toArray();
            double cost =
                    SrqFootprint.of(link, sizes, 525, SizeClasses.of(limits)).totalBytes();
            best[limits.length] = Math.min(best[limits.length], cost);
        }
        double least = Double.MAX_VALUE;
        for (int count = 1; count <= n; count++) {
            SizeClasses found = SizeClassOptimizer.least(link, sizes, 525, candidates, count);
            assertThat(found.count()).isEqualTo(count);
            assertThat(SrqFootprint.of(link, sizes, 525, found).totalBytes()).isEqualTo(best[count]);
            least = Math.min(least, best[count]);
        }
        SizeClasses found = SizeClassOptimizer.least(link, sizes, 525, candidates);
        assertThat(SrqFootprint.of(link, sizes, 525, found).totalBytes()).isEqualTo(least);
        assertThatThrownBy(() -> SizeClassOptimizer.least(link, sizes, 525, candidates, n + 1))
                .hasMessage(n + 1 + " classes outside 1.." + n);
    }
}
