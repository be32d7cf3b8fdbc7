package io.verbena.papers.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.Nic;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.sim.SimRandom;
import io.verbena.papers.receive.OnDemandLarge.Form;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every scheme takes the same traffic: nothing lost, twice, torn or out of a lane's order, and full is "not now". */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SchemeTest {
    private static final int MIB = 1 << 20;
    private static final int KIB = 1 << 10;
    private static final long MILLI = 1_000_000;
    private static final SizeClasses FEW = SizeClasses.of(96, 944, 13880, MIB);

    private static final int BUFFERS = 64;

    /** Each scheme, with the lane of a length, on a fabric with direct access and on one of packets alone. */
    static Stream<Arguments> schemes() {
        IntUnaryOperator one = length -> 0;
        IntUnaryOperator cut = length -> length > KIB ? 1 : 0;
        return Stream.of(
                        scheme(new AppendScheme(smallQueue()), one),
                        scheme(SrqBySize.single(MIB, 16), one),
                        scheme(new SrqBySize(FEW, 64, 64, 16, 2), FEW::classOf),
                        scheme(SrqBySize.preallocated(KIB, BUFFERS, MIB, 4), cut),
                        scheme(new OnDemandLarge(Form.DEMAND_PAGING, KIB, BUFFERS, MIB, 4, 0), cut),
                        scheme(new OnDemandLarge(Form.ALLOCATE_AND_RETURN, KIB, BUFFERS, MIB, 4, 0), cut),
                        scheme(new FetchAddLarge(KIB, BUFFERS, MIB, 2 * MIB, 4), cut),
                        scheme(new PerSenderBuffers(MIB, MIB + 64), one))
                .flatMap(each -> Stream.of(FabricKind.LOCAL, FabricKind.TCP)
                        .map(fabric -> Arguments.of(each.get()[0], each.get()[1], fabric)));
    }

    /** A queue that is full after some 16,000 short messages. */
    private static AppendQueueAttributes smallQueue() {
        return new AppendQueueAttributes()
                .chunkLength(256 * KIB)
                .reserveChunks(1)
                .maxMessage(MIB)
                .memoryLimit(2 * MIB);
    }

    private static Arguments scheme(Scheme scheme, IntUnaryOperator laneOf) {
        return Arguments.of(Named.of(scheme.label(), scheme), Named.of("lanes", laneOf));
    }

    private static EtcWorkload etc(long seed) {
        return new EtcWorkload(EtcVariant.ETC_RIMA, seed).injectEvery(MIB, 500);
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void everyMessageComesOnceAndWhole(Scheme scheme, IntUnaryOperator laneOf, FabricKind fabric) {
        try (Ends ends = new Ends(scheme, fabric, 3, laneOf)) {
            long held = ends.receiver.footprint().heldBytes();
            ends.exchange(etc(1), 2_000);
            assertThat(ends.received).isEqualTo(6_000);
            SchemeFootprint footprint = ends.receiver.footprint();
            assertThat(footprint.activeBytes()).isZero();
            assertThat(footprint.reserveBytes()).isPositive();
            assertThat(footprint.heldBytes()).isBetween(footprint.reserveBytes(), footprint.peakBytes());
            assertThat(held).isPositive();
        }
    }

    /** A receiver that takes nothing says "not now" in the end, and nothing is lost by it. */
    @ParameterizedTest
    @MethodSource("schemes")
    void fullIsNotNow(Scheme scheme, IntUnaryOperator laneOf, FabricKind fabric) {
        try (Ends ends = new Ends(scheme, fabric, 2, laneOf)) {
            for (int length : new int[] {100, 20_000, MIB}) {
                int taken = 0;
                for (int turns = 0; turns < 200; turns++) {
                    for (int sender = 0; sender < 2; sender++) {
                        while (taken < 20_000 && ends.offer(sender, length)) {
                            taken++;
                        }
                        ends.senders[sender].poll();
                    }
                }
                assertThat(taken).isBetween(2, 19_999);
                assertThat(ends.offer(0, length)).isFalse();
                ends.settle();
            }
            assertThat(ends.receiver.footprint().activeBytes()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void sizesFromNothingToTheLargest(Scheme scheme, IntUnaryOperator laneOf, FabricKind fabric) {
        try (Ends ends = new Ends(scheme, fabric, 1, laneOf)) {
            for (int length : new int[] {0, 1, 8, 255, 256, 257, 1023, 1024, 1025, 65_536, 262_145, MIB - 1, MIB}) {
                while (!ends.offer(0, length)) {
                    ends.turn();
                }
            }
            ends.settle();
            assertThat(ends.received).isEqualTo(13);
            UnsafeBuffer empty = new UnsafeBuffer(new byte[0]);
            assertThatThrownBy(() -> ends.senders[0].offer(empty, 0, MIB + 1, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("message of 1048577 bytes outside 0..1048576");
        }
    }

    static Stream<Scheme> smallRings() {
        return Stream.of(new PerSenderBuffers(1000, 2048), new FetchAddLarge(16, BUFFERS, 1000, 2048, 4));
    }

    /** Rings that hold two or three messages, filled to the last byte and more before anything is taken. */
    @ParameterizedTest
    @MethodSource("smallRings")
    void whatIsNotTakenIsNotOverwritten(Scheme scheme) {
        SimRandom random = new SimRandom(11);
        try (Ends ends = new Ends(scheme, FabricKind.LOCAL, 2, length -> length > 16 ? 1 : 0)) {
            int refused = 0;
            for (int i = 0; i < 2_000; i++) {
                for (int sender = 0; sender < 2; sender++) {
                    int most = random.nextInt(8);
                    while (most-- > 0 && ends.offer(sender, 17 + random.nextInt(984))) {
                        ends.senders[sender].poll();
                    }
                    refused += most >= 0 ? 1 : 0;
                }
                ends.drive();
                ends.turns(random.nextInt(3));
            }
            ends.settle();
            assertThat(ends.received).isGreaterThan(2_000);
            assertThat(refused).isGreaterThan(500);
        }
    }

    @ParameterizedTest
    @EnumSource
    void largeMessagesWaitForTheirMemory(Form form) {
        OnDemandLarge scheme = new OnDemandLarge(form, KIB, BUFFERS, MIB, 2, MILLI);
        try (Ends ends = new Ends(scheme, FabricKind.LOCAL, 2, length -> length > KIB ? 1 : 0)) {
            long small = ends.receiver.footprint().heldBytes();
            for (int i = 0; i < 3; i++) {
                assertThat(ends.offer(i % 2, 5_000)).isTrue();
                assertThat(ends.offer(i % 2, 100)).isTrue();
            }
            ends.turns(50);
            assertThat(ends.received).as("only the small ones").isEqualTo(3);
            assertThat(ends.receiver.footprint().heldBytes()).isEqualTo(small);
            ends.passTime(MILLI - 1);
            ends.turns(50);
            assertThat(ends.received).isEqualTo(3);
            ends.passTime(1);
            ends.settle();
            assertThat(ends.received).isEqualTo(6);
            SchemeFootprint footprint = ends.receiver.footprint();
            assertThat(footprint.heldBytes()).as("given back").isEqualTo(small);
            assertThat(footprint.peakBytes()).as("two places").isBetween(small + 5_000, small + 10_000);
            if (form == Form.DEMAND_PAGING) {
                assertThat(ends.senders[0].notReady() + ends.senders[1].notReady())
                        .isPositive();
            }
        }
    }

    @Test
    void aliasedBuffersCountAsIfEachWereThere() {
        Scheme scheme = SrqBySize.single(MIB, 16_000).withAliasedBuffers();
        assertThat(scheme.label()).endsWith(", aliased");
        try (Ends ends = new Ends(scheme, FabricKind.LOCAL, 2, length -> 0)) {
            ends.checksContents = false;
            assertThat(ends.receiver.footprint().heldBytes()).isEqualTo(16_000L * MIB);
            for (int i = 0; i < 100; i++) {
                ends.offer(i % 2, 200);
                ends.drive();
            }
            assertThat(ends.receiver.footprint().activeBytes()).isEqualTo(100L * MIB);
            ends.settle();
            assertThat(ends.receiver.footprint().reserveBytes()).isEqualTo(16_000L * MIB);
        }
    }

    @Test
    void buffersBySizeUseTheMemoryThereIs() {
        SizeDistribution sizes = EtcWorkload.messages(EtcVariant.ETC_RIMA);
        SizeClasses classes = SizeClasses.slabs(MIB);
        SrqBySize scheme = SrqBySize.under(64L << 20, sizes, classes, 2);
        long bytes = 0;
        for (int i = 0; i < classes.count(); i++) {
            assertThat(scheme.buffers(i)).isBetween(2, 32_768);
            bytes += scheme.buffers(i) * classes.limit(i);
        }
        assertThat(bytes).isBetween((64L << 20) * 99 / 100, 64L << 20);
        double share = sizes.cdf(120) - sizes.cdf(96);
        double next = sizes.cdf(152) - sizes.cdf(120);
        assertThat(scheme.buffers(1) * next / share / scheme.buffers(2)).isBetween(0.99, 1.01);
        assertThatThrownBy(() -> SrqBySize.under(MIB, sizes, classes, 2)).hasMessageStartingWith("memory 1048576 < ");
    }

    @Test
    void theTwoEndsMustBeOfOneScheme() {
        SrqBySize two = new SrqBySize(SizeClasses.of(100, 1000), 4, 4);
        Scheme mixed = new Scheme() {
            @Override
            public String label() {
                return "mixed";
            }

            @Override
            public ReceiveScheme receiver(Nic nic) {
                return two.receiver(nic);
            }

            @Override
            public SendScheme sender(Nic nic) {
                return SrqBySize.single(1000, 4).sender(nic);
            }
        };
        assertThatThrownBy(() -> new Ends(mixed, FabricKind.LOCAL, 1, length -> 0))
                .isInstanceOf(RunException.class)
                .hasMessageContaining("invited with 2 queue pairs, has 1");
    }

    @Test
    void whatCannotBeIsNamed() {
        assertThatThrownBy(() -> new SrqBySize(SizeClasses.of(10, 20), 1)).hasMessageContaining("for 2 classes");
        assertThatThrownBy(() -> SrqBySize.single(100, 40_000)).hasMessage("40000 buffers outside 1..32768");
        assertThatThrownBy(() -> new FetchAddLarge(KIB, 1, MIB, MIB, 1))
                .hasMessage("buffer of 1048576 bytes < 1048640 of the largest message");
        assertThatThrownBy(() -> new FetchAddLarge(KIB, 1, MIB, 100, 1)).hasMessageContaining("no multiple of 64");
        assertThatThrownBy(() -> new FetchAddLarge(8, 1, MIB, 2 * MIB, 1))
                .hasMessageContaining("cut at 8 bytes < minimum 16");
        assertThatThrownBy(() -> new PerSenderBuffers(MIB, MIB))
                .hasMessage("buffer of 1048576 bytes < 1048584 of the largest message 1048576");
        assertThatThrownBy(() -> new OnDemandLarge(Form.DEMAND_PAGING, KIB, 1, KIB, 1, 0))
                .hasMessage("largest message 1024 <= cut at 1024");
        assertThatThrownBy(() -> new OnDemandLarge(Form.DEMAND_PAGING, KIB, 1, MIB, 5000, 0))
                .hasMessage("5000 large messages outside 1..4096");
        assertThatThrownBy(() -> SchemeAddress.parse("1;2")).hasMessageContaining("has 2 parts, expected 3");
        assertThatThrownBy(() -> SchemeAddress.parse("1;x;3")).hasMessageContaining("not made of numbers");
        assertThat(SchemeAddress.parse("5;;")).isEqualTo(new SchemeAddress(5, List.of(), List.of()));
    }
}
