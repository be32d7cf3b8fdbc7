package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two threads where one at a time may be: the second one is told, and nothing breaks. */
@Timeout(180)
class TwoThreadsTest {
    private static final int THREADS = 2;
    private static final int MESSAGES = 20_000; // a thread

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource
    void theSecondSenderIsTold(Fabric fabric) throws Exception {
        try (NodePair nodes = new NodePair(fabric, NodeMode.ASSISTED)) {
            Received received = new Received();
            nodes.server.openInbox("in", new InboxOptions().maxMessage(4096)).onMessage(received::add);
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            Channel neighbour = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            List<IllegalStateException> told = new ArrayList<>();
            AtomicBoolean stop = new AtomicBoolean();
            long[] sent = runSenders(thread -> {
                long count = 0;
                UnsafeBuffer buffer = new UnsafeBuffer(new byte[1000]);
                long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
                while (!stop.get() && System.nanoTime() - deadline < 0) {
                    try {
                        count += offer(channel, buffer, thread, count) == SendResult.SENT ? 1 : 0;
                    } catch (IllegalStateException e) {
                        synchronized (told) {
                            told.add(e);
                        }
                        stop.set(true);
                    }
                }
                return count;
            });
            assertThat(told).isNotEmpty();
            assertThat(told.get(0))
                    .hasMessageContaining(channel.toString())
                    .hasMessageContaining("one thread at a time")
                    .hasMessageContaining("concurrent(true)");
            received.await(sent);
            assertThat(channel.isConnected()).isTrue();
            assertThat(neighbour.offer(new UnsafeBuffer(new byte[8]), 0, 0)).isEqualTo(SendResult.SENT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConcurrentChannelTakesAll(Fabric fabric) throws Exception {
        try (NodePair nodes = new NodePair(fabric, NodeMode.ASSISTED)) {
            Received received = new Received();
            nodes.server.openInbox("in", new InboxOptions().maxMessage(4096)).onMessage(received::add);
            Channel channel = nodes.client
                    .tenants()
                    .defaultTenant()
                    .connect(nodes.address + "in", null, new ChannelOptions().concurrent(true), NodePair.TIMEOUT);
            long[] sent = runSenders(thread -> {
                UnsafeBuffer buffer = new UnsafeBuffer(new byte[1000]);
                for (int i = 0; i < MESSAGES; i++) {
                    int number = i;
                    await(() -> offer(channel, buffer, thread, number) == SendResult.SENT);
                }
                return MESSAGES;
            });
            received.await(sent);
        }
    }

    @Test
    void aClaimIsItsThreads() throws Throwable {
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            nodes.server.openInbox("in").onMessage(message -> {});
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
            assertThat(channel.tryClaim(8)).isNotNegative();
            assertThatThrownBy(() -> channel.offer(buffer, 0, 8)).hasMessageContaining("a claim of 8 bytes is open");
            assertThatThrownBy(() -> inOther(() -> channel.offer(buffer, 0, 8)))
                    .hasMessageContaining("one thread at a time")
                    .hasMessageContaining(Thread.currentThread().getName());
            channel.flush();
            assertThat(channel.commit()).isEqualTo(SendResult.SENT);
            assertThat(inOther(() -> channel.offer(buffer, 0, 8))).isEqualTo(SendResult.SENT);
        }
    }

    /** It may be putting a message behind those that are to leave. */
    @ParameterizedTest
    @EnumSource
    void aFlushWaitsForAnotherThreadsClaim(Fabric fabric) throws Exception {
        try (NodePair nodes =
                new NodePair(fabric, fabric.context(NodeMode.ASSISTED), fabric.context(NodeMode.INVOKER))) {
            AtomicLong came = new AtomicLong();
            nodes.server.openInbox("in").onMessage(message -> came.incrementAndGet());
            Channel channel = nodes.client
                    .tenants()
                    .defaultTenant()
                    .connect(nodes.address + "in", null, new ChannelOptions().concurrent(true), NodePair.TIMEOUT);
            assertThat(channel.enqueue(new UnsafeBuffer(new byte[8]), 0, 8)).isEqualTo(SendResult.SENT);
            CountDownLatch flushed = new CountDownLatch(1);
            Future<Integer> other = claimUntil(flushed, channel);
            for (int i = 0; i < 3; i++) {
                channel.flush();
            }
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
            nodes.await(() -> System.nanoTime() - end > 0);
            assertThat(came).as("while the claim is open").hasValue(0);
            flushed.countDown();
            assertThat(other.get(1, TimeUnit.MINUTES)).isNotNegative();
            nodes.await(() -> came.get() == 1);
        }
    }

    /** Nobody does the client's turns meanwhile; its sockets would be for who does. */
    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "SHM"})
    void whoGivesItsClaimUpFlushesForOthers(Fabric fabric) throws Exception {
        try (NodePair nodes =
                new NodePair(fabric, fabric.context(NodeMode.ASSISTED), fabric.context(NodeMode.INVOKER))) {
            AtomicLong came = new AtomicLong();
            nodes.server.openInbox("in").onMessage(message -> came.incrementAndGet());
            Channel channel = nodes.client
                    .tenants()
                    .defaultTenant()
                    .connect(nodes.address + "in", null, new ChannelOptions().concurrent(true), NodePair.TIMEOUT);
            assertThat(channel.enqueue(new UnsafeBuffer(new byte[8]), 0, 8)).isEqualTo(SendResult.SENT);
            CountDownLatch flushed = new CountDownLatch(1);
            Future<Integer> other = claimUntil(flushed, channel);
            channel.flush();
            flushed.countDown();
            assertThat(other.get(1, TimeUnit.MINUTES)).isNotNegative();
            await(() -> came.get() == 1);
        }
    }

