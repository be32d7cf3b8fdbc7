package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A tenant whose callback takes long, and the neighbour that does not wait for it. */
@Timeout(120)
class SlowCallbackTest {
    private static final Duration BOUND = Duration.ofMillis(20);
    private static final int MESSAGES = 50;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
    private final Semaphore neighbour = new Semaphore(0); // has got a message
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger waited = new AtomicInteger();
    private final List<Integer> came = new CopyOnWriteArrayList<>();
    private final AtomicReference<String> disorder = new AtomicReference<>("none");

    private static NodeContext context(Fabric fabric, NodeMode mode) {
        return fabric.context(mode)
                .callbackBound(BOUND)
                .tenant(new TenantOptions().name("slow"))
                .tenant(new TenantOptions().name("quick"));
    }

    /** Takes long: until the neighbour has got one more message. */
    private void slow(Message m) {
        came.add(m.buffer().getInt(m.offset()));
        inside.incrementAndGet();
        try {
            if (neighbour.tryAcquire(30, TimeUnit.SECONDS)) {
                waited.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        inside.decrementAndGet();
    }

    private void send(NodePair nodes, Channel channel, int number) {
        nodes.await(() -> {
            buffer.putInt(0, number);
            return channel.offer(buffer, 0, 8) == SendResult.SENT;
        });
        channel.flush();
    }

    /** Where no socket is in the way, from the first time on; over sockets from the second. */
    @ParameterizedTest
    @EnumSource
    void theNeighbourDoesNotWait(Fabric fabric) {
        try (NodePair nodes =
                new NodePair(fabric, context(fabric, NodeMode.ASSISTED), fabric.context(NodeMode.ASSISTED))) {
            Inbox slow = nodes.server.openInbox("slow", new InboxOptions().tenant("slow"));
            slow.onMessage(this::slow);
            AtomicInteger next = new AtomicInteger();
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> {
                int number = m.buffer().getInt(m.offset());
                if (!next.compareAndSet(number, number + 1)) {
                    disorder.set(number + " instead of " + next);
                }
                neighbour.release();
            });
            Channel toSlow = nodes.client.connect(nodes.address + "slow", NodePair.TIMEOUT);
            Channel toQuick = nodes.client.connect(nodes.address + "quick", NodePair.TIMEOUT);
            int sent = 0;
            if (fabric == Fabric.TCP || fabric == Fabric.UDS) {
                send(nodes, toSlow, sent++);
                nodes.await(() -> slow.slowCallbacks() > 0);
                neighbour.release();
            }
            for (int i = 0; sent < MESSAGES; i++) {
                nodes.await(() -> inside.get() == 0);
                send(nodes, toSlow, sent++);
                nodes.await(() -> inside.get() == 1);
                send(nodes, toQuick, i);
            }
            nodes.await(() -> waited.get() == MESSAGES); // each of them, while the neighbour's came
            assertThat(came).hasSize(MESSAGES).isSorted();
            assertThat(disorder).hasValue("none");
            if (fabric == Fabric.TCP || fabric == Fabric.UDS) {
                return;
            }
            assertThat(slow.slowCallbacks()).isPositive();
            assertThat(nodes.server.tenant("slow").slowCallbacks()).isEqualTo(slow.slowCallbacks());
        }
    }

    /** One that is slow with many messages waiting leaves the node's thread with the present one. */
    @Test
    void aBatchEndsWhereItIsSlow() {
        Fabric fabric = Fabric.LOCAL;
        try (NodePair nodes =
                new NodePair(fabric, context(fabric, NodeMode.ASSISTED), fabric.context(NodeMode.ASSISTED))) {
            List<String> threads = new CopyOnWriteArrayList<>();
            Inbox slow = nodes.server.openInbox("slow", new InboxOptions().tenant("slow"));
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> neighbour.release());
            Channel toSlow = nodes.client.connect(nodes.address + "slow", NodePair.TIMEOUT);
            Channel toQuick = nodes.client.connect(nodes.address + "quick", NodePair.TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                send(nodes, toSlow, i);
            }
            slow.onMessage(m -> {
                threads.add(Thread.currentThread().getName());
                slow(m);
            });
            for (int i = 0; i < MESSAGES; i++) {
                int number = i;
                nodes.await(() -> threads.size() > number);
                send(nodes, toQuick, i);
            }
            nodes.await(() -> waited.get() == MESSAGES);
            assertThat(came).hasSize(MESSAGES).isSorted();
            assertThat(threads.get(0)).startsWith("verbena-engine");
            assertThat(threads.subList(1, MESSAGES)).containsOnly("verbena-callbacks-slow");
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneTenantAloneKeepsItsThread(NodeMode mode) {
        NodeContext context = Fabric.LOCAL.context(mode).callbackBound(BOUND);
        try (NodePair nodes = new NodePair(Fabric.LOCAL, context, Fabric.LOCAL.context(mode))) {
            List<Thread> threads = new CopyOnWriteArrayList<>();
            Inbox inbox = nodes.server.openInbox("in");
            inbox.onMessage(m -> {
                long count = inbox.slowCallbacks();
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                while (inbox.slowCallbacks() == count && System.nanoTime() - deadline < 0) {
                    Thread.onSpinWait();
                }
                threads.add(Thread.currentThread());
            });
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            for (int i = 0; i < 3; i++) {
                int number = i;
                send(nodes, channel, i);
                nodes.await(() -> threads.size() == number + 1);
            }
            assertThat(inbox.slowCallbacks()).isEqualTo(3);
            assertThat(threads).containsOnly(threads.get(0));
        }
    }

    @Test
    void aBoundHasAMinimum() {
        assertThatThrownBy(() -> new NodeContext().callbackBound(Duration.ofMillis(1)))
                .hasMessageContaining("minimum 4 ms");
    }
}
