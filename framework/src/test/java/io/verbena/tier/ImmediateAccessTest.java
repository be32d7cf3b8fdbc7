package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads and writes that wait for nothing. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ImmediateAccessTest {
    private static final int PAGE = PagedOptions.DEFAULT_PAGE_LENGTH;
    private static final int FRAMES = 16;
    private static final int SIZE = 4 * FRAMES * PAGE;

    private final AtomicLong progress = new AtomicLong();

    private PagedMemory open(Peers peers) {
        return peers.open(peers.options(SIZE).resident(FRAMES * PAGE).onProgress(progress::incrementAndGet));
    }

    @Test
    void whatIsBegunEndsInTheSameBytesAsAModelHas() {
        try (Peers peers = new Peers(Peers.Way.TCP).add(SIZE)) {
            PagedMemory memory = open(peers);
            UnsafeBuffer model = new UnsafeBuffer(new byte[SIZE]);
            UnsafeBuffer read = new UnsafeBuffer(new byte[3 * PAGE]);
            SplittableRandom random = new SplittableRandom(1);
            long refused = 0;
            for (int i = 0; i < 1000; i++) {
                int length = 1 + random.nextInt(2 * PAGE);
                int at = random.nextInt(SIZE - length);
                boolean writes = random.nextInt(3) > 0;
                if (writes) {
                    model.setMemory(at, length, (byte) random.nextInt());
                }
                long seen = progress.get();
                while (writes ? !memory.tryWrite(at, model, at, length) : !memory.tryRead(at, read, 0, length)) {
                    refused++;
                    long before = seen;
                    Peers.await(() -> progress.get() != before);
                    seen = progress.get();
                }
                if (!writes) {
                    for (int j = 0; j < length; j++) {
                        assertThat(read.getByte(j)).isEqualTo(model.getByte(at + j));
                    }
                }
            }
            assertThat(refused).as("some was not there at once").isPositive();
            assertThat(memory.statistics().faults()).isPositive();
        }
    }

    @Test
    void whatIsLostIsNamed() {
        try (Peers peers = new Peers(Peers.Way.TCP).add(SIZE)) {
            PagedMemory memory = open(peers);
            UnsafeBuffer bytes = new UnsafeBuffer(new byte[SIZE]);
            bytes.setMemory(0, SIZE, (byte) 3);
            memory.write(0, bytes, 0, SIZE);
            memory.flush(Peers.LONG);
            peers.kill(0);
            Peers.await(() -> !memory.lost().isEmpty());
            long lost = memory.lost().get(0).offset();
            assertThatThrownBy(() -> memory.tryRead(lost, bytes, 0, 1))
                    .isInstanceOf(PageLostException.class)
                    .hasMessageContaining(peers.address(0));
            assertThatThrownBy(() -> memory.tryWrite(lost, bytes, 0, 1)).isInstanceOf(PageLostException.class);
        }
    }

    @Test
    void rangesAreChecked() {
        try (Peers peers = new Peers(Peers.Way.LOCAL).add(SIZE)) {
            PagedMemory memory = open(peers);
            UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
            assertThatThrownBy(() -> memory.tryRead(SIZE - 7, bytes, 0, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.tryWrite(0, bytes, 1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
            memory.close();
            assertThatThrownBy(() -> memory.tryRead(0, bytes, 0, 8)).isInstanceOf(IllegalStateException.class);
        }
    }
}
