package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.tier.Advice;
import io.verbena.tier.PagedMemory;
import io.verbena.tier.PagedMemoryException;
import io.verbena.tier.PagedOptions;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Paged memory of which one peer is a process that is killed. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PagedMemoryProcessTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int SIZE = 1 << 20; // as long as the process's region

    private static final int STEPS = 300;

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "SHM"})
    void nothingIsLostWithOneOfTwoReplicas(Fabric fabric) {
        try (PeerProcess mortal = PeerProcess.serving(fabric);
                Node survivor = Node.launch(PeerProcess.context(fabric));
                Node node = Node.launch(PeerProcess.context(fabric))) {
            survivor.share("table", SIZE);
            PagedOptions options = new PagedOptions("table", SIZE)
                    .resident(SIZE / 8)
                    .replicas(2)
                    .timeout(LONG)
                    .peer(mortal.address.substring(0, mortal.address.length() - 1))
                    .peer(fabric.listen(survivor));
            try (PagedMemory memory = PagedMemory.open(node, options, LONG)) {
                byte[] model = new byte[SIZE];
                SplittableRandom random = new SplittableRandom(1);
                UnsafeBuffer bytes = new UnsafeBuffer(model);
                for (int step = 0; step < STEPS; step++) {
                    int length = 1 + random.nextInt(10_000);
                    int at = random.nextInt(SIZE - length);
                    byte value = (byte) random.nextInt();
                    bytes.setMemory(at, length, value);
                    memory.write(at, bytes, at, length);
                    if (step == STEPS / 2) {
                        mortal.kill();
                    }
                    if (step % 50 == 49) {
                        expectAll(memory, model);
                    }
                }
                memory.flush(LONG);
                Awaitility.await()
                        .atMost(LONG)
                        .until(() -> !memory.statistics().peers().get(0).alive());
                expectAll(memory, model);
                assertThat(memory.lost()).isEmpty();
                assertThat(memory.statistics().peers().get(1).alive()).isTrue();
            }
        }
    }

    /** Whoever waits for a peer that stands still is told so; the page comes when the peer goes on. */
    @Test
    void aPeerThatStandsStillIsWaitedForNoLongerThanAllowed() {
        try (PeerProcess peer = PeerProcess.serving(Fabric.TCP);
                Node node = Node.launch(PeerProcess.context(Fabric.TCP))) {
            String address = peer.address.substring(0, peer.address.length() - 1);
            PagedOptions options = new PagedOptions("table", SIZE)
                    .resident(SIZE / 8)
                    .timeout(Duration.ofMillis(200))
                    .peer(address);
            try (PagedMemory memory = PagedMemory.open(node, options, LONG)) {
                UnsafeBuffer page = new UnsafeBuffer(new byte[4096]);
                page.setMemory(0, 4096, (byte) 5);
                memory.write(8192, page, 0, 4096);
                memory.flush(LONG);
                memory.advise(0, SIZE, Advice.DONT_NEED);
                UnsafeBuffer target = new UnsafeBuffer(new byte[4096]);
                peer.suspend();
                try {
                    assertThatThrownBy(() -> memory.read(8192, target, 0, 4096))
                            .isInstanceOf(PagedMemoryException.class)
                            .hasMessage("page 2 (offset 8192) was not read within 200 ms; it is at peer " + address);
                } finally {
                    peer.resume();
                }
                Awaitility.await()
                        .atMost(LONG)
                        .ignoreExceptionsInstanceOf(PagedMemoryException.class)
                        .untilAsserted(() -> memory.read(8192, target, 0, 4096));
                assertThat(target).isEqualTo(page);
            }
        }
    }

    private static void expectAll(PagedMemory memory, byte[] model) {
        UnsafeBuffer all = new UnsafeBuffer(new byte[SIZE]);
        memory.read(0, all, 0, SIZE);
        assertThat(all.byteArray()).isEqualTo(model);
    }
}
