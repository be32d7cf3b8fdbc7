package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.engine.AdaptiveIdle;
import io.verbena.nic.port.PollStrategy;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The strategy that a node was given is asked by its own thread, and by those that wait in {@link Inbox#await}. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PollingTest {
    private final Map<PollStrategy.Waiting, AtomicInteger> waits = new EnumMap<>(PollStrategy.Waiting.class);
    private final Map<PollStrategy.Waiting, AtomicInteger> asked = new EnumMap<>(PollStrategy.Waiting.class);

    /** The default one, and counts how it is asked. */
    private final class Counted implements PollStrategy {
        private final PollStrategy adaptive;
        private final Waiting who;

        Counted(Waiting who) {
            this.adaptive = AdaptiveIdle.upTo(100_000).create(who);
            this.who = who;
        }

        @Override
        public void begin(long deadlineNanos) {
            waits.get(who).incrementAndGet();
            adaptive.begin(deadlineNanos);
        }

        @Override
        public Step idle() {
            asked.get(who).incrementAndGet();
            return adaptive.idle();
        }

        @Override
        public void worked() {
            adaptive.worked();
        }

        @Override
        public long began() {
            return adaptive.began();
        }

        @Override
        public void slept(long began, boolean found) {
            adaptive.slept(began, found);
        }

        @Override
        public void close() {
            adaptive.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void whoWaitsAsksTheStrategyOfItsNode(Fabric fabric) {
        for (PollStrategy.Waiting who : PollStrategy.Waiting.values()) {
            waits.put(who, new AtomicInteger());
            asked.put(who, new AtomicInteger());
        }
        NodeContext receiver = fabric.context(NodeMode.THREAD).polling(Counted::new);
        try (NodePair pair = new NodePair(fabric, receiver, fabric.context(NodeMode.THREAD))) {
            Inbox inbox = pair.server.openInbox("in");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            int before = waits.get(PollStrategy.Waiting.GUEST).get();
            assertThat(inbox.await(Duration.ofMillis(1))).isFalse();
            assertThat(waits.get(PollStrategy.Waiting.GUEST).get()).isGreaterThan(before);
            assertThat(channel.send(new UnsafeBuffer(new byte[8]), 0, 8, NodePair.TIMEOUT))
                    .isEqualTo(SendResult.SENT);
            assertThat(inbox.await(NodePair.TIMEOUT)).isTrue();
            assertThat(inbox.poll(m -> {}, 2)).isEqualTo(1);
        }
        for (PollStrategy.Waiting who : PollStrategy.Waiting.values()) {
            assertThat(waits.get(who).get()).as(who.name()).isPositive();
            assertThat(asked.get(who).get()).as(who.name()).isPositive();
        }
    }
}