    /** Who puts a message there without sending it flushes for nobody: the node does. */
    @ParameterizedTest
    @EnumSource
    void aFlushWaitsForAnotherThreadsMessage(Fabric fabric) throws Exception {
        try (NodePair nodes =
                new NodePair(fabric, fabric.context(NodeMode.ASSISTED), fabric.context(NodeMode.INVOKER))) {
            AtomicLong came = new AtomicLong();
            nodes.server.openInbox("in").onMessage(message -> came.incrementAndGet());
            Channel channel = nodes.client
                    .tenants()
                    .defaultTenant()
                    .connect(nodes.address + "in", null, new ChannelOptions().concurrent(true), NodePair.TIMEOUT);
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch flushed = new CountDownLatch(1);
            Future<SendResult> other = threads.submit(() -> channel.enqueue(readAfter(inside, flushed), 0, 8));
            awaitLatch(inside);
            channel.flush();
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
            nodes.await(() -> System.nanoTime() - end > 0);
            assertThat(came).as("while another thread is inside").hasValue(0);
            flushed.countDown();
            assertThat(other.get(1, TimeUnit.MINUTES)).isEqualTo(SendResult.SENT);
            nodes.await(() -> came.get() == 1);
        }
    }

    /** A buffer whose first reader says so, and waits. */
    private static DirectBuffer readAfter(CountDownLatch inside, CountDownLatch then) {
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        return (DirectBuffer) Proxy.newProxyInstance(
                DirectBuffer.class.getClassLoader(),
                new Class<?>[] {DirectBuffer.class},
                (proxy, method, arguments) -> {
                    inside.countDown();
                    awaitLatch(then);
                    return method.invoke(bytes, arguments);
                });
    }

    /** Another thread has a claim open, and gives it up then. */
    private Future<Integer> claimUntil(CountDownLatch then, Channel channel) throws InterruptedException {
        CountDownLatch claimed = new CountDownLatch(1);
        Future<Integer> other = threads.submit(() -> {
            int at = channel.tryClaim(8);
            claimed.countDown();
            awaitLatch(then);
            channel.abortClaim();
            return at;
        });
        awaitLatch(claimed);
        return other;
    }

