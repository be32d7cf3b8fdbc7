package io.verbena.papers.srq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.within;

import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model against the numbers that the RIMA paper prints, and those that follow from its formulas. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SrqFootprintTest {
    private static final int MIB = 1 << 20;
    private static final int KIB16 = 16 << 10;
    private static final int PROCESSES = 32;

    /** Messages that wait at a server, as the paper measured. */
    private static final long N = 16_800;

    private static final LinkModel LINK = LinkModel.fdr(MIB);
    private static final SizeDistribution SIZES = EtcWorkload.messages(EtcVariant.ETC_RIMA);
    private static final Percentage CLOSELY = Percentage.withPercentage(0.5);

    private static double gb(SizeClasses classes) {
        return SrqFootprint.of(LINK, SIZES, N, classes).gb();
    }

    @Test
    void theLinkFillsLinearlyWithTheSize() {
        assertThat(LINK.efficiency(8)).isCloseTo(0.1566, offset(0.0001));
        assertThat(LINK.efficiency(1)).isEqualTo(LINK.efficiency(8));
        assertThat(LINK.efficiency(MIB)).isEqualTo(1);
        assertThat(LINK.rate(1)).isEqualTo(137e6);
        assertThat(LINK.rate(8)).isEqualTo(137e6);
        assertThat(LINK.rate(MIB)).isCloseTo(7e9 / MIB, CLOSELY);
        assertThat(LINK.withAllocation(2e-3).allocationSeconds()).isEqualTo(2e-3);
        assertThatThrownBy(() -> new LinkModel(7e9, 1e-3, 875.1e6, MIB)).hasMessageContaining("> the line's 7.0E9");
        assertThatThrownBy(() -> LinkModel.fdr(8)).hasMessageContaining("largest message 8 <= 8");
    }

    @Test
    void oneAppendQueueNeedsElevenMegabytes() {
        ReceiverMemory rima = SrqFootprint.rima(LINK, SIZES, N);
        assertThat(rima.reserveBytes()).isCloseTo(7e6, within(1.0));
        assertThat(rima.activeBytes()).isBetween(3.88e6, 3.92e6);
        assertThat(rima.ofProcesses(PROCESSES).totalBytes()).isCloseTo(228e6, CLOSELY);
        assertThat(rima.ofProcesses(PROCESSES).queues()).isEqualTo(PROCESSES);
    }

    @Test
    void oneSharedQueueOfTheLargestSizeNeedsThousandsOfTimesThat() {
        ReceiverMemory srq = SrqFootprint.of(LINK, SIZES, N, SizeClasses.single(MIB));
        assertThat(srq.reserveBytes()).isCloseTo(143.65e9, CLOSELY);
        assertThat(srq.activeBytes()).isCloseTo(N * (double) MIB, within(1.0));
        assertThat(srq.gb()).isCloseTo(161.27, CLOSELY);
        assertThat(srq.gib()).isCloseTo(150.2, CLOSELY);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 161.27",
        "2, 80.64",
        "10, 16.17",
        "50, 3.434",
        "100, 2.025",
        "150, 1.690",
        "200, 1.624",
        "300, 1.761",
        "500, 2.356",
        "1000, 4.220"
    })
    void queuesOfEqualRanges(int queues, double expected) {
        assertThat(gb(SizeClasses.equal(MIB, queues))).isCloseTo(expected, CLOSELY);
    }

    @Test
    void someTwoHundredQueuesOfEqualRangesNeedLeast() {
        int best = 1;
        for (int queues = 2; queues <= 600; queues++) {
            if (gb(SizeClasses.equal(MIB, queues)) < gb(SizeClasses.equal(MIB, best))) {
                best = queues;
            }
        }
        assertThat(best).isBetween(194, 204);
        assertThat(gb(SizeClasses.equal(MIB, best))).isCloseTo(1.624, CLOSELY);
    }

    @ParameterizedTest
    @CsvSource({"1, 4597", "2, 25.58", "4, 2.865", "6, 1.769", "8, 1.596", "10, 1.577", "42, 3.106"})
    void mergedSlabsByReserveAlone(int queues, double expected) {
        SizeClasses merged = SizeClassOptimizer.least(LINK, SIZES, 0, SizeClasses.slabs(MIB), queues);
        assertThat(SrqFootprint.of(LINK, SIZES, 0, merged)
                        .ofProcesses(PROCESSES)
                        .gb())
                .isCloseTo(expected, CLOSELY);
    }

    @Test
    void theLeastReserveOfMergedSlabsIsTheBestOfAllNumbers() {
        SizeClasses slabs = SizeClasses.slabs(MIB);
        SizeClasses best = SizeClassOptimizer.least(LINK, SIZES, 0, slabs);
        assertThat(best.count()).isEqualTo(10);
        assertThat(SizeClassOptimizer.least(LINK, SIZES, 0, slabs, 8))
                .isEqualTo(SizeClasses.of(96, 304, 944, 3632, 13880, 52984, 202152, MIB));
        ReceiverMemory eight = SrqFootprint.of(LINK, SIZES, 0, SizeClassOptimizer.least(LINK, SIZES, 0, slabs, 8))
                .ofProcesses(PROCESSES);
        assertThat(eight.gib()).as("the paper's 1.5 GB").isCloseTo(1.49, CLOSELY);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 16384, 1, 72.1",
        "1, 16384, 2, 3.41",
        "1, 16384, 3, 1.55",
        "1, 16384, 4, 1.241",
        "1, 16384, 5, 1.185",
        "1, 16384, 24, 2.41",
        "0.5, 8192, 1, 36.05",
        "0.5, 8192, 4, 1.123",
        "0.5, 8192, 5, 1.111",
        "2, 32768, 1, 144.2",
        "2, 32768, 4, 1.399",
        "2, 32768, 6, 1.258"
    })
    void truncatedAndScaled(double factor, long max, int queues, double expected) {
        SizeDistribution sizes = SIZES.truncated(KIB16).scaled(factor);
        assertThat(sizes.max()).isEqualTo(max);
        LinkModel link = LinkModel.fdr(max);
        long each = N / PROCESSES;
        SizeClasses merged = SizeClassOptimizer.least(
                link, sizes, each, SizeClasses.slabs(MIB).truncated(max), queues);
        assertThat(SrqFootprint.of(link, sizes, N, merged)
                        .ofProcesses(PROCESSES)
                        .gb())
                .isCloseTo(expected, CLOSELY);
    }

    @ParameterizedTest
    @CsvSource({"0.5, 226", "1, 228", "2, 232"})
    void anAppendQueueNeedsTheSameAtAnyScale(double factor, double expected) {
        SizeDistribution sizes = SIZES.truncated(KIB16).scaled(factor);
        assertThat(SrqFootprint.rima(LINK, sizes, N).ofProcesses(PROCESSES).totalBytes() / 1e6)
                .isCloseTo(expected, CLOSELY);
    }

    @Test
    void twoQueuesCutAtAKilobyte() {
        ReceiverMemory small = SrqFootprint.ofClass(LINK, SIZES, N, 0, 1024).ofProcesses(PROCESSES);
        ReceiverMemory large = SrqFootprint.ofClass(LINK, SIZES, N, 1024, MIB).ofProcesses(PROCESSES);
        double gib = 1L << 30;
        assertThat(large.reserveBytes() / gib).isCloseTo(33.59, CLOSELY);
        assertThat(small.reserveBytes() / gib).isCloseTo(4.18, CLOSELY);
        assertThat((small.reserveBytes() + large.reserveBytes()) / gib).isCloseTo(37.77, CLOSELY);
        ReceiverMemory both = SrqFootprint.of(LINK, SIZES, N, SizeClasses.of(1024, MIB));
        assertThat(both.activeBytes() / gib).isBetween(0.67, 0.74);
        assertThat(both.activeBytes()).isCloseTo(small.activeBytes() + large.activeBytes(), within(1.0));
    }

    @Test
    void twoQueuesCutWhereOneInAThousandIsLonger() {
        double gib = 1L << 30;
        double small = SrqFootprint.ofClass(LINK, SIZES, N, 0, 5400).reserveBytes() * PROCESSES / gib;
        double smallOfKib = SrqFootprint.ofClass(LINK, SIZES, N, 0, 5530).reserveBytes() * PROCESSES / gib;
        double large = SrqFootprint.ofClass(LINK, SIZES, N, 5530, MIB).reserveBytes() * PROCESSES / gib;
        assertThat(small).as("5.4 KB are 5,400 B").isCloseTo(22.05, CLOSELY);
        assertThat(smallOfKib).as("or 5,530 B").isCloseTo(22.58, CLOSELY);
        assertThat(large).isCloseTo(6.37, CLOSELY);
    }

    @Test
    void balancedSlabsHaveTheSmallestLargestQueue() {
        SizeClasses slabs = SizeClasses.slabs(MIB);
        for (int queues : new int[] {2, 8, 20}) {
            double balanced = largest(SlabMerge.balanced(LINK, SIZES, N, slabs, queues));
            assertThat(balanced)
                    .isLessThanOrEqualTo(largest(SizeClassOptimizer.least(LINK, SIZES, N, slabs, queues)) * 1.000001);
        }
        assertThat(SlabMerge.balanced(LINK, SIZES, N, slabs, 42)).isEqualTo(slabs);
        assertThat(SlabMerge.balanced(LINK, SIZES, N, slabs, 1)).isEqualTo(SizeClasses.single(MIB));
    }

    private static double largest(SizeClasses classes) {
        double largest = 0;
        for (int i = 0; i < classes.count(); i++) {
            ReceiverMemory own = SrqFootprint.ofClass(LINK, SIZES, N, classes.above(i), classes.limit(i));
            largest = Math.max(largest, own.totalBytes());
        }
        return largest;
    }
}
