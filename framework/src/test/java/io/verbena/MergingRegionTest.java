package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Remote regions whose operations merge; what takes the same way with merging and without is in RemoteRegionTest. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MergingRegionTest {
    private static final OperationHandler NOBODY = (id, outcome, value) -> {};

    private final List<Long> told = new ArrayList<>();
    private final OperationHandler tells = (id, outcome, value) -> {
        assertThat(outcome).isEqualTo(Outcome.DONE);
        told.add(id);
    };

    static Stream<Arguments> everywhere() {
        return Stream.of(Fabric.values())
                .flatMap(fabric -> Stream.of(NodeMode.values()).map(mode -> Arguments.of(fabric, mode)));
    }

    private static RegionOptions hybrid() {
        return new RegionOptions().merge(Merging.HYBRID);
    }

    private static UnsafeBuffer filled(int length, int value) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[length]);
        buffer.setMemory(0, length, (byte) value);
        return buffer;
    }

    private static void write(RemoteRegion region, long offset, int length, int value, OperationHandler handler) {
        assertThat(region.write(offset, filled(length, value), 0, length, value, handler))
                .isEqualTo(SendResult.SENT);
    }

    /** One thread's operations merge, too, if it says that they belong together. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void whatIsPostedTogetherMerges(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.THREAD)) {
            SharedRegion shared = pair.server.share("table", 4096);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid(), NodePair.TIMEOUT);
            region.together(() -> {
                for (int value = 1; value <= 20; value++) {
                    write(region, value * 100L, 100, value, tells);
                }
            });
            assertThatThrownBy(() -> region.together(() -> {
                        write(region, 0, 100, 21, tells);
                        throw new IllegalStateException("no more");
                    }))
                    .hasMessage("no more");
            pair.await(() -> region.poll(10) >= 0 && told.size() == 21);
            for (int at = 100; at < 2100; at++) {
                assertThat(shared.buffer().getByte(at)).isEqualTo((byte) (at / 100));
            }
            assertThat(shared.buffer().getByte(99)).isEqualTo((byte) 21);
            RegionStatistics statistics = region.statistics();
            assertThat(statistics.workRequests()).isEqualTo(2);
            assertThat(statistics.merged()).isEqualTo(20);
        }
    }

    /** The first fills the window; what comes then waits until somebody has polled its end. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void whatWaitsMergesAcrossThreads(Fabric fabric) throws InterruptedException {
        try (NodePair pair = new NodePair(fabric, NodeMode.THREAD)) {
            SharedRegion shared = pair.server.share("table", 4096);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid().window(500), NodePair.TIMEOUT);
            write(region, 3000, 500, 99, tells);
            for (int value : new int[] {3, 1, 4, 2, 5}) { // neither in order nor by one thread
                Thread thread = new Thread(() -> write(region, value * 100L, 100, value, tells));
                thread.start();
                thread.join();
            }
            RegionStatistics waiting = region.statistics();
            assertThat(waiting.workRequests()).isEqualTo(1);
            assertThat(waiting.waited()).isEqualTo(5);
            assertThat(waiting.bytesInFlight()).isEqualTo(500);
            pair.await(() -> region.poll(10) >= 0 && told.size() == 6);
            assertThat(told).containsExactly(99L, 3L, 1L, 4L, 2L, 5L);
            for (int at = 0; at < 600; at++) {
                assertThat(shared.buffer().getByte(at)).isEqualTo((byte) (at / 100));
            }
            assertThat(region.statistics()).isEqualTo(new RegionStatistics(6, 2, 2, 5, 0, 5, 0, 0, 500, 0));
        }
    }

    @ParameterizedTest
    @CsvSource({"SINGLE, 7, 7, 0, 0", "DOORBELL, 7, 2, 0, 5", "MERGE, 4, 4, 4, 0", "HYBRID, 4, 2, 4, 2"})
    void countsWhatItMergesAndChains(Merging how, int workRequests, int doorbells, int merged, int chained) {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 4096);
            RemoteRegion region = pair.client.attach(
                    pair.address + "table", new RegionOptions().merge(how).window(48), NodePair.TIMEOUT);
            write(region, 2000, 48, 0, tells);
            for (int at : new int[] {8, 100, 16, 24, 200, 32}) {
                write(region, at, 8, at, tells);
            }
            pair.await(() -> region.poll(10) >= 0 && told.size() == 7);
            assertThat(told).containsExactly(0L, 8L, 100L, 16L, 24L, 200L, 32L);
            assertThat(region.statistics())
                    .isEqualTo(new RegionStatistics(7, workRequests, doorbells, merged, chained, 6, 0, 0, 48, 0));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void oneThatIsAloneLeavesAtOnce(Fabric fabric, NodeMode mode) {
        try (NodePair pair = new NodePair(fabric, mode)) {
            SharedRegion shared = pair.server.share("table", 4 << 20);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid(), NodePair.TIMEOUT);
            int operations = 0;
            for (int length : new int[] {0, 1, 192, 193, 8192, 600_000, (4 << 20) - 3}) {
                UnsafeBuffer source = filled(length, length + 1);
                region.write(3, source, 0, length, NodePair.TIMEOUT);
                UnsafeBuffer back = new UnsafeBuffer(new byte[length + 10]);
                region.read(3, back, 5, length, NodePair.TIMEOUT);
                assertThat(new UnsafeBuffer(back, 5, length)).isEqualTo(new UnsafeBuffer(source, 0, length));
                assertThat(new UnsafeBuffer(shared.buffer(), 3, length)).isEqualTo(new UnsafeBuffer(source, 0, length));
                operations += 2;
                assertThat(region.statistics().workRequests()).isEqualTo(operations);
            }
            assertThat(region.fetchAndAdd(8, 5, NodePair.TIMEOUT))
                    .isEqualTo(shared.buffer().getLong(8) - 5);
            assertThat(region.compareAndSwap(8, shared.buffer().getLong(8), 7, NodePair.TIMEOUT))
                    .isNotEqualTo(7);
            assertThat(shared.buffer().getLongVolatile(8)).isEqualTo(7);
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
    }

    @Test
    void aTenantsRegionsToANodeShareTheWindow() {
        NodeContext client = Fabric.LOCAL.context(NodeMode.ASSISTED).tenant(new TenantOptions().name("other"));
        try (NodePair pair = new NodePair(Fabric.LOCAL, Fabric.LOCAL.context(NodeMode.ASSISTED), client)) {
            pair.server.share("table", 4096);
            RegionOptions options = hybrid().window(100);
            RemoteRegion one = pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
            RemoteRegion two = pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
            RemoteRegion other = pair.client.tenant("other").attach(pair.address + "table", options, NodePair.TIMEOUT);
            write(one, 0, 60, 1, tells);
            write(two, 0, 60, 2, tells);
            write(two, 60, 60, 2, tells);
            write(other, 0, 60, 3, tells);
            assertThat(one.statistics().bytesInFlight()).isEqualTo(60);
            assertThat(two.statistics().workRequests()).isZero();
            assertThat(other.statistics().workRequests()).isEqualTo(1);
            pair.await(() -> one.poll(1) == 1); // and lets the other region's operations go
            assertThat(two.statistics().workRequests()).as("both do not fit").isEqualTo(1);
            assertThat(two.statistics().bytesInFlight()).isEqualTo(60);
            pair.await(() -> two.poll(2) + other.poll(1) >= 0 && told.size() == 4);
            assertThat(one.statistics().bytesInFlight()).isZero();
            assertThat(other.statistics().bytesInFlight()).isZero();
        }
    }

    @Test
    void refusesWhatItHasNoRoomFor() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 8192);
            RemoteRegion region = pair.client.attach(
                    pair.address + "table", hybrid().window(1).buffer(4096), NodePair.TIMEOUT);
            for (int i = 0; i < 8; i++) {
                write(region, i * 512L, 512, i, tells);
            }
            UnsafeBuffer more = filled(512, 8);
            assertThat(region.write(0, more, 0, 512, 8, tells)).isEqualTo(SendResult.BACK_PRESSURED);
            assertThat(region.fetchAndAdd(0, 1, 8, tells)).isEqualTo(SendResult.BACK_PRESSURED);
            UnsafeBuffer large = filled(8192, 7);
            for (int i = 0; i < 4; i++) { // have memory of their own
                assertThat(region.read(0, large, 0, 8192, 8 + i, tells)).isEqualTo(SendResult.SENT);
            }
            assertThat(region.read(0, large, 0, 8192, 12, tells)).isEqualTo(SendResult.BACK_PRESSURED);
            assertThat(region.outstanding()).isEqualTo(12);
            pair.await(() -> region.poll(3) >= 0 && told.size() == 12);
            assertThat(told)
                    .isEqualTo(IntStream.range(0, 12).mapToObj(i -> (long) i).toList());
            assertThat(region.write(0, more, 0, 512, 12, tells)).isEqualTo(SendResult.SENT);
            pair.await(() -> region.poll(3) == 1);
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
    }

    /** One handler's error is its own: the others of the same work request are told by the next poll. */
    @Test
    void aHandlerThatThrowsHasConsumedItsOwnOperationAlone() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", 4096);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid().window(24), NodePair.TIMEOUT);
            OperationHandler throwing = (id, outcome, value) -> {
                throw new IllegalStateException("of operation " + id);
            };
            write(region, 4000, 24, 1, tells);
            write(region, 0, 8, 2, tells);
            write(region, 8, 8, 3, throwing);
            write(region, 16, 8, 4, tells);
            pair.await(() -> region.poll(1) == 1);
            pair.await(() -> region.poll(1) == 1);
            assertThatThrownBy(() -> pair.await(() -> region.poll(10) > 0)).hasMessage("of operation 3");
            assertThat(region.poll(10)).isEqualTo(1);
            assertThat(told).containsExactly(1L, 2L, 4L);
            assertThat(shared.buffer().getByte(23)).isEqualTo((byte) 4);
            assertThat(region.outstanding()).isZero();
            assertThat(region.statistics().merged()).isEqualTo(3);
        }
    }

    /** A caller whose source fails while it is copied gets the error; those behind it do not wait for it. */
    @Test
    void anErrorOfACallersMemoryIsItsOwn() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", 4096);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid().window(1), NodePair.TIMEOUT);
            write(region, 4000, 1, 1, tells);
            write(region, 0, 8, 2, tells);
            UnsafeBuffer bad = new UnsafeBuffer(new byte[8]) {
                @Override
                public void boundsCheck(int index, int length) {}

                @Override
                public byte[] byteArray() {
                    throw new UnsupportedOperationException("gone");
                }
            };
            assertThatThrownBy(() -> region.write(8, bad, 0, 8, 3, tells)).hasMessage("gone");
            write(region, 8, 8, 4, tells);
            pair.await(() -> region.poll(10) >= 0 && told.size() == 3);
            assertThat(told).containsExactly(1L, 2L, 4L);
            assertThat(shared.buffer().getByte(15)).isEqualTo((byte) 4);
            assertThat(region.outstanding()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void whatWaitsIsDoneWhenTheRegionIsClosed(Fabric fabric, NodeMode mode) {
        NodeContext client = fabric.context(mode).linger(NodePair.TIMEOUT);
        try (NodePair pair = new NodePair(fabric, fabric.context(mode), client)) {
            SharedRegion shared = pair.server.share("table", 4096);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid().window(1), NodePair.TIMEOUT);
            for (int i = 0; i < 16; i++) {
                write(region, 128L * i, 8, i + 1, NOBODY);
            }
            region.close(); // and nobody polls
            assertThat(region.write(0, filled(8, 1), 0, 8, 0, NOBODY)).isEqualTo(SendResult.CLOSED);
            pair.await(() -> shared.buffer().getByteVolatile(128 * 15) == 16);
            pair.await(() -> region.closeReason() == CloseReason.CLOSED_HERE);
            for (int i = 0; i < 16; i++) {
                assertThat(shared.buffer().getByte(128 * i + 7)).isEqualTo((byte) (i + 1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void allEndOnceWhenThePeerTakesItsRegionBack(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", 4096);
            pair.server.share("rest", 4096);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid().window(1), NodePair.TIMEOUT);
            RemoteRegion rest = pair.client.attach(pair.address + "rest", hybrid().window(1), NodePair.TIMEOUT);
            shared.close();
            List<Long> ended = new ArrayList<>();
            OperationHandler lost = (id, outcome, value) -> {
                assertThat(outcome).isEqualTo(Outcome.CLOSED);
                ended.add(id);
            };
            UnsafeBuffer bytes = filled(8, 55);
            long posted = 0;
            while (posted < 5 && region.write(100 * posted, bytes, 0, 8, posted, lost) == SendResult.SENT) {
                posted++; // where it fails at once, the next finds the region closed
            }
            assertThat(posted).isPositive();
            if (region.read(0, bytes, 0, 8, posted, lost) == SendResult.SENT) {
                posted++;
            }
            long all = posted;
            pair.await(() -> region.poll(10) >= 0 && ended.size() == all);
            assertThat(ended).isEqualTo(LongStream.range(0, all).boxed().toList());
            assertThat(bytes.getByte(0)).as("nothing was read").isEqualTo((byte) 55);
            assertThat(region.closeReason()).isEqualTo(CloseReason.REFUSED);
            assertThat(rest.statistics().bytesInFlight()).isZero();
            rest.write(0, bytes, 0, 8, NodePair.TIMEOUT);
        }
    }

    @Test
    void endsWhatWaitsAndIsUnderWayWhenTheOwnNodeCloses() {
        List<Outcome> outcomes = new ArrayList<>();
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.share("table", 4096);
            RegionOptions options = hybrid().window(1).buffer(4096);
            RemoteRegion region = pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
            pair.pauseServer(true);
            for (int i = 0; i < 3; i++) {
                int length = i == 2 ? 2000 : 8; // the last has memory of its own
                write(region, 100L * i, length, i, (id, outcome, value) -> outcomes.add(outcome));
            }
            assertThat(region.statistics().workRequests()).isEqualTo(1);
            pair.client.close();
            assertThat(region.poll(2)).isEqualTo(2);
            assertThat(region.poll(8)).isEqualTo(1);
            assertThat(region.poll(8)).isZero();
            assertThat(region.write(0, filled(8, 1), 0, 8, 0, NOBODY)).isEqualTo(SendResult.CLOSED);
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
        assertThat(outcomes).containsExactly(Outcome.CLOSED, Outcome.CLOSED, Outcome.CLOSED);
    }

    /** Threads write and read cells of their own, side by side, and wait for each; any of them polls for all. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void threadsShareARegion(Fabric fabric) throws InterruptedException {
        int threads = 4;
        int rounds = 300;
        NodeContext client = fabric.context(NodeMode.ASSISTED).sendDepth(4);
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.ASSISTED), client)) {
            SharedRegion shared = pair.server.share("table", 64 * threads * rounds + 8);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid().window(2000), NodePair.TIMEOUT);
            List<Throwable> failures = new ArrayList<>();
            Thread[] all = new Thread[threads];
            for (int t = 0; t < threads; t++) {
                int me = t;
                all[t] = new Thread(() -> {
                    try {
                        for (int round = 0; round < rounds; round++) {
                            cell(region, 8 + 64L * (round * threads + me), me * rounds + round);
                        }
                    } catch (RuntimeException | Error e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                });
                all[t].start();
            }
            for (Thread thread : all) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(shared.buffer().getLongVolatile(0)).isEqualTo((long) threads * rounds);
            for (int i = 0; i < threads * rounds; i++) {
                long value = (long) (i % threads) * rounds + i / threads;
                assertThat(shared.buffer().getLong(8 + 64 * i)).isEqualTo(value);
                assertThat(shared.buffer().getLong(8 + 64 * i + 56)).isEqualTo(value);
            }
            assertThat(region.outstanding()).isZero();
            assertThat(region.statistics().operations()).isEqualTo(3L * threads * rounds);
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
    }

    private static void cell(RemoteRegion region, long offset, long value) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
        buffer.putLong(0, value);
        buffer.putLong(56, value);
        region.write(offset, buffer, 0, 64, NodePair.TIMEOUT);
        UnsafeBuffer back = new UnsafeBuffer(new byte[64]);
        region.read(offset, back, 0, 64, NodePair.TIMEOUT);
        assertThat(back).isEqualTo(buffer);
        region.fetchAndAdd(0, 1, NodePair.TIMEOUT);
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void nodePollsWhereItIsTold(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.share("table", 1 << 20);
            RemoteRegion region = pair.client
                    .attach(pair.address + "table", hybrid().window(1000), NodePair.TIMEOUT)
                    .pollOnNode();
            AtomicInteger done = new AtomicInteger();
            UnsafeBuffer source = filled(100, 1);
            for (int i = 0; i < 2_000; i++) {
                long offset = 100L * i;
                pair.await(() -> region.write(offset, source, 0, 100, 0, (id, o, value) -> done.incrementAndGet())
                        == SendResult.SENT);
            }
            pair.await(() -> done.get() == 2_000);
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
    }

    @Test
    void movesBetweenSharedMemories() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", 1 << 16);
            SharedRegion own = pair.client.share("own", 1 << 16);
            RemoteRegion region = pair.client.attach(pair.address + "table", hybrid(), NodePair.TIMEOUT);
            own.buffer().setMemory(0, 1 << 15, (byte) 7);
            assertThat(region.write(1 << 15, own, 0, 1 << 15, 0, tells)).isEqualTo(SendResult.SENT);
            assertThat(region.read(1 << 15, own, 1 << 15, 1 << 15, 1, tells)).isEqualTo(SendResult.SENT);
            pair.await(() -> region.poll(1) >= 0 && told.size() == 2);
            assertThat(shared.buffer().getByte((1 << 16) - 1)).isEqualTo((byte) 7);
            assertThat(own.buffer().getByte((1 << 16) - 1)).isEqualTo((byte) 7);
        }
    }

    static Stream<AdmissionPolicy> policies() {
        return Stream.of(
                AdmissionPolicy.fixed(10_000),
                AdmissionPolicy.backlogTime(Duration.ofNanos(20_000)),
                AdmissionPolicy.timely(Duration.ofMillis(1), Duration.ofMillis(5)));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void carriesAllUnderAnyPolicy(AdmissionPolicy policy) {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.ASSISTED)) {
            int operations = 1_000;
            SharedRegion shared = pair.server.share("table", operations * 1000);
            RemoteRegion region =
                    pair.client.attach(pair.address + "table", hybrid().admission(policy), NodePair.TIMEOUT);
            for (int i = 0; i < operations; i++) {
                UnsafeBuffer source = filled(1000, i);
                long offset = 1000L * i;
                pair.await(() ->
                        region.poll(10) >= 0 && region.write(offset, source, 0, 1000, 0, tells) == SendResult.SENT);
            }
            pair.await(() -> region.poll(10) >= 0 && told.size() == operations);
            for (int i = 0; i < operations; i++) {
                assertThat(shared.buffer().getByte(1000 * i + 999)).isEqualTo((byte) i);
            }
            assertThat(region.statistics().bytesInFlight()).isZero();
            assertThat(region.statistics().window()).isPositive();
        }
    }

    @Test
    void refusesOptionsThatMeanNothing() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 64);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pair.client.attach(
                            pair.address + "table", new RegionOptions().window(1), Duration.ofSeconds(1)))
                    .withMessage("window, admission and buffer are of the queue that merge(..) makes; it is OFF");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> hybrid().window(0))
                    .withMessage("window 0 < minimum 1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> AdmissionPolicy.timely(Duration.ofMillis(2), Duration.ofMillis(1)))
                    .withMessage("high PT0.001S < minimum PT0.002S");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> AdmissionPolicy.backlogTime(Duration.ZERO))
                    .withMessage("backlog in ns 0 < minimum 1000");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> hybrid().buffer(5000))
                    .withMessage("buffer 5000 is not a power of two; next is 8192");
            RemoteRegion plain = pair.client.attach(pair.address + "table", new RegionOptions(), NodePair.TIMEOUT);
            plain.fetchAndAdd(0, 1, NodePair.TIMEOUT);
            assertThat(plain.statistics()).isEqualTo(new RegionStatistics(1, 1, 1, 0, 0, 0, 0, 0, 0, 0));
        }
    }
}
