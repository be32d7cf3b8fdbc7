package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.SendRequest;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread moves what a source has, pays for it, and tells the source of its end. */
@Timeout(180)
class HostFeedTest {
    private static final HostModel HOST = new HostModel().line(10).post(50).mmio(200);
    private static final int BYTES = 1000;

    private final HostPair pair = new HostPair(1, 1, HOST, new NicModel(), new LinkProfile().delay(1_000));
    private final HostCompletionQueue completions = pair.completions();
    private final Requests source = new Requests();
    private final List<Long> ended = new ArrayList<>();

    /** Gives all that it has. */
    private static final class Requests implements SendSource {
        final ArrayDeque<SendRequest> waiting = new ArrayDeque<>();
        long completed;

        @Nullable
        SendFeed feed;

        SendSource of(QueuePair qp) {
            feed = qp.feed(this);
            return this;
        }

        @Override
        public void fill(SendRing ring) {
            SendFeed to = Objects.requireNonNull(feed);
            for (SendRequest request = waiting.peek(); request != null; request = waiting.peek()) {
                if (to.post(request, ring) != PostResult.POSTED) {
                    break;
                }
                waiting.remove();
            }
            ring.publish();
        }

        @Override
        public void completed(long before) {
            completed = before;
        }

        @Override
        public int weight() {
            return 7;
        }
    }

    private void give(int count, boolean signaled) {
        for (int i = 0; i < count; i++) {
            source.waiting.add(pair.write(BYTES, i).signaled(signaled));
        }
    }

    @Test
    void aThreadPaysForEachAndForOneDoorbell() {
        HostFeed feed = pair.feed(completions, source::of, 8);
        assertThat(feed.weight()).isEqualTo(7);
        give(3, true);
        long[] rung = new long[1];
        SimThread mover = pair.cores.start("mover", self -> {
            assertThat(feed.move(self)).isEqualTo(3);
            assertThat(pair.nic.wqes()).as("not before it has paid").isZero();
            self.then(() -> rung[0] = pair.simulation.nowNanos()).end();
        });
        pair.simulation.runFor(10_000);
        assertThat(rung[0]).isEqualTo(3 * (10 + 50) + 200);
        assertThat(mover.runNanos()).isEqualTo(rung[0]);
        assertThat(pair.nic.wqes()).isEqualTo(3);
        assertThat(pair.nic.mmios()).isEqualTo(1);
        assertThat(feed.bytes()).as("until the thread has seen completions").isEqualTo(3 * BYTES);
        assertThat(source.completed).isZero();
    }

    @Test
    void allArriveInOrderWithNoMoreThanTheDepthUnderWay() {
        HostFeed feed = pair.feed(completions, source::of, 4);
        give(50, true);
        long[] most = new long[1];
        pair.cores.start("mover", self -> {
            completions.poll(
                    self,
                    completion -> {
                        ended.add(completion.wrId());
                        feed.complete(1);
                    },
                    16);
            feed.move(self);
            most[0] = Math.max(most[0], feed.bytes());
            self.run(100);
        });
        pair.simulation.runFor(1_000_000);
        assertThat(ended).hasSize(50).isSorted();
        assertThat(most[0]).isEqualTo(4 * BYTES);
        assertThat(feed.bytes()).isZero();
        assertThat(source.completed).isEqualTo(50);
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatThrownBy(() -> pair.feed(completions, source::of, 257)).hasMessageContaining("257 outside 1..256");
        HostFeed feed = pair.feed(completions, source::of, 4);
        assertThatThrownBy(() -> feed.complete(1)).hasMessageContaining("0 were under way");
        give(1, false);
        pair.cores.start("mover", feed::move);
        assertThatThrownBy(() -> pair.simulation.runFor(1_000)).hasMessageContaining("is not signaled");
    }
}
