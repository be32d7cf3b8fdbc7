package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The strategy that a node was given is asked by its own thread, and by those that wait in {@link Inbox#await}. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PollingTest {
    private final Map<PollStrategy.Waiting, AtomicInteger> waits = new EnumMap<>(PollStrategy.Waiting.class);
    private final Map<PollStrategy.Waiting, AtomicInteger> asked = new EnumMap<>(PollStrategy.Waiting.class);

    /** The default one, and counts how it is asked. */
    private final class Counted implements PollStrategy {
        private final PollStrategy adaptive;
        private final Waiting who;

        Counted(Waiting who) {
            this.adaptive = Polling.kvm().longestSpin(Duration.ofNanos(100_000)).create(who);
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

    static List<Polling> schemes() {
        return List.of(
                Polling.busy(),
                Polling.event(),
                Polling.eventBatch(16),
                Polling.hybrid(),
                Polling.sharedCq(1),
                Polling.adaptive(),
                Polling.adaptive().retryFor(Duration.ofNanos(20_000)),
                Polling.kvm());
    }

    /** Under each scheme a guest and a callback hear each other, and each wake-up is one from a sleep. */
    @ParameterizedTest
    @MethodSource("schemes")
    void messagesComeAndGoUnderEachScheme(Polling polling) {
        int rounds = 50;
        NodeContext server = Fabric.TCP.context(NodeMode.ASSISTED).polling(polling);
        NodeContext client = Fabric.TCP.context(NodeMode.ASSISTED).polling(polling);
        try (NodePair pair = new NodePair(Fabric.TCP, server, client)) {
            pair.server.openInbox("echo").onMessage(m -> {
                if (m.channel().offer(m.buffer(), m.offset(), m.length()) != SendResult.SENT) {
                    m.again();
                }
            });
            Inbox answers = pair.client.openInbox("answers");
            Channel channel = pair.client.connect(pair.address + "echo", answers, NodePair.TIMEOUT);
            for (int i = 0; i < rounds; i++) {
                assertThat(channel.send(new UnsafeBuffer(new byte[8]), 0, 8, NodePair.TIMEOUT))
                        .isEqualTo(SendResult.SENT);
                assertThat(answers.await(NodePair.TIMEOUT)).isTrue();
                assertThat(answers.poll(m -> {}, 2)).isEqualTo(1);
            }
            WaitStatistics guests = pair.client.waitStatistics(PollStrategy.Waiting.GUEST);
            assertThat(guests.wakeUps()).isEqualTo(guests.sleeps());
            assertThat(answers.waitStatistics()).isEqualTo(new WaitStatistics(0, 0, 0));
        }
    }

    /** An inbox' own choice is asked by its waits, and the node's by those of the others. */
    @Test
    void anInboxWaitsAsItWasTold() {
        try (Node node = Node.launch(new NodeContext().polling(Polling.hybrid()))) {
            Polling choice = Polling.adaptive().retries(50).evenIfCoresAreShort();
            Inbox own = node.openInbox("own", new InboxOptions().polling(choice));
            Inbox other = node.openInbox("other");
            assertThat(own.await(Duration.ofMillis(1))).isFalse();
            assertThat(own.waitStatistics().emptyLooks()).isBetween(4L, 51L); // it reads the clock at each fourth
            assertThat(node.waitStatistics(PollStrategy.Waiting.GUEST)).isEqualTo(new WaitStatistics(0, 0, 0));
            assertThat(own.consumer().await(Duration.ofMillis(1))).isFalse();
            assertThat(own.waitStatistics().emptyLooks()).isBetween(8L, 102L);
            assertThat(other.await(Duration.ofMillis(1))).isFalse();
            assertThat(other.waitStatistics()).isEqualTo(new WaitStatistics(0, 0, 0));
            assertThat(node.waitStatistics(PollStrategy.Waiting.GUEST).emptyLooks())
                    .isEqualTo(1);
        }
    }

    /** A callback gets as many messages in a turn as the inbox' batch says; then other inboxes have theirs. */
    @Test
    void aBatchBoundsWhatACallbackGetsBeforeTheOthers() {
        List<String> order = new ArrayList<>();
        NodeContext context = new NodeContext()
                .mode(NodeMode.INVOKER)
                .polling(Polling.hybrid().batch(5));
        try (Node node = Node.launch(context)) {
            Inbox small = node.openInbox("small", new InboxOptions().polling(Polling.eventBatch(2)));
            Inbox large = node.openInbox("large");
            Channel toSmall = node.connect("local:" + node.name() + "/small", NodePair.TIMEOUT);
            Channel toLarge = node.connect("local:" + node.name() + "/large", NodePair.TIMEOUT);
            for (int i = 0; i < 10; i++) {
                for (Channel channel : List.of(toSmall, toLarge)) {
                    assertThat(channel.send(new UnsafeBuffer(new byte[8]), 0, 8, NodePair.TIMEOUT))
                            .isEqualTo(SendResult.SENT);
                }
            }
            small.onMessage(m -> order.add("small"));
            large.onMessage(m -> order.add("large"));
            long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
            while (order.size() < 20) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                node.doWork();
            }
        }
        assertThat(order.indexOf("large")).isEqualTo(2);
        assertThat(order.subList(2, 7)).containsOnly("large");
        assertThat(order.subList(7, 9)).containsOnly("small");
        assertThat(order.subList(9, 14)).containsOnly("large");
    }
}
