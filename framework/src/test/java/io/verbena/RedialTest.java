package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that connects a lost channel again, under a clock that the test moves. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RedialTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    private final ReconnectListener listener = new ReconnectListener() {
        @Override
        public void onLost(Channel channel) {
            lost.incrementAndGet();
        }

        @Override
        public void onAttemptFailed(ConnectionException why) {
            failed.incrementAndGet();
        }

        @Override
        public void onReconnected(Channel channel) {
            throw new AssertionError(channel);
        }
    };

    @Test
    void thePauseDoublesUpToTheLongest() {
        NodeContext context = new NodeContext().mode(NodeMode.INVOKER);
        context.runtime(NodeRuntime.system().withClock(now::get, () -> now.addAndGet(100_000)));
        try (Node client = Node.launch(context)) {
            try (Node server = Node.launch(new NodeContext().name("redial-server"))) {
                server.openInbox("in");
                ChannelOptions options =
                        new ChannelOptions().reconnect(Duration.ofMillis(8), Duration.ofMillis(20), listener);
                client.tenant("default").connect("local:redial-server/in", null, options, NodePair.TIMEOUT);
            }
            LoopFixture.await(client, () -> lost.get() == 1);
            long[] pauses = {8, 16, 20, 20};
            for (int i = 0; i < pauses.length; i++) {
                int attempts = i;
                long longest = pauses[i] * MS;
                LoopFixture.await(
                        client,
                        () -> failed.get() == attempts && client.connections().nextDeadline() - now.get() <= longest);
                long pause = client.connections().nextDeadline() - now.get();
                assertThat(pause).isBetween(longest - longest / 4, longest);
                now.addAndGet(pause - 1);
                client.doWork();
                assertThat(client.connections().nextDeadline() - now.get()).isEqualTo(1);
                now.incrementAndGet();
            }
            LoopFixture.await(client, () -> failed.get() == pauses.length);
        }
    }
}
