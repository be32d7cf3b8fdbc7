package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nodes that connect to each other, at once or one after the other: nothing is lost, nothing comes twice. Nor is
 * anything sent again: the time after which an acknowledgement is missed is longer than the test, so that a packet that
 * goes down with a link that was replaced is never seen.
 */
@Timeout(180)
class MutualConnectTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration NEVER = Duration.ofMinutes(5);
    private static final int ROUNDS = 20;
    private static final int MESSAGES = 50;

    @ParameterizedTest
    @EnumSource(names = {"TCP", "UDS"})
    void bothAtOnce(Fabric fabric) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            try (Node a = launch();
                    Node b = launch()) {
                AtomicInteger atA = count(a);
                AtomicInteger atB = count(b);
                String toA = fabric.listen(a) + "/in";
                String toB = fabric.listen(b) + "/in";
                CompletableFuture<Channel> ab = a.connectAsync(toB, null, TIMEOUT);
                CompletableFuture<Channel> ba = b.connectAsync(toA, null, TIMEOUT);
                sendAll(ab.get(20, TimeUnit.SECONDS));
                sendAll(ba.get(20, TimeUnit.SECONDS));
                await(atA, MESSAGES);
                await(atB, MESSAGES);
                assertThat(ab.join().isConnected()).as("round %d", round).isTrue();
                assertThat(ba.join().isConnected()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "UDS"})
    void backWhileMessagesFlow(Fabric fabric) {
        try (Node a = launch();
                Node b = launch()) {
            AtomicInteger atA = count(a);
            AtomicInteger atB = count(b);
            String toA = fabric.listen(a) + "/in";
            Channel ab = a.connect(fabric.listen(b) + "/in", TIMEOUT);
            for (int round = 1; round <= ROUNDS; round++) {
                sendAll(ab);
                try (Channel ba = b.connect(toA, TIMEOUT)) {
                    sendAll(ba);
                    await(atA, round * MESSAGES);
                }
                await(atB, round * MESSAGES);
            }
            assertThat(ab.isConnected()).isTrue();
        }
    }

    private static Node launch() {
        return Node.launch(new NodeContext().acknowledgement(NEVER, 0));
    }

    private static AtomicInteger count(Node node) {
        AtomicInteger count = new AtomicInteger();
        node.openInbox("in").onMessage(m -> count.incrementAndGet());
        return count;
    }

    private static void sendAll(Channel channel) {
        for (int i = 0; i < MESSAGES; i++) {
            channel.send("message " + i, TIMEOUT);
        }
    }

    private static void await(AtomicInteger count, int expected) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (count.get() < expected) {
            assertThat(System.nanoTime())
                    .as("%d of %d within %s", count.get(), expected, TIMEOUT)
                    .isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(count.get()).isEqualTo(expected);
    }
}
