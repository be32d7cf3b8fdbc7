package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a node is given to run. */
@Timeout(180)
class ExecuteTest {
    @ParameterizedTest
    @EnumSource
    void runsInOrderOnTheNodesThread(NodeMode mode) {
        List<Integer> ran = new CopyOnWriteArrayList<>();
        AtomicReference<Thread> thread = new AtomicReference<>();
        AtomicReference<Thread> handlers = new AtomicReference<>();
        Node server;
        try (NodePair pair = new NodePair(Fabric.LOCAL, mode)) {
            server = pair.server;
            server.openInbox("in").onMessage(message -> {
                handlers.set(Thread.currentThread());
                server.execute(() -> ran.add(1000)); // also from a callback
            });
            for (int i = 0; i < 1000; i++) {
                int number = i;
                server.execute(() -> {
                    thread.set(Thread.currentThread());
                    ran.add(number);
                    if (number == 500) {
                        throw new IllegalStateException("one task fails, for the test");
                    }
                    assertThatThrownBy(() -> server.connect("local:none/in", NodePair.TIMEOUT))
                            .isInstanceOf(IllegalStateException.class); // it is a callback
                });
            }
            pair.await(() -> ran.size() == 1000);
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            assertThat(channel.offer(new UnsafeBuffer(new byte[8]), 0, 8)).isEqualTo(SendResult.SENT);
            channel.flush();
            pair.await(() -> ran.size() == 1001);
            assertThat(thread.get()).isSameAs(handlers.get());
            for (int i = 0; i <= 1000; i++) {
                assertThat(ran.get(i)).isEqualTo(i);
            }
        }
        assertThatThrownBy(() -> server.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }
}
