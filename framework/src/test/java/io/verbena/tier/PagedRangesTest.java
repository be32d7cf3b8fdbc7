package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranges of a memory by themselves: what is discarded, flushed, or wanted no more. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PagedRangesTest {
    private static final int PAGE = PagedOptions.DEFAULT_PAGE_LENGTH;
    private static final int BLOCK = PagedOptions.DEFAULT_BLOCK_LENGTH;
    private static final int SIZE = 8 * BLOCK;

    private final Peers peers = new Peers(Peers.Way.LOCAL).add(SIZE / 2).add(SIZE / 2 + PAGE);
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[SIZE]);

    @AfterEach
    void close() {
        peers.close();
    }

    private PagedMemory full() {
        PagedOptions options = new PagedOptions("pages").timeout(Peers.LONG).resident(64 * PAGE);
        PagedMemory memory = peers.open(options.peer(peers.address(0)).peer(peers.address(1)));
        bytes.setMemory(0, SIZE, (byte) 7);
        memory.write(0, bytes, 0, SIZE);
        return memory;
    }

    @Test
    void aMemoryWithoutASizeTakesAllThatPeersShare() {
        PagedMemory memory = full();
        assertThat(memory.size()).isEqualTo(SIZE);
        memory.flush(Peers.LONG);
        assertThat(memory.statistics().remoteBytes()).isEqualTo(SIZE);
    }

    @Test
    void whatIsDiscardedIsZeroAndTheRestStays() {
        PagedMemory memory = full();
        memory.discard(PAGE, 3 * BLOCK);
        memory.read(0, bytes, 0, SIZE);
        for (int i = 0; i < SIZE; i++) {
            int expected = i < PAGE || i >= PAGE + 3 * BLOCK ? 7 : 0;
            if (bytes.getByte(i) != expected) {
                throw new AssertionError("byte " + i + " is " + bytes.getByte(i));
            }
        }
        memory.discard(0, SIZE);
        Peers.await(
                () -> memory.statistics().resident() == 0 && memory.statistics().dirty() == 0);
        memory.read(0, bytes, 0, SIZE);
        assertThat(bytes).isEqualTo(new UnsafeBuffer(new byte[SIZE]));
        memory.close();
        memory.discard(0, SIZE); // whoever gives blocks back need not know
    }

    @Test
    void onlyWholePagesAreDiscarded() {
        PagedMemory memory = full();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> memory.discard(PAGE, 100))
                .withMessage("offset 4096 and length 100 are not both multiples of the page's length 4096");
        assertThatThrownBy(() -> memory.discard(SIZE, PAGE)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aFlushOfARangeLeavesTheRestAlone() {
        PagedMemory memory = full();
        memory.flush(Peers.LONG);
        memory.write(0, bytes, 0, PAGE);
        memory.write(3 * BLOCK, bytes, 0, 2 * PAGE);
        long before = memory.statistics().writeBacks();
        memory.flush(2 * BLOCK, 2 * BLOCK, Peers.LONG, () -> false);
        assertThat(memory.statistics().writeBacks()).isEqualTo(before + 2);
        assertThat(memory.statistics().dirty()).isEqualTo(1);
    }

    /** Whoever waits and is told that nobody wants it any more leaves; the page comes nevertheless. */
    @Test
    void anAccessThatIsAbandonedEnds() {
        PagedMemory memory = full();
        memory.flush(Peers.LONG);
        memory.advise(0, SIZE, Advice.DONT_NEED);
        Peers.await(() -> memory.statistics().resident() == 0);
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> memory.read(0, bytes, 0, 1, () -> asked.incrementAndGet() > 0))
                .isInstanceOf(PagedMemoryException.class)
                .hasMessageContaining("page 0 (offset 0)")
                .hasMessageContaining("before it was abandoned");
        assertThat(asked.get()).isPositive();
        memory.read(0, bytes, 0, 1);
        assertThat(bytes.getByte(0)).isEqualTo((byte) 7);
    }
}
