package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random operations on overlapping ranges of a region, by a random schedule of posts, polls and turns, with random
 * limits, some with buffers that are registered. The model does each operation when it is posted: all that is read, and
 * what is left in the end, must be as if nothing had been merged, chained or kept waiting.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MergeScheduleTest {
    private static final int LENGTH = 2048;
    private static final int OPERATIONS = 600;
    private static final int SEEDS = 12;

    private final byte[] model = new byte[LENGTH];
    private final ByteBuffer[] buffers = new ByteBuffer[3]; // what operations read to and write from lies in them
    private int told;
    private int posted;
    private int used; // bytes of each buffer

    static Stream<Arguments> schedules() {
        return Stream.of(Fabric.LOCAL, Fabric.TCP, Fabric.SHM)
                .flatMap(fabric -> IntStream.range(0, SEEDS).mapToObj(seed -> Arguments.of(fabric, seed)));
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void isAsIfNothingWereMerged(Fabric fabric, int seed) {
        Random random = new Random(seed);
        NodeContext client = fabric.context(NodeMode.INVOKER).sendDepth(2 << random.nextInt(6));
        Merging[] modes = {Merging.SINGLE, Merging.DOORBELL, Merging.MERGE, Merging.HYBRID, Merging.HYBRID};
        RegionOptions options = new RegionOptions()
                .merge(modes[random.nextInt(modes.length)])
                .window(1L << random.nextInt(14))
                .buffer(4096 << random.nextInt(4));
        if (seed % 2 == 1) {
            options.registerFrom(1 << random.nextInt(6));
        }
        Arrays.setAll(buffers, i -> ByteBuffer.allocateDirect(1 << 20));
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.ASSISTED), client)) {
            SharedRegion shared = pair.server.share("table", LENGTH);
            RemoteRegion region = pair.client.attach(pair.address + "table", options, NodePair.TIMEOUT);
            while (posted < OPERATIONS) {
                switch (random.nextInt(8)) {
                    case 0 -> region.poll(1 + random.nextInt(20));
                    case 1 -> pair.client.doWork();
                    default -> {
                        if (!post(region, random)) {
                            region.poll(1 + random.nextInt(20));
                        }
                    }
                }
                RegionStatistics now = region.statistics();
                assertThat(now.bytesInFlight()).isLessThanOrEqualTo(Math.max(now.window(), 1500));
            }
            pair.await(() -> region.poll(20) >= 0 && told == posted);
            byte[] there = new byte[LENGTH];
            shared.buffer().getBytes(0, there);
            assertThat(there).isEqualTo(model);
            assertThat(region.outstanding()).isZero();
            assertThat(region.statistics().operations()).isEqualTo(posted);
            assertThat(region.statistics().bytesInFlight()).isZero();
        }
    }

    private boolean post(RemoteRegion region, Random random) {
        int id = posted;
        int length = random.nextInt(4) == 0 ? random.nextInt(1500) : random.nextInt(40);
        int offset = random.nextInt(LENGTH - length + 1);
        int word = 8 * random.nextInt(LENGTH / 8);
        UnsafeBuffer words = new UnsafeBuffer(model);
        long before = words.getLong(word);
        boolean sent;
        switch (random.nextInt(20)) {
            case 0 -> {
                sent = region.fetchAndAdd(word, id, id, expects(id, before)) == SendResult.SENT;
                if (sent) {
                    words.putLong(word, before + id);
                }
            }
            case 1 -> {
                long expected = random.nextBoolean() ? before : before + 1;
                sent = region.compareAndSwap(word, expected, id, id, expects(id, before)) == SendResult.SENT;
                if (sent && expected == before) {
                    words.putLong(word, id);
                }
            }
            case 2, 3, 4, 5, 6, 7, 8 -> {
                byte[] expected = Arrays.copyOfRange(model, offset, offset + length);
                UnsafeBuffer target = memory(random, length);
                sent = region.read(offset, target, 0, length, id, (correlation, outcome, value) -> {
                            expects(id, 0).onOperation(correlation, outcome, value);
                            assertThat(target).as("read " + id).isEqualTo(new UnsafeBuffer(expected));
                        })
                        == SendResult.SENT;
            }
            default -> {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                UnsafeBuffer source = memory(random, length);
                source.putBytes(0, bytes);
                sent = region.write(offset, source, 0, length, id, expects(id, 0)) == SendResult.SENT;
                if (sent) {
                    System.arraycopy(bytes, 0, model, offset, length);
                }
            }
        }
        posted += sent ? 1 : 0;
        return sent;
    }

    /** Memory that no other operation uses, in one of the buffers. */
    private UnsafeBuffer memory(Random random, int length) {
        if (used + length > buffers[0].capacity()) {
            used = 0; // long after those operations have ended
        }
        UnsafeBuffer memory = new UnsafeBuffer(buffers[random.nextInt(buffers.length)], used, length);
        used += length;
        return memory;
    }

    /** They are told in the order in which they were posted, each once. */
    private OperationHandler expects(int id, long value) {
        return (correlation, outcome, found) -> {
            assertThat(outcome).isEqualTo(Outcome.DONE);
            assertThat(correlation).isEqualTo(told).isEqualTo(id);
            assertThat(found).isEqualTo(value);
            told++;
        };
    }
}
