package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What remains when a peer goes: all of it with two replicas, and with one what others have, and no lie. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PagedMemoryDeathTest {
    private static final int PAGE = PagedOptions.DEFAULT_PAGE_LENGTH;
    private static final int BLOCK = PagedOptions.DEFAULT_BLOCK_LENGTH;
    private static final int SIZE = 2 << 20;

    private Peers peers = new Peers(Peers.Way.LOCAL);

    @AfterEach
    void close() {
        peers.close();
    }

    private static UnsafeBuffer bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return new UnsafeBuffer(bytes);
    }

    private static UnsafeBuffer read(PagedMemory memory, long offset, int length) {
        UnsafeBuffer target = new UnsafeBuffer(new byte[length]);
        memory.read(offset, target, 0, length);
        return target;
    }

    @ParameterizedTest
    @EnumSource(Peers.Way.class)
    void withTwoReplicasNothingIsLost(Peers.Way way) throws InterruptedException {
        peers = new Peers(way).add(SIZE).add(SIZE);
        PagedMemory memory = peers.open(peers.options(SIZE).resident(SIZE / 8).replicas(2));
        int steps = way == Peers.Way.TCP ? 200 : 1_000;
        RandomAccess access = new RandomAccess(memory, 4, steps).start();
        Peers.await(() -> access.done() > steps);
        peers.kill(0);
        access.join();
        access.expectAll();
        Peers.await(() -> !memory.statistics().peers().get(0).alive());
        memory.flush(Peers.LONG);
        access.expectAll();
        assertThat(memory.lost()).isEmpty();
        assertThat(memory.statistics().lost()).isZero();
        assertThat(memory.statistics().single()).isEqualTo(SIZE / BLOCK);
        assertThat(memory.statistics().remoteBytes()).isEqualTo(SIZE);
    }

    /** One peer after the other goes, each time once the others have got what it had. */
    @Test
    void aThirdPeerGetsWhatHasOneReplicaLeft() throws InterruptedException {
        peers.add(SIZE).add(SIZE).add(SIZE);
        PagedMemory memory = peers.open(peers.options(SIZE).resident(SIZE / 8).replicas(2));
        RandomAccess access = new RandomAccess(memory, 4, 1_000).start();
        Peers.await(() -> access.done() > 1_500);
        peers.kill(1);
        access.join();
        access.expectAll();
        memory.flush(Peers.LONG);
        Peers.await(() -> !memory.statistics().peers().get(1).alive()
                && memory.statistics().single() == 0
                && memory.statistics().dirty() == 0);
        assertThat(memory.statistics().remoteBytes()).isEqualTo(2 * SIZE);
        peers.kill(0);
        Peers.await(() -> !memory.statistics().peers().get(0).alive());
        access.expectAll();
        assertThat(memory.lost()).isEmpty();
        assertThat(memory.statistics().single()).isEqualTo(SIZE / BLOCK);
    }

    @Test
    void withOneReplicaWhatIsLostIsNamedAndTheRestIsThere() {
        peers.add(SIZE).add(SIZE);
        PagedMemory memory = peers.open(peers.options(SIZE).resident(16 * PAGE));
        UnsafeBuffer all = bytes(SIZE, 1);
        memory.write(0, all, 0, SIZE);
        memory.flush(Peers.LONG);
        memory.advise(0, SIZE, Advice.DONT_NEED);
        assertThat(read(memory, 0, PAGE)).isEqualTo(new UnsafeBuffer(all, 0, PAGE));
        assertThat(read(memory, BLOCK, PAGE)).isEqualTo(new UnsafeBuffer(all, BLOCK, PAGE));
        peers.kill(0);
        Peers.await(() -> !memory.statistics().peers().get(0).alive());
        assertThat(read(memory, 0, PAGE)).as("resident").isEqualTo(new UnsafeBuffer(all, 0, PAGE));
        assertThat(read(memory, BLOCK, PAGE)).as("resident").isEqualTo(new UnsafeBuffer(all, BLOCK, PAGE));
        int lost = 0;
        for (int at = 0; at < SIZE; at += PAGE) {
            int offset = at;
            try {
                assertThat(read(memory, at, PAGE)).isEqualTo(new UnsafeBuffer(all, at, PAGE));
            } catch (PageLostException e) {
                lost++;
                assertThat(e)
                        .hasMessage("bytes " + at + " to " + (at + PAGE - 1) + " are lost with peer " + peers.address(0)
                                + ", which alone had them; write the whole page to use it again");
                assertThat(e.offset()).isEqualTo(at);
                assertThat(e.length()).isEqualTo(PAGE);
                assertThat(e.peer()).isEqualTo("peer " + peers.address(0));
                assertThatThrownBy(() -> memory.write(offset + 1, all, 0, PAGE - 1))
                        .isInstanceOf(PageLostException.class);
            }
        }
        assertThat(lost).as("half of the blocks, but for what was resident").isEqualTo(SIZE / PAGE / 2 - 1);
        assertThat(memory.statistics().lost()).isEqualTo(lost);
        assertThat(memory.lost().stream().mapToLong(LostRange::length).sum()).isEqualTo((long) lost * PAGE);
        for (LostRange range : memory.lost()) {
            assertThat(range.peer()).isEqualTo("peer " + peers.address(0));
            memory.write(range.offset(), all, (int) range.offset(), (int) range.length());
        }
        assertThat(memory.lost()).isEmpty();
        assertThat(memory.statistics().lost()).isZero();
        assertThat(read(memory, 0, SIZE)).isEqualTo(all);
        memory.flush(Peers.LONG);
        assertThat(read(memory, 0, SIZE)).isEqualTo(all);
    }

    /** What was written back before is lost all the same, and who waits for it is told. */
    @Test
    void aFlushOfWhatIsLostFails() {
        peers.add(SIZE).add(SIZE);
        PagedMemory memory = peers.open(peers.options(SIZE).resident(16 * PAGE));
        UnsafeBuffer all = bytes(SIZE, 3);
        memory.write(0, all, 0, SIZE);
        memory.flush(Peers.LONG);
        memory.advise(0, SIZE, Advice.DONT_NEED);
        peers.kill(0);
        Peers.await(() -> !memory.statistics().peers().get(0).alive());
        assertThatThrownBy(() -> memory.flush(Peers.LONG))
                .isInstanceOf(PageLostException.class)
                .hasMessageContaining("are lost with peer " + peers.address(0));
        memory.write(0, all, 0, SIZE);
        memory.flush(Peers.LONG);
    }

    @Test
    void whatIsResidentGoesToTheFileWhenNoPeerIsLeft(@TempDir Path directory) {
        peers.add(SIZE);
        PagedMemory memory = peers.open(peers.options(SIZE).resident(SIZE / 2).spill(directory.resolve("spill")));
        UnsafeBuffer all = bytes(SIZE, 2);
        memory.write(0, all, 0, SIZE / 2);
        memory.flush(Peers.LONG);
        peers.kill(0);
        Peers.await(() -> !memory.statistics().peers().get(0).alive());
        memory.write(SIZE / 2, all, SIZE / 2, SIZE / 2);
        memory.flush(Peers.LONG);
        assertThat(read(memory, 0, SIZE)).isEqualTo(all);
        assertThat(memory.lost()).isEmpty();
        assertThat(memory.statistics().spilledBytes()).isEqualTo(SIZE);
        assertThat(memory.statistics().remoteBytes()).isZero();
    }
}
