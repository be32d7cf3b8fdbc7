package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.Right;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory whose pages are here and at peers: what is written is what is read. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PagedMemoryTest {
    private static final int PAGE = PagedOptions.DEFAULT_PAGE_LENGTH;
    private static final int BLOCK = PagedOptions.DEFAULT_BLOCK_LENGTH;

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

    /** Has all pages of a range written back, and no frame. */
    private static void dropAll(PagedMemory memory) {
        memory.flush(Peers.LONG);
        memory.advise(0, memory.size(), Advice.DONT_NEED);
        Peers.await(() -> memory.statistics().resident() == 0); // what was being read ahead is dropped when it comes
    }

    @ParameterizedTest
    @EnumSource(Peers.Way.class)
    void threadsFindWhatTheyWrote(Peers.Way way) throws InterruptedException {
        peers = new Peers(way).add(1 << 20).add(3 << 20);
        PagedMemory memory = peers.open(peers.options(4 << 20).resident(512 << 10));
        RandomAccess access = new RandomAccess(memory, 4, way == Peers.Way.TCP ? 300 : 1_500).start();
        access.join();
        access.expectAll();
        memory.flush(Peers.LONG);
        access.expectAll();
        PagedStatistics statistics = memory.statistics();
        assertThat(statistics.resident()).isBetween(1L, (512L << 10) / PAGE);
        assertThat(statistics.faults()).isPositive();
        assertThat(statistics.hits()).isPositive();
        assertThat(statistics.evictions()).isPositive();
        assertThat(statistics.writeBacks()).isPositive();
        assertThat(statistics.dirty()).isZero();
        assertThat(statistics.lost()).isZero();
        assertThat(statistics.remoteBytes()).isEqualTo(4 << 20);
        assertThat(statistics.peers()).allMatch(PagedPeer::alive);
    }

    @Test
    void smallPagesAndBlocksOfOnePage() throws InterruptedException {
        peers.add(1 << 20);
        PagedMemory memory = peers.open(
                peers.options(1 << 20).pageLength(4096).blockLength(4096).resident(128 << 10));
        RandomAccess access = new RandomAccess(memory, 3, 500).start();
        access.join();
        access.expectAll();
    }

    @Test
    void whatWasNeverWrittenIsZeroAndCostsNothing() {
        peers.add(1 << 20);
        PagedMemory memory = peers.open(peers.options(64L << 30).resident(1 << 20));
        assertThat(memory.size()).isEqualTo(64L << 30);
        assertThat(read(memory, (40L << 30) + 17, 3 * PAGE)).isEqualTo(new UnsafeBuffer(new byte[3 * PAGE]));
        assertThat(memory.statistics().remoteBytes()).isZero();
        UnsafeBuffer source = bytes(100, 1);
        memory.write((33L << 30) + 4000, source, 0, 100); // in two pages
        dropAll(memory);
        assertThat(read(memory, (33L << 30) + 4000, 100)).isEqualTo(source);
        assertThat(read(memory, 33L << 30, 4000)).isEqualTo(new UnsafeBuffer(new byte[4000]));
        assertThat(read(memory, (33L << 30) + 2 * PAGE, PAGE)).isEqualTo(new UnsafeBuffer(new byte[PAGE]));
        assertThat(memory.statistics().remoteBytes()).isEqualTo(BLOCK);
        assertThat(memory.statistics().faults())
                .as("two new pages, two that were evicted")
                .isEqualTo(4);
    }

    @Test
    void anEvictedPageThatIsCleanCostsNothing() {
        peers.add(4 << 20);
        PagedMemory memory = peers.open(peers.options(4 << 20).resident(512 << 10));
        UnsafeBuffer all = bytes(4 << 20, 2);
        memory.write(0, all, 0, all.capacity());
        memory.flush(Peers.LONG);
        PagedStatistics before = memory.statistics();
        for (int i = 0; i < 3; i++) {
            assertThat(read(memory, 0, all.capacity())).isEqualTo(all);
        }
        PagedStatistics after = memory.statistics();
        assertThat(after.evictions()).isGreaterThan(before.evictions() + 1024);
        assertThat(after.writeBacks()).isEqualTo(before.writeBacks());
    }

    /** The odd byte is the JVM's own. */
    @Test
    void aHitAllocatesNothing() {
        peers.add(1 << 20);
        PagedMemory memory = peers.open(peers.options(1 << 20));
        UnsafeBuffer buffer = bytes(3 * PAGE, 9);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        int accesses = 20_000;
        long before = 0;
        for (int i = 0; i < 2 * accesses; i++) {
            if (i == accesses) {
                before = threads.getThreadAllocatedBytes(self);
            }
            memory.write(100, buffer, 0, 2 * PAGE);
            memory.read(300, buffer, 0, 2 * PAGE);
        }
        assertThat(threads.getThreadAllocatedBytes(self) - before).isLessThan(accesses);
        assertThat(memory.statistics().faults()).isEqualTo(3);
    }

    /** One queue pair with a small window: peers get pages more slowly than they are written. */
    @Test
    void whatIsRefusedForNowIsWrittenLater() {
        peers.add(16 << 20);
        PagedMemory memory = peers.open(
                peers.options(16 << 20).resident(8 << 20).queuePairs(1).window(4 * PAGE));
        UnsafeBuffer all = bytes(16 << 20, 8);
        memory.write(0, all, 0, all.capacity());
        memory.flush(Peers.LONG);
        assertThat(memory.statistics().dirty()).isZero();
        assertThat(read(memory, 0, all.capacity())).isEqualTo(all);
    }

    // ---- advice and read-ahead --------------------------------------------------------------------------------------

    @Test
    void sequentialFaultsReadAhead() {
        peers.add(4 << 20);
        PagedMemory memory = peers.open(peers.options(4 << 20).resident(2 << 20));
        UnsafeBuffer all = bytes(1 << 20, 3);
        memory.write(0, all, 0, all.capacity());
        dropAll(memory);
        PagedStatistics before = memory.statistics();
        for (int at = 0; at < 1 << 20; at += PAGE) {
            assertThat(read(memory, at, PAGE)).isEqualTo(new UnsafeBuffer(all, at, PAGE));
        }
        PagedStatistics after = memory.statistics();
        assertThat(after.readAheadUsed()).isBetween(240L, 256L);
        assertThat(after.readAhead()).isEqualTo(after.readAheadUsed());
        assertThat(after.faults() - before.faults() + after.hits() - before.hits())
                .isEqualTo(256);
    }

    @Test
    void randomAdviceReadsNothingAhead() {
        peers.add(4 << 20);
        PagedMemory memory = peers.open(peers.options(4 << 20).resident(2 << 20));
        memory.write(0, bytes(1 << 20, 3), 0, 1 << 20);
        dropAll(memory);
        memory.advise(0, 4 << 20, Advice.RANDOM);
        for (int at = 0; at < 1 << 20; at += PAGE) {
            read(memory, at, 1);
        }
        assertThat(memory.statistics().readAhead()).isZero();
        dropAll(memory);
        memory.advise(0, BLOCK, Advice.SEQUENTIAL);
        read(memory, 5, 1);
        assertThat(memory.statistics().readAhead()).isEqualTo(32);
        dropAll(memory);
        memory.advise(0, BLOCK, Advice.NORMAL);
        read(memory, 5 * PAGE, 1);
        assertThat(memory.statistics().readAhead()).isEqualTo(32);
    }

    @Test
    void adviceLoadsAndDropsPages() {
        peers.add(4 << 20);
        PagedMemory memory = peers.open(peers.options(4 << 20).resident(1 << 20));
        UnsafeBuffer all = bytes(512 << 10, 4);
        memory.write(0, all, 0, all.capacity());
        memory.advise(0, all.capacity(), Advice.DONT_NEED); // dirty: dropped once they are written
        Peers.await(() -> memory.statistics().resident() == 0);
        memory.advise(PAGE, 10 * PAGE, Advice.WILL_NEED);
        Peers.await(() -> memory.statistics().resident() == 10);
        memory.advise(PAGE + 1, 3 * PAGE - 1, Advice.DONT_NEED); // two of them whole
        Peers.await(() -> memory.statistics().resident() == 8);
        long faults = memory.statistics().faults();
        assertThat(read(memory, 4L * PAGE, 7 * PAGE)).isEqualTo(new UnsafeBuffer(all, 4 * PAGE, 7 * PAGE));
        assertThat(memory.statistics().faults()).isEqualTo(faults);
        assertThat(memory.statistics().readAheadUsed()).isEqualTo(7);
        memory.advise(
                0, 4 << 20, Advice.WILL_NEED); // half of the frames at most, and never written pages are not loaded
        Peers.await(() -> memory.statistics().resident() == 128);
        assertThat(read(memory, 0, all.capacity())).isEqualTo(all);
    }

    // ---- room -------------------------------------------------------------------------------------------------------

    @Test
    void whereNoPeerHasRoomAWriteSaysSo() {
        peers.add(BLOCK).add(2 * BLOCK + 5);
        PagedMemory memory = peers.open(peers.options(8 * BLOCK));
        UnsafeBuffer page = bytes(PAGE, 5);
        for (int block = 0; block < 3; block++) {
            memory.write((long) block * BLOCK, page, 0, PAGE);
        }
        assertThatThrownBy(() -> memory.write(3L * BLOCK, page, 0, PAGE))
                .isInstanceOf(PagedMemoryException.class)
                .hasMessage("no room for block 3 (offset 393216): peer " + peers.address(0)
                        + " has room for 0 blocks, peer " + peers.address(1)
                        + " has room for 0 blocks, and there is no file");
        assertThat(read(memory, 3L * BLOCK, PAGE)).isEqualTo(new UnsafeBuffer(new byte[PAGE]));
        memory.write(BLOCK - 100, page, 0, 200);
        assertThat(memory.statistics().peers())
                .containsExactly(
                        new PagedPeer(peers.address(0), true, BLOCK, BLOCK),
                        new PagedPeer(peers.address(1), true, 2 * BLOCK, 2 * BLOCK));
    }

    @Test
    void whatNoPeerHasRoomForGoesToTheFile(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("spill");
        peers.add(1 << 20);
        PagedMemory memory =
                peers.open(peers.options(4 << 20).resident(256 << 10).spill(file));
        RandomAccess access = new RandomAccess(memory, 3, 800).start();
        access.join();
        access.expectAll();
        assertThat(memory.statistics().remoteBytes()).isEqualTo(1 << 20);
        assertThat(memory.statistics().spilledBytes()).isEqualTo(3 << 20);
        assertThat(Files.size(file)).isGreaterThan(2 << 20);
        Thread.currentThread().interrupt(); // closes the channel under who uses it
        access.expectAll();
        assertThat(Thread.interrupted()).isTrue();
        access.expectAll();
        memory.close();
        assertThat(file).doesNotExist();
    }

    // ---- misuse and the end -----------------------------------------------------------------------------------------

    @Test
    void rangesAreChecked() {
        peers.add(1 << 20);
        PagedMemory memory = peers.open(peers.options(1 << 20));
        UnsafeBuffer target = new UnsafeBuffer(new byte[10]);
        assertThatThrownBy(() -> memory.read((1 << 20) - 5, target, 0, 6))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("offset 1048571 + length 6 leaves the memory of 1048576 bytes");
        assertThatThrownBy(() -> memory.write(-1, target, 0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.write(0, target, 5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.read(0, target, 5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.advise(0, 1L << 40, Advice.RANDOM))
                .isInstanceOf(IndexOutOfBoundsException.class);
        memory.read(1 << 20, target, 0, 0);
        memory.advise(1 << 20, 0, Advice.WILL_NEED);
    }

    /** The node's thread would wait for itself. */
    @Test
    void aFaultWithinACallbackIsRefused() throws Exception {
        peers.add(1 << 20);
        Node client = peers.client();
        PagedMemory memory = peers.open(client, peers.options(1 << 20));
        UnsafeBuffer page = bytes(PAGE, 6);
        memory.write(0, page, 0, PAGE);
        CompletableFuture<UnsafeBuffer> hit = new CompletableFuture<>();
        client.execute(() -> hit.complete(read(memory, 0, PAGE)));
        assertThat(hit.get(30, TimeUnit.SECONDS)).isEqualTo(page);
        dropAll(memory);
        CompletableFuture<Throwable> fault = new CompletableFuture<>();
        client.execute(() -> {
            try {
                read(memory, 0, PAGE);
                fault.complete(new AssertionError("it was read"));
            } catch (RuntimeException e) {
                fault.complete(e);
            }
        });
        assertThat(fault.get(30, TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be called from its own callbacks");
        assertThat(read(memory, 0, PAGE)).isEqualTo(page);
    }

    @Test
    void theEndIsTheEndOfAll() {
        peers.add(1 << 20);
        PagedMemory memory = peers.open(peers.options(1 << 20));
        memory.write(0, bytes(PAGE, 7), 0, PAGE);
        memory.close();
        memory.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> read(memory, 0, 1))
                .withMessage("the paged memory is closed");
        assertThatIllegalStateException().isThrownBy(() -> memory.write(0, bytes(1, 1), 0, 1));
        assertThatIllegalStateException().isThrownBy(() -> memory.flush(Duration.ofSeconds(1)));
    }

    /** What the peer does not permit is said at once, and not when the first page is written back. */
    @Test
    void aPeerThatPermitsReadsAloneIsRefused() {
        try (Node donor = Node.launch(new NodeContext().name("paged-reads-alone"));
                Node node = Node.launch(new NodeContext())) {
            donor.share("pages", 1 << 20, Right.READ);
            PagedOptions options = new PagedOptions("pages", 1 << 20).peer("local:paged-reads-alone");
            assertThatThrownBy(() -> PagedMemory.open(node, options, Duration.ofSeconds(20)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("does not permit");
        }
    }
}