    @Test
    void theSecondPollerOfAnInboxIsTold() throws Exception {
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = nodes.server.openInbox("in");
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            assertThat(channel.offer(new UnsafeBuffer(new byte[8]), 0, 8)).isEqualTo(SendResult.SENT);
            assertThat(inbox.await(NodePair.TIMEOUT)).isTrue();
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch told = new CountDownLatch(1);
            Future<Integer> first = threads.submit(() -> inbox.poll(
                    message -> {
                        inside.countDown();
                        awaitLatch(told);
                    },
                    1));
            awaitLatch(inside);
            try {
                assertThatThrownBy(() -> inbox.poll(message -> {}, 1))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("one thread at a time");
                assertThat(inbox.isEmpty()).isFalse(); // an answer, from what any thread may read
            } finally {
                told.countDown();
            }
            assertThat(first.get(1, TimeUnit.MINUTES)).isEqualTo(1);
            assertThat(inbox.isEmpty()).isTrue();
        }
    }

    @Test
    void theSecondCallerOfARequesterIsTold() throws Exception {
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            nodes.server.openResponder("echo").onRequest(r -> r.reply(r.buffer(), r.offset(), r.length()));
            Requester requester = nodes.client.openRequester().pollOnNode();
            Channel channel = requester.connect(nodes.address + "echo", NodePair.TIMEOUT);
            AtomicLong ended = new AtomicLong();
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[1000]);
            long began = untilTold(
                    () -> requester.call(channel, buffer, 0, 1000, NodePair.TIMEOUT, 0, r -> ended.incrementAndGet()));
            await(() -> ended.get() == began);
        }
    }

    @Test
    void theSecondPosterOfARegionIsTold() throws Exception {
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            nodes.server.share("table", 8);
            RemoteRegion region = nodes.client
                    .attach(nodes.address + "table", NodePair.TIMEOUT)
                    .pollOnNode();
            AtomicLong ended = new AtomicLong();
            long posted = untilTold(() -> region.fetchAndAdd(0, 1, 0, (id, outcome, value) -> ended.incrementAndGet()));
            await(() -> ended.get() == posted);
            assertThat(region.isConnected()).isTrue();
        }
    }

    /** Two threads at something until one is told. @return how often it was done */
    private long untilTold(java.util.function.Supplier<SendResult> post) throws Exception {
        AtomicBoolean told = new AtomicBoolean();
        long[] done = runSenders(thread -> {
            long count = 0;
            long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
            while (!told.get() && System.nanoTime() - deadline < 0) {
                try {
                    count += post.get() == SendResult.SENT ? 1 : 0;
                } catch (IllegalStateException e) {
                    assertThat(e).hasMessageContaining("one thread at a time");
                    told.set(true);
                }
            }
            return count;
        });
        assertThat(told).isTrue();
        return done[0] + done[1];
    }

    private static SendResult offer(Channel channel, UnsafeBuffer buffer, int thread, long number) {
        int length = 16 + (int) (number * 37 % 900); // inline and staged ones
        buffer.setMemory(0, length, (byte) (thread + number));
        buffer.putInt(0, thread);
        buffer.putLong(8, number);
        return number % 3 == 0 ? channel.offer(buffer.byteArray(), 0, length) : channel.offer(buffer, 0, length);
    }

    private interface Sender {
        long send(int thread) throws Exception;
    }

    private long[] runSenders(Sender sender) throws Exception {
        List<Future<Long>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            running.add(threads.submit(() -> sender.send(thread)));
        }
        long[] counts = new long[THREADS];
        for (int i = 0; i < THREADS; i++) {
            counts[i] = running.get(i).get(1, TimeUnit.MINUTES);
        }
        return counts;
    }

    private <T> T inOther(java.util.concurrent.Callable<T> task) throws Throwable {
        try {
            return threads.submit(task).get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            Thread.onSpinWait();
        }
    }

    /** What has come of each thread: all of it, whole, in its order. */
    private static final class Received {
        private final AtomicLong[] next = {new AtomicLong(), new AtomicLong()};
        private final CompletableFuture<String> fault = new CompletableFuture<>();

        void add(Message message) {
            if (message.length() == 0) {
                return;
            }
            int thread = message.buffer().getInt(message.offset());
            long number = message.buffer().getLong(message.offset() + 8);
            if (thread < 0 || thread >= THREADS || number != next[thread].get()) {
                fault.complete("message " + number + " of thread " + thread);
                return;
            }
            int length = 16 + (int) (number * 37 % 900);
            byte filler = (byte) (thread + number);
            boolean sound = message.length() == length && message.buffer().getByte(message.offset() + 4) == filler;
            for (int i = 16; i < length && sound; i++) {
                sound = message.buffer().getByte(message.offset() + i) == filler;
            }
            if (!sound) {
                fault.complete("content of message " + number + " of thread " + thread);
            }
            next[thread].incrementAndGet();
        }

        void await(long[] sent) {
            TwoThreadsTest.await(() -> fault.isDone() || (next[0].get() == sent[0] && next[1].get() == sent[1]));
            assertThat(fault.getNow("none")).isEqualTo("none");
        }
    }

    /** Whoever only looks whether there is something is no second thread to the one that polls, nor holds it up. */
    @Test
    void lookingIsNotPolling() throws Exception {
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = nodes.server.openInbox("in");
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            AtomicBoolean stop = new AtomicBoolean();
            List<Future<Long>> looking = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                looking.add(threads.submit(() -> {
                    long found = 0;
                    while (!stop.get()) {
                        found += inbox.isEmpty() ? 0 : 1;
                    }
                    return found;
                }));
            }
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
            int sent = 0;
            int taken = 0;
            long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
            while (taken < 10 * MESSAGES && System.nanoTime() - deadline < 0) {
                if (sent - taken < 64 && channel.offer(buffer, 0, 64) == SendResult.SENT) {
                    sent++;
                }
                taken += inbox.poll(m -> {}, 16); // throws if it is told of another thread
            }
            stop.set(true);
            for (Future<Long> one : looking) {
                one.get(10, TimeUnit.SECONDS);
            }
            assertThat(taken).isPositive();
        }
    }
}
