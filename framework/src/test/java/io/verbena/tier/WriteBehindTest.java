package io.verbena.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.OperationHandler;
import io.verbena.RemoteSession;
import io.verbena.SendResult;
import io.verbena.nic.port.MemoryExhaustedException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** There is no memory to post a page: whoever looks for a frame meanwhile does not pay for it, and nothing is lost. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class WriteBehindTest {
    private static final int PAGE = 4096;
    private static final @Nullable RemoteSession NOBODY_WAITS = null;

    private final FullStore store = new FullStore();
    private final Geometry geometry = new Geometry(16 * PAGE, PAGE, 8 * PAGE);
    private final Frames frames = new Frames(8, PAGE);
    private final Space space = new Space(geometry, frames, new Stores(geometry, List.of(store), null, 1));
    private final Block block = space.get(0);

    @SuppressWarnings("NullAway")
    private final Pager pager = new Pager(space, NOBODY_WAITS, () -> {});

    /** A peer to which nothing can be posted. */
    private static final class FullStore implements Store {
        private int refused;

        @Override
        public int number() {
            return 0;
        }

        @Override
        public boolean isAlive() {
            return true;
        }

        @Override
        public void failed() {}

        @Override
        public long room() {
            return 2;
        }

        @Override
        public long take() {
            return 0;
        }

        @Override
        public long taken() {
            return 0;
        }

        @Override
        public SendResult read(
                long offset, MutableDirectBuffer target, int index, int length, long id, OperationHandler handler) {
            throw new MemoryExhaustedException("none left");
        }

        @Override
        public SendResult write(
                long offset, MutableDirectBuffer source, int index, int length, long id, OperationHandler handler) {
            refused++;
            throw new MemoryExhaustedException("none left");
        }

        @Override
        public void together(long offset, Runnable posts) {
            posts.run();
        }
    }

    @Test
    void whoLooksForAFrameGetsOne() {
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[PAGE]);
        bytes.putInt(0, 7);
        Deadline deadline = Deadline.in(java.time.Duration.ofSeconds(20));
        for (int page = 0; page < 8; page++) { // the front hand comes by what is dirty
            int frame = pager.frame(block, page, deadline);
            assertThat(block.writeNew(page, frame, 0, bytes, 0, PAGE)).isEqualTo(Attempt.DONE);
        }
        assertThat(store.refused).isPositive();
        assertThat(block.unsaved()).isEqualTo(0xFF);
        UnsafeBuffer read = new UnsafeBuffer(new byte[4]);
        assertThat(block.read(5, 0, read, 0, 4)).isEqualTo(Attempt.DONE);
        assertThat(read.getInt(0)).isEqualTo(7);
        assertThatThrownBy(() -> pager.write(block)).isInstanceOf(MemoryExhaustedException.class);
        assertThat(block.unsaved()).as("what was refused stays dirty").isEqualTo(0xFF);
    }
}
