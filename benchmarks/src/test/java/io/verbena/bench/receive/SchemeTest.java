package io.verbena.bench.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.srq.SizeClasses;
import io.verbena.bench.workload.EtcVariant;
import io.verbena.bench.workload.EtcWorkload;
import io.verbena.nic.append.AppendQueueAttributes;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every scheme takes the same traffic: nothing lost, twice, torn or out of a lane's order, and full is "not now". */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SchemeTest {
    private static final int MIB = 1 << 20;
    private static final int KIB = 1 << 10;
    private static final SizeClasses FEW = SizeClasses.of(96, 944, 13880, MIB);

    static Stream<Arguments> schemes() {
        IntUnaryOperator one = length -> 0;
        return Stream.of(
                scheme(new AppendScheme(new AppendQueueAttributes()), one),
                scheme(SingleSrq.of(MIB, 16), one),
                scheme(new SrqBySize(FEW, 64, 64, 16, 2), FEW::classOf),
                scheme(PreallocatedLarge.of(KIB, 64, MIB, 4), length -> length > KIB ? 1 : 0));
    }

    private static Arguments scheme(Scheme scheme, IntUnaryOperator laneOf) {
        return Arguments.of(Named.of(scheme.label(), scheme), laneOf);
    }

    private static EtcWorkload etc(long seed) {
        return new EtcWorkload(EtcVariant.ETC_RIMA, seed).injectEvery(MIB, 500);
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void everyMessageComesOnceAndWhole(Scheme scheme, IntUnaryOperator laneOf) {
        try (Ends ends = new Ends(scheme, 3, laneOf)) {
            ends.exchange(etc(1), 2_000);
            assertThat(ends.received).isEqualTo(6_000);
            SchemeFootprint footprint = ends.receiver.footprint();
            assertThat(footprint.messages()).isZero();
            assertThat(footprint.activeBytes()).isZero();
            assertThat(footprint.reserveBytes()).isPositive();
            assertThat(footprint.heldBytes()).isBetween(footprint.reserveBytes(), footprint.peakBytes());
        }
    }
}
