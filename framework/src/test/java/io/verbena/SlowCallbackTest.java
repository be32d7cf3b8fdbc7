package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.verbena.dispatch.Turns;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A tenant whose callback takes long, and the neighbour that does not wait for it. */
@Timeout(180)
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

    private static Stream<Arguments> fabricsAndModes() {
        return Arrays.stream(Fabric.values())
                .flatMap(fabric ->
                        Stream.of(NodeMode.ASSISTED, NodeMode.THREAD).map(mode -> Arguments.of(fabric, mode)));
    }

    private static boolean isSocket(Fabric fabric) {
        return fabric == Fabric.TCP || fabric == Fabric.UDS;
    }

    private static NodePair pair(Fabric fabric, NodeMode mode) {
        return new NodePair(fabric, context(fabric, mode), fabric.context(NodeMode.ASSISTED));
    }

    /** Where no socket is in the way, from the first time on; over sockets from the second. */
    @ParameterizedTest
    @MethodSource("fabricsAndModes")
    void theNeighbourDoesNotWait(Fabric fabric, NodeMode mode) {
        try (NodePair nodes = pair(fabric, mode)) {
            nodes.server.openInbox("slow", new InboxOptions().tenant("slow")).onMessage(this::slow);
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
            Tenant tenant = nodes.server.tenant("slow");
            int sent = 0;
            if (isSocket(fabric)) {
                send(nodes, toSlow, sent++);
                nodes.await(() -> tenant.slowCallbacks() > 0);
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
        }
    }

    /** One that is slow with many messages waiting leaves the node's thread with the present one. */
    @Test
    void aBatchEndsWhereItIsSlow() {
        try (NodePair nodes = pair(Fabric.LOCAL, NodeMode.ASSISTED)) {
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
            assertThat(threads.get(0)).isNotEqualTo("verbena-callbacks-slow");
            assertThat(threads.subList(1, MESSAGES)).containsOnly("verbena-callbacks-slow");
        }
    }

    /** Whatever is called back, two inboxes, answers, and that there is room: never two at a time for one tenant. */
    @ParameterizedTest
    @MethodSource("fabricsAndModes")
    void oneThreadAtATimeRunsATenantsCallbacks(Fabric fabric, NodeMode mode) {
        try (NodePair nodes = pair(fabric, mode)) {
            AtomicInteger runs = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            Runnable watched = () -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                runs.incrementAndGet();
                Thread.yield();
                inside.decrementAndGet();
            };
            Tenant slow = nodes.server.tenant("slow");
            nodes.client.openResponder("echo").onRequest(r -> {
                if (r.reply(r.buffer(), r.offset(), r.length()) == SendResult.BACK_PRESSURED) {
                    r.again();
                }
            });
            String back = fabric.listen(nodes.client) + "/echo";
            Requester requester = slow.openRequester(new RequesterOptions()).pollOnNode();
            Channel calls = requester.connect(back, NodePair.TIMEOUT);
            AtomicInteger number = new AtomicInteger();
            slow.openInbox("first", new InboxOptions()).onMessage(m -> {
                watched.run();
                if (number.getAndIncrement() == 0) {
                    inside.incrementAndGet();
                    until(() -> slow.slowCallbacks() > 0);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5)); // for others to come in, if they could
                    inside.decrementAndGet();
                }
                if (requester.call(calls, buffer, 0, 8, NodePair.TIMEOUT, 0, r -> watched.run()) != SendResult.SENT) {
                    watched.run();
                }
            });
            slow.openInbox("second", new InboxOptions()).onMessage(m -> watched.run());
            AtomicInteger quick = new AtomicInteger();
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> quick.incrementAndGet());
            Channel first = nodes.client.connect(nodes.address + "first", NodePair.TIMEOUT);
            Channel second = nodes.client.connect(nodes.address + "second", NodePair.TIMEOUT);
            Channel toQuick = nodes.client.connect(nodes.address + "quick", NodePair.TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                send(nodes, first, i);
                send(nodes, second, i);
                send(nodes, toQuick, i);
            }
            nodes.await(() -> runs.get() == 3 * MESSAGES && quick.get() == MESSAGES);
            assertThat(most).as("callbacks of one tenant at a time").hasValue(1);
            assertThat(slow.slowCallbacks()).isPositive();
        }
    }

    /**
     * Answers to the neighbour's calls, and messages for its executor, come while another's callback holds the node's
     * thread.
     */
    @ParameterizedTest
    @EnumSource(
            value = NodeMode.class,
            names = {"ASSISTED", "THREAD"})
    void neitherDoTheNeighboursCallsAndExecutors(NodeMode mode) {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (NodePair nodes = pair(Fabric.LOCAL, mode)) {
            nodes.client.openResponder("echo").onRequest(r -> {
                if (r.reply(r.buffer(), r.offset(), r.length()) == SendResult.BACK_PRESSURED) {
                    r.again();
                }
            });
            Tenant quick = nodes.server.tenant("quick");
            Requester requester = quick.openRequester(new RequesterOptions()).pollOnNode();
            Channel calls = requester.connect(Fabric.LOCAL.listen(nodes.client) + "/echo", NodePair.TIMEOUT);
            quick.openInbox("quick", new InboxOptions()).onMessage(m -> neighbour.release(), executor);
            nodes.server.openInbox("slow", new InboxOptions().tenant("slow")).onMessage(this::slow);
            Channel toSlow = nodes.client.connect(nodes.address + "slow", NodePair.TIMEOUT);
            Channel toQuick = nodes.client.connect(nodes.address + "quick", NodePair.TIMEOUT);
            send(nodes, toSlow, 0);
            nodes.await(() -> inside.get() == 1);
            CompletableFuture<byte[]> answer = requester.call(calls, new byte[8], NodePair.TIMEOUT);
            nodes.await(answer::isDone);
            assertThat(inside).as("callbacks that are slow, still").hasValue(1);
            send(nodes, toQuick, 0);
            nodes.await(() -> waited.get() == 1);
        } finally {
            executor.shutdown();
        }
    }

    /** The engine goes on while a callback holds its thread, for one tenant too. */
    @Test
    void theEngineGoesOn() {
        try (NodePair nodes = pair(Fabric.LOCAL, NodeMode.THREAD)) {
            nodes.client.openInbox("in").onMessage(m -> neighbour.release());
            Channel out = nodes.server.connect(Fabric.LOCAL.listen(nodes.client) + "/in", NodePair.TIMEOUT);
            nodes.server.openInbox("slow", new InboxOptions().tenant("slow")).onMessage(this::slow);
            Channel toSlow = nodes.client.connect(nodes.address + "slow", NodePair.TIMEOUT);
            send(nodes, toSlow, 0);
            nodes.await(() -> inside.get() == 1);
            send(nodes, out, 0); // nobody but the node's thread sends, in this mode
            nodes.await(() -> waited.get() == 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneTenantAloneKeepsItsThread(NodeMode mode) {
        NodeContext context = Fabric.LOCAL.context(mode).callbackBound(BOUND);
        try (NodePair nodes = new NodePair(Fabric.LOCAL, context, Fabric.LOCAL.context(mode))) {
            assertThat(threadsOfSlowOnes(nodes, "default")).hasSize(1);
        }
    }

    /** Handlers of the application's channels run on the node's thread, and may share what callbacks use. */
    @Test
    void withChannelsOnItsEventLoopANodeRunsAllCallbacksItself() {
        try (NodePair nodes = pair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> {});
            nodes.server.eventLoop();
            assertThat(threadsOfSlowOnes(nodes, "slow")).hasSize(1);
        }
    }

    /** Has three callbacks be slow; returns the threads that ran them. */
    private Set<Thread> threadsOfSlowOnes(NodePair nodes, String tenant) {
        Tenant slow = nodes.server.tenant(tenant);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Inbox inbox = slow.openInbox("in", new InboxOptions());
        inbox.onMessage(m -> {
            until(() -> slow.slowCallbacks() > threads.size());
            threads.add(Thread.currentThread());
        });
        Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
        for (int i = 0; i < 3; i++) {
            int number = i;
            send(nodes, channel, i);
            nodes.await(() ->
                    threads.size() == number + 1 && inbox.messages() == number + 1); // the next is not its batch's
        }
        assertThat(slow.slowCallbacks()).isEqualTo(3);
        return Set.copyOf(threads);
    }

    /** On a thread of its own a callback is refused what it is refused on the node's, and may close the node. */
    @Test
    void aCallbackThatIsAwayIsStillOne() {
        try (NodePair nodes = pair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Tenant slow = nodes.server.tenant("slow");
            AtomicReference<Throwable> refused = new AtomicReference<>();
            slow.openInbox("in", new InboxOptions()).onMessage(m -> {
                if (!Thread.currentThread().getName().startsWith("verbena-callbacks")) {
                    until(() -> slow.slowCallbacks() > 0);
                    return;
                }
                refused.set(catchThrowable(() -> nodes.server.connect("local:x/y", NodePair.TIMEOUT)));
                nodes.server.close();
                inside.incrementAndGet();
            });
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> {});
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            send(nodes, channel, 0);
            send(nodes, channel, 1);
            nodes.await(() -> inside.get() == 1 && !channel.isConnected());
            assertThat(refused.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("callback");
        }
    }

    /** One that was sent away for another's sake stays away if it is slow there itself. */
    @Test
    void whoIsSlowOnItsOwnThreadStaysThere() {
        try (NodePair nodes = pair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            List<String> threads = new CopyOnWriteArrayList<>();
            Tenant quick = nodes.server.tenant("quick");
            nodes.server.openInbox("slow", new InboxOptions().tenant("slow")).onMessage(this::slow);
            quick.openInbox("quick", new InboxOptions()).onMessage(m -> {
                until(() -> quick.slowCallbacks() > 0);
                threads.add(Thread.currentThread().getName());
            });
            Channel toSlow = nodes.client.connect(nodes.address + "slow", NodePair.TIMEOUT);
            Channel toQuick = nodes.client.connect(nodes.address + "quick", NodePair.TIMEOUT);
            send(nodes, toSlow, 0);
            nodes.await(() -> inside.get() == 1);
            send(nodes, toQuick, 0);
            nodes.await(() -> threads.size() == 1);
            neighbour.release();
            nodes.await(() -> waited.get() == 1);
            send(nodes, toQuick, 1);
            nodes.await(() -> threads.size() == 2);
            assertThat(threads).containsOnly("verbena-callbacks-quick");
        }
    }

    /** Whoever lends the event loop has all callbacks on one thread from then on, also those that are away. */
    @Test
    void callbacksComeBackWhenTheEventLoopIsLent() {
        try (NodePair nodes = pair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Tenant slow = nodes.server.tenant("slow");
            List<String> threads = new CopyOnWriteArrayList<>();
            slow.openInbox("in", new InboxOptions()).onMessage(m -> {
                until(() -> slow.slowCallbacks() > 0);
                threads.add(Thread.currentThread().getName());
            });
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> {});
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            for (int i = 0; i < 2 * MESSAGES; i++) {
                int number = i;
                send(nodes, channel, i);
                nodes.await(() -> threads.size() == number + 1);
                if (i == MESSAGES) {
                    nodes.server.eventLoop();
                }
            }
            assertThat(threads.subList(1, MESSAGES)).containsOnly("verbena-callbacks-slow");
            assertThat(threads.get(2 * MESSAGES - 1)).isEqualTo(threads.get(0));
        }
    }

    /** A call ends with its node, though another callback of its tenant runs while that closes. */
    @Test
    void callsEndThatCannotBeToldAtOnce() throws InterruptedException {
        try (NodePair nodes = pair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            String client = Fabric.LOCAL.listen(nodes.client);
            Tenant slow = nodes.server.tenant("slow");
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> {});
            nodes.client.openInbox("mute");
            nodes.client.openResponder("echo").onRequest(r -> r.reply(r.buffer(), r.offset(), r.length()));
            AtomicReference<Outcome> outcome = new AtomicReference<>();
            Requester first = slow.openRequester(new RequesterOptions()).pollOnNode();
            Requester second = slow.openRequester(new RequesterOptions()).pollOnNode();
            Channel mute = first.connect(client + "/mute", NodePair.TIMEOUT);
            Channel echo = second.connect(client + "/echo", NodePair.TIMEOUT);
            assertThat(first.call(mute, buffer, 0, 8, Duration.ofMinutes(5), 0, r -> outcome.set(r.outcome())))
                    .isEqualTo(SendResult.SENT);
            AtomicInteger told = new AtomicInteger();
            second.call(echo, buffer, 0, 8, NodePair.TIMEOUT, 0, r -> {
                until(() -> slow.slowCallbacks() > 0);
                told.incrementAndGet();
            });
            nodes.await(() -> told.get() == 1);
            AtomicReference<Thread> own = new AtomicReference<>();
            second.call(echo, buffer, 0, 8, NodePair.TIMEOUT, 0, r -> {
                own.set(Thread.currentThread());
                until(() -> neighbour.availablePermits() > 0);
            });
            nodes.await(() -> own.get() != null);
            Thread closer = new Thread(nodes.server::close);
            closer.start();
            nodes.await(() -> waitsForCallbacks(closer));
            neighbour.release();
            closer.join(NodePair.TIMEOUT.toMillis());
            assertThat(closer.isAlive()).isFalse();
            assertThat(outcome).hasValue(Outcome.CLOSED);
            own.get().join(NodePair.TIMEOUT.toMillis());
            assertThat(own.get().isAlive())
                    .as("the tenant's thread after the node")
                    .isFalse();
        }
    }

    private static boolean waitsForCallbacks(Thread closer) {
        return Arrays.stream(closer.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(Turns.class.getName())
                        && frame.getMethodName().equals("end"));
    }

    /** Waits for the callback, which nothing follows. */
    @Test
    void aNodeClosesWhileTheGuardStandsIn() throws InterruptedException {
        NodePair nodes = pair(Fabric.LOCAL, NodeMode.ASSISTED);
        try (nodes) {
            nodes.server.openInbox("slow", new InboxOptions().tenant("slow")).onMessage(this::slow);
            nodes.server.openInbox("quick", new InboxOptions().tenant("quick")).onMessage(m -> {});
            Channel toSlow = nodes.client.connect(nodes.address + "slow", NodePair.TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                send(nodes, toSlow, i);
            }
            nodes.await(() -> nodes.server.tenant("slow").slowCallbacks() > 0);
            Thread closer = new Thread(nodes.server::close);
            closer.start();
            nodes.await(() -> !toSlow.isConnected() || nodes.server.isClosing());
            neighbour.release(MESSAGES); // and so they return
            closer.join(NodePair.TIMEOUT.toMillis());
            assertThat(closer.isAlive()).isFalse();
            assertThat(inside).as("callbacks that run after close").hasValue(0);
            assertThat(came).isSorted();
        }
    }

    private static void until(BooleanSupplier condition) {
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(NodePair.TIMEOUT)
                .until(condition::getAsBoolean);
    }

    @Test
    void aBoundHasAMinimum() {
        assertThatThrownBy(() -> new NodeContext().callbackBound(Duration.ofMillis(1)))
                .hasMessageContaining("minimum 4 ms");
    }
}
