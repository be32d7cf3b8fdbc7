package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the bytes of a remote region's operations lie: copied, or in the application's buffers. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RegionBuffersTest {
    private static final int LENGTH = 1 << 20;

    private final List<Outcome> ended = new ArrayList<>();
    private final OperationHandler ends = (id, outcome, value) -> ended.add(outcome);

    static Stream<Arguments> everywhere() {
        return Stream.of(Fabric.values())
                .flatMap(fabric -> Stream.of(Merging.OFF, Merging.HYBRID).map(how -> Arguments.of(fabric, how)));
    }

    private static RegionOptions registering() {
        return new RegionOptions().buffers(BufferPolicy.REGISTER);
    }

    private static UnsafeBuffer direct(int length) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    }

    private static void await(NodePair pair, RemoteRegion region) {
        pair.await(() -> region.poll(16) >= 0 && region.outstanding() == 0);
    }

    /** Whichever part of a direct buffer an operation names, these bytes go, and those of a read come there. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void partsOfDirectBuffersGoAndCome(Fabric fabric, Merging how) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", LENGTH);
            RemoteRegion region =
                    pair.client.attach(pair.address + "table", registering().merge(how), NodePair.TIMEOUT);
            SplittableRandom random = new SplittableRandom(7);
            ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH);
            UnsafeBuffer part = new UnsafeBuffer(bytes, 1000, LENGTH - 3000); // an adjustment of its own
            byte[] model = new byte[LENGTH];
            for (int i = 0; i < 50; i++) {
                int length = 1 + random.nextInt(i % 2 == 0 ? 200 : 300_000);
                int from = random.nextInt(part.capacity() - length);
                int to = random.nextInt(LENGTH - length);
                for (int at = 0; at < length; at++) {
                    part.putByte(from + at, (byte) random.nextInt());
                }
                part.getBytes(from, model, to, length);
                assertThat(region.write(to, part, from, length, i, ends)).isEqualTo(SendResult.SENT);
                await(pair, region);
                part.setMemory(0, part.capacity(), (byte) 0);
                assertThat(region.read(to, part, from, length, i, ends)).isEqualTo(SendResult.SENT);
                await(pair, region);
                assertThat(new UnsafeBuffer(part, from, length)).isEqualTo(new UnsafeBuffer(model, to, length));
                assertThat(from == 0 || part.getByte(from - 1) == 0).isTrue();
                assertThat(part.getByte(from + length)).isZero();
            }
            assertThat(new UnsafeBuffer(shared.buffer(), 0, LENGTH)).isEqualTo(new UnsafeBuffer(model));
            assertThat(ended).hasSize(100).containsOnly(Outcome.DONE);
            assertThat(region.statistics().registered()).isEqualTo(100);
        }
    }

    /** A write's source stays the operation's until its end: no copy was made. */
    @Test
    void whatIsRegisteredIsNotCopied() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            SharedRegion shared = pair.server.share("table", LENGTH);
            UnsafeBuffer source = direct(LENGTH);
            source.setMemory(0, LENGTH, (byte) 1);
            for (BufferPolicy policy : List.of(BufferPolicy.COPY, BufferPolicy.REGISTER)) {
                RemoteRegion region = pair.client.attach(
                        pair.address + "table", new RegionOptions().buffers(policy), NodePair.TIMEOUT);
                assertThat(region.write(0, source, 0, LENGTH, 0, ends)).isEqualTo(SendResult.SENT);
                source.putByte(LENGTH - 1, (byte) 2); // of an operation that was posted, and not sent: INVOKER
                await(pair, region);
                assertThat(shared.buffer().getByte(LENGTH - 1)).isEqualTo((byte) (policy == BufferPolicy.COPY ? 1 : 2));
                source.putByte(LENGTH - 1, (byte) 1);
            }
        }
    }

    /** Short ones, those on the heap and those that a thread waits for are copied. */
    @ParameterizedTest
    @EnumSource(Merging.class)
    void othersAreCopied(Merging how) {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            SharedRegion shared = pair.server.share("table", LENGTH);
            RegionOptions options = new RegionOptions().registerFrom(4096).merge(how);
            RemoteRegion region = pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
            UnsafeBuffer source = direct(LENGTH);
            source.setMemory(0, LENGTH, (byte) 3);
            region.write(0, source, 0, LENGTH, NodePair.TIMEOUT);
            region.read(0, source, 0, LENGTH, NodePair.TIMEOUT);
            region.write(0, source, 0, 4095, 0, ends);
            region.write(0, new UnsafeBuffer(new byte[8192]), 0, 8192, 0, ends);
            await(pair, region);
            assertThat(region.statistics().registered()).isZero();
            region.write(8192, source, 0, 4096, 0, ends);
            await(pair, region);
            assertThat(region.statistics().registered()).isEqualTo(1);
            assertThat(shared.buffer().getByte(0)).isZero();
            assertThat(shared.buffer().getByte(8192)).isEqualTo((byte) 3);
        }
    }

    /** Registered operations merge, with each other and with copied ones, though their bytes lie in several buffers. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void registeredOperationsMerge(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.THREAD)) {
            SharedRegion shared = pair.server.share("table", LENGTH);
            RegionOptions options = new RegionOptions().registerFrom(1000).merge(Merging.HYBRID);
            RemoteRegion region = pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
            UnsafeBuffer[] buffers = {direct(20_000), direct(20_000), direct(20_000)};
            byte[] bytes = new byte[20_000];
            new SplittableRandom(3).nextBytes(bytes);
            region.together(() -> {
                for (int i = 19; i >= 0; i--) { // every fourth is copied
                    int length = i % 4 == 0 ? 999 : 1000;
                    UnsafeBuffer source = buffers[i % 3];
                    source.putBytes(i * 1000, bytes, i * 1000, 1000);
                    assertThat(region.write(
                                    i * 1000L + 1000 - length, source, i * 1000 + 1000 - length, length, i, ends))
                            .isEqualTo(SendResult.SENT);
                }
            });
            await(pair, region);
            RegionStatistics written = region.statistics();
            assertThat(written.operations()).isEqualTo(20);
            assertThat(written.registered()).isEqualTo(15);
            assertThat(written.workRequests()).isEqualTo(5); // where a byte is left out begins another
            assertThat(written.merged()).isEqualTo(20);
            for (int at = 0; at < 20_000; at++) {
                assertThat(shared.buffer().getByte(at)).isEqualTo(at % 4000 == 0 ? 0 : bytes[at]);
            }

            shared.buffer().putBytes(0, bytes);
            region.together(() -> {
                for (int i = 0; i < 20; i++) {
                    buffers[i % 3].setMemory(i * 1000, 1000, (byte) 0);
                    assertThat(region.read(i * 1000L, buffers[i % 3], i * 1000, 1000, i, ends))
                            .isEqualTo(SendResult.SENT);
                }
            });
            await(pair, region);
            assertThat(region.statistics().workRequests()).isEqualTo(6);
            for (int at = 0; at < 20_000; at++) {
                assertThat(buffers[at / 1000 % 3].getByte(at)).isEqualTo(bytes[at]);
            }
            assertThat(ended).hasSize(40).containsOnly(Outcome.DONE);
        }
    }

    /** Few buffers stay registered, and none when the region is closed. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void registrationsAreBoundedAndGoWithTheRegion(Fabric fabric, Merging how) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            pair.server.share("table", LENGTH);
            int before = regions(pair.client);
            RemoteRegion region =
                    pair.client.attach(pair.address + "table", registering().merge(how), NodePair.TIMEOUT);
            for (int i = 0; i < 40; i++) {
                assertThat(region.write(0, direct(5000), 0, 5000, i, ends)).isEqualTo(SendResult.SENT);
                await(pair, region);
            }
            assertThat(region.statistics().registered()).isEqualTo(40);
            assertThat(regions(pair.client) - before).isBetween(10, 17); // and the region's own memory
            region.close();
            pair.await(() -> region.poll(16) >= 0 && regions(pair.client) == before);
            assertThat(region.write(0, direct(5000), 0, 5000, 0, ends)).isEqualTo(SendResult.CLOSED);
            assertThat(regions(pair.client)).isEqualTo(before);
        }
    }

    /** With more buffers under way than stay registered, or a tenant with no more regions, others are copied. */
    @Test
    void whereNothingMayBeRegisteredItIsCopied() {
        try (NodePair pair = new NodePair(Fabric.UDS, NodeMode.INVOKER)) {
            SharedRegion shared = pair.server.share("table", LENGTH);
            RemoteRegion region = pair.client.attach(pair.address + "table", registering(), NodePair.TIMEOUT);
            for (int i = 0; i < 20; i++) {
                UnsafeBuffer source = direct(5000);
                source.setMemory(0, 5000, (byte) (1 + i));
                assertThat(region.write(i * 5000L, source, 0, 5000, i, ends)).isEqualTo(SendResult.SENT);
            }
            await(pair, region);
            assertThat(region.statistics().registered()).isEqualTo(16);
            for (int i = 0; i < 20; i++) {
                assertThat(shared.buffer().getByte(i * 5000 + 4999)).isEqualTo((byte) (1 + i));
            }

            Tenant poor =
                    pair.client.tenants().add(new TenantOptions().name("poor").maxRegions(2));
            RemoteRegion narrow = poor.attach(pair.address + "table", registering(), NodePair.TIMEOUT);
            for (int i = 0; i < 8; i++) {
                UnsafeBuffer source = direct(5000);
                source.setMemory(0, 5000, (byte) (101 + i));
                assertThat(narrow.write(i * 5000L, source, 0, 5000, i, ends)).isEqualTo(SendResult.SENT);
                await(pair, narrow);
                assertThat(shared.buffer().getByte(i * 5000 + 4999)).isEqualTo((byte) (101 + i));
            }
            assertThat(narrow.statistics().registered()).isEqualTo(8);
            // One that is copied needs memory of the region's own, for which idle buffers make room.
            assertThat(narrow.write(0, new UnsafeBuffer(new byte[5000]), 0, 5000, 0, ends))
                    .isEqualTo(SendResult.SENT);
            await(pair, narrow);
            assertThat(shared.buffer().getByte(4999)).isZero();
            assertThat(ended).hasSize(29).containsOnly(Outcome.DONE);
        }
    }

    /** Handlers on the node's own thread, of which each posts an operation on another buffer. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void handlersTakeBuffersInTurn(Fabric fabric, Merging how) {
        try (NodePair pair = new NodePair(fabric, NodeMode.THREAD)) {
            pair.server.share("table", LENGTH);
            RemoteRegion region =
                    pair.client.attach(pair.address + "table", registering().merge(how), NodePair.TIMEOUT);
            AtomicInteger left = new AtomicInteger(60);
            OperationHandler next = new OperationHandler() {
                @Override
                public void onOperation(long id, Outcome outcome, long value) {
                    assertThat(outcome).isEqualTo(Outcome.DONE);
                    if (left.decrementAndGet() > 0) {
                        assertThat(region.write(0, direct(5000), 0, 5000, id + 1, this))
                                .isEqualTo(SendResult.SENT);
                    }
                }
            };
            region.pollOnNode();
            pair.client.execute(() -> region.write(0, direct(5000), 0, 5000, 0, next)); // one thread posts
            pair.await(() -> left.get() == 0);
            assertThat(region.statistics().registered()).isEqualTo(60);
        }
    }

    /** Buffers that only stay registered make room for whatever else of the tenant needs a region. */
    @ParameterizedTest
    @EnumSource(
            value = Merging.class,
            names = {"OFF", "HYBRID"})
    void idleBuffersMakeRoomForOthersOfTheTenant(Merging how) {
        try (NodePair pair = new NodePair(Fabric.UDS, NodeMode.INVOKER)) {
            pair.server.share("table", LENGTH);
            pair.server.openInbox("in");
            Tenant poor =
                    pair.client.tenants().add(new TenantOptions().name("poor").maxRegions(2));
            RemoteRegion first =
                    poor.attach(pair.address + "table", registering().merge(how), NodePair.TIMEOUT);
            RemoteRegion second =
                    poor.attach(pair.address + "table", registering().merge(how), NodePair.TIMEOUT);
            for (int i = 0; i < 4; i++) {
                assertThat(first.write(0, direct(5000), 0, 5000, i, ends)).isEqualTo(SendResult.SENT);
                await(pair, first);
            }
            assertThat(poor.regions()).isEqualTo(2);
            assertThat(second.write(0, direct(5000), 0, 5000, 0, ends)).isEqualTo(SendResult.SENT);
            await(pair, second);
            assertThat(second.statistics().registered()).isEqualTo(1);
            assertThat(second.fetchAndAdd(8, 1, NodePair.TIMEOUT)).isZero(); // needs memory of the region's own
            Channel channel = poor.connect(pair.address + "in", null, new ChannelOptions(), NodePair.TIMEOUT);
            assertThat(channel.offer(new UnsafeBuffer(new byte[2000]), 0, 2000)).isEqualTo(SendResult.SENT);
        }
    }

    /** An operation that the region did not take leaves its buffer free. */
    @Test
    void whatIsRefusedUsesNothing() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.share("table", LENGTH);
            RemoteRegion region = pair.client.attach(pair.address + "table", registering(), NodePair.TIMEOUT);
            UnsafeBuffer source = direct(5000);
            int sent = 0;
            while (region.write(0, source, 0, 5000, 0, ends) == SendResult.SENT) {
                sent++;
            }
            assertThat(region.write(0, source, 0, 5000, 0, ends)).isEqualTo(SendResult.BACK_PRESSURED);
            await(pair, region);
            assertThat(ended).hasSize(sent);
            assertThat(region.statistics().registered()).isEqualTo(sent);
            for (int i = 0; i < 40; i++) { // each takes the place of one that is in use no more
                assertThat(region.write(0, direct(5000), 0, 5000, 0, ends)).isEqualTo(SendResult.SENT);
                await(pair, region);
            }
            assertThat(region.statistics().registered()).isEqualTo(sent + 40);
        }
    }

    @Test
    void aLengthIsMeasuredOrSet() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.share("table", 16 << 20);
            RemoteRegion region = pair.client.attach(
                    pair.address + "table", new RegionOptions().buffers(BufferPolicy.BY_SIZE), NodePair.TIMEOUT);
            UnsafeBuffer source = direct(8 << 20);
            region.write(0, source, 0, 4095, 0, ends); // shorter than any that is measured
            await(pair, region);
            assertThat(region.statistics().registered()).isZero();
            region.write(0, source, 0, 8 << 20, 0, ends); // longer
            await(pair, region);
            assertThat(region.statistics().registered()).isEqualTo(1);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RegionOptions().registerFrom(0))
                .withMessage("registerFrom 0 < minimum 1");
    }

    private static int regions(Node node) {
        return node.tenants().get(Tenants.DEFAULT).regions();
    }
}
