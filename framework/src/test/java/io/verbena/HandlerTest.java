package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that cannot take a message now, that run elsewhere, and senders that wait for room. */
@Timeout(180)
class HandlerTest {
    private static final int MESSAGES = 2_000;
    private static final InboxOptions SMALL =
            new InboxOptions().chunkLength(64 << 10).maxMessage(40 << 10).memoryLimit(512 << 10);

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[40 << 10]);

    /** Inline, staged, and with a mapping of its own. */
    private static int length(int number) {
        return number % 50 == 0 ? 30 << 10 : number % 2 == 0 ? 32 : 1000;
    }

    private SendResult offer(Channel channel, int number) {
        message.putInt(0, number);
        message.putInt(length(number) - 4, number);
        return channel.offer(message, 0, length(number));
    }

    private static int number(Message m) {
        int number = m.buffer().getInt(m.offset());
        assertThat(m.length()).isEqualTo(length(number));
        assertThat(m.buffer().getInt(m.offset() + m.length() - 4)).isEqualTo(number);
        return number;
    }

    private enum Taker {
        CALLBACK,
        EXECUTOR,
        POLL,
        CONSUMER
    }

    @ParameterizedTest
    @EnumSource
    void aMessageThatIsLeftComesAgain(Taker taker) {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            List<Integer> taken = Collections.synchronizedList(new ArrayList<>());
            AtomicInteger tries = new AtomicInteger();
            MessageHandler handler = m -> {
                int number = number(m);
                if (tries.incrementAndGet() % 3 == 0) {
                    taken.add(number);
                } else {
                    m.again();
                    assertThatThrownBy(m::hold).isInstanceOf(IllegalStateException.class);
                }
            };
            Inbox inbox = nodes.server.openInbox("in", SMALL);
            InboxConsumer consumer = taker == Taker.CONSUMER ? inbox.consumer() : null;
            if (taker == Taker.CALLBACK) {
                inbox.onMessage(handler);
            } else if (taker == Taker.EXECUTOR) {
                inbox.onMessage(handler, executor);
            }
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                int number = i;
                nodes.await(() -> poll(taker, inbox, consumer, handler) && offer(channel, number) == SendResult.SENT);
            }
            nodes.await(() -> poll(taker, inbox, consumer, handler) && taken.size() == MESSAGES);
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(taken.get(i)).isEqualTo(i);
            }
            assertThat(tries).hasValue(3 * MESSAGES);
            nodes.await(() -> inbox.messages() == MESSAGES && inbox.depth() == 0);
        } finally {
            executor.shutdownNow();
        }
    }

    private static boolean poll(Taker taker, Inbox inbox, InboxConsumer consumer, MessageHandler handler) {
        if (taker == Taker.POLL) {
            inbox.poll(handler, 10);
        } else if (taker == Taker.CONSUMER) {
            consumer.poll(handler, 10);
        }
        return true;
    }

    @Test
    void onlyAMessageThatIsThereIsLeft() {
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = nodes.server.openInbox("in", SMALL);
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            assertThat(offer(channel, 0)).isEqualTo(SendResult.SENT);
            assertThat(offer(channel, 1)).isEqualTo(SendResult.SENT);
            List<Message> kept = new ArrayList<>();
            nodes.await(() -> inbox.poll(
                            m -> {
                                kept.add(m);
                                HeldMessage held = m.hold();
                                assertThatThrownBy(m::again).isInstanceOf(IllegalStateException.class);
                                held.release();
                            },
                            1)
                    == 1);
            assertThatThrownBy(() -> kept.get(0).again()).isInstanceOf(IllegalStateException.class);
            nodes.await(() -> !inbox.isEmpty());
            assertThatThrownBy(() -> inbox.poll(
                            m -> {
                                m.again();
                                throw new IllegalArgumentException("after it was left, for the test");
                            },
                            1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(inbox.isEmpty()).isTrue(); // it has consumed it
        }
    }

    /** The echo of the README, and more questions than there is room for answers. */
    @ParameterizedTest
    @EnumSource
    void anEchoLosesNothing(Fabric fabric) throws InterruptedException {
        int clients = 4;
        int each = 5_000;
        try (NodePair nodes = new NodePair(fabric, NodeMode.ASSISTED)) {
            AtomicLong again = new AtomicLong();
            nodes.server.openInbox("echo").onMessage(m -> {
                if (m.channel().offer(m.buffer(), m.offset(), m.length()) == SendResult.BACK_PRESSURED) {
                    m.again();
                    again.incrementAndGet();
                }
            });
            List<Thread> flooders = new ArrayList<>();
            AtomicInteger sound = new AtomicInteger();
            for (int c = 0; c < clients; c++) {
                Inbox answers = nodes.client.openInbox("answers" + c, SMALL);
                Channel echo = nodes.client.connect(nodes.address + "echo", answers, NodePair.TIMEOUT);
                flooders.add(new Thread(() -> sound.addAndGet(flood(echo, answers, each))));
            }
            flooders.forEach(Thread::start);
            for (Thread flooder : flooders) {
                flooder.join();
            }
            assertThat(again.get()).as("answers that met back pressure").isPositive();
            assertThat(sound).as("clients that got all answers in order").hasValue(clients);
        }
    }

    /** @return 1 if all came back */
    private static int flood(Channel echo, Inbox answers, int count) {
        UnsafeBuffer question = new UnsafeBuffer(new byte[1000]);
        int[] came = new int[1];
        MessageHandler handler = m -> came[0] += m.buffer().getInt(m.offset()) == came[0] ? 1 : count;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        for (int i = 0; i < count; ) {
            question.putInt(0, i);
            if (echo.offer(question, 0, 1000) == SendResult.SENT) {
                i++;
            } else if (System.nanoTime() - deadline > 0) {
                return 0;
            } else {
                answers.poll(handler, 1); // slower than it could
            }
        }
        while (came[0] < count && System.nanoTime() - deadline < 0) {
            answers.poll(handler, 100);
        }
        return came[0] == count ? 1 : 0;
    }

    @ParameterizedTest
    @EnumSource
    void aSenderIsToldWhenThereIsRoom(Fabric fabric) {
        try (NodePair nodes = new NodePair(fabric, NodeMode.ASSISTED)) {
            Inbox inbox = nodes.server.openInbox("in", SMALL);
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            int[] next = new int[1]; // of the client's thread
            AtomicInteger told = new AtomicInteger();
            AtomicBoolean closed = new AtomicBoolean();
            Runnable sender = () -> {
                SendResult result = SendResult.SENT;
                while (next[0] < 3 * MESSAGES && result == SendResult.SENT) {
                    result = offer(channel, next[0]);
                    next[0] += result == SendResult.SENT ? 1 : 0;
                }
                closed.set(result == SendResult.CLOSED);
            };
            channel.onReady(() -> {
                told.incrementAndGet();
                sender.run();
            });
            nodes.client.execute(sender);
            List<Integer> came = new ArrayList<>();
            nodes.await(() -> inbox.poll(m -> came.add(number(m)), 100) >= 0 && came.size() == 3 * MESSAGES);
            for (int i = 0; i < came.size(); i++) {
                assertThat(came.get(i)).isEqualTo(i);
            }
            assertThat(told.get()).isPositive();
            next[0] = Integer.MIN_VALUE; // an endless sender, and nobody takes anything
            nodes.client.execute(() -> {
                next[0] = 0;
                sender.run();
            });
            nodes.await(() -> inbox.statistics().rnr() > 0 || channel.outstanding() > 0);
            nodes.closeServer();
            nodes.await(closed::get);
        }
    }

    @Test
    void aHandlerOnAnExecutorHoldsUpNobody() throws InterruptedException {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            CountDownLatch neighbour = new CountDownLatch(1);
            AtomicInteger waited = new AtomicInteger();
            Inbox slow = nodes.server.openInbox("slow");
            slow.onMessage(
                    m -> {
                        try {
                            if (neighbour.await(20, TimeUnit.SECONDS)) {
                                waited.incrementAndGet();
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    executor);
            nodes.server.openInbox("quick").onMessage(m -> neighbour.countDown());
            assertThatThrownBy(() -> slow.poll(m -> {}, 1)).hasMessageContaining("polled by its node");
            assertThatThrownBy(() -> slow.onMessage(m -> {})).hasMessageContaining("has a callback already");
            assertThatThrownBy(slow::consumer).hasMessageContaining("polled by its node");
            Channel toSlow = nodes.client.connect(nodes.address + "slow", NodePair.TIMEOUT);
            Channel toQuick = nodes.client.connect(nodes.address + "quick", NodePair.TIMEOUT);
            assertThat(offer(toSlow, 1)).isEqualTo(SendResult.SENT);
            nodes.await(() -> toSlow.outstanding() == 0);
            assertThat(offer(toQuick, 1)).isEqualTo(SendResult.SENT);
            nodes.await(() -> waited.get() == 1);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void anExecutorThatRejectsIsAskedAgain() {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            AtomicInteger asked = new AtomicInteger();
            List<Integer> taken = Collections.synchronizedList(new ArrayList<>());
            nodes.server.openInbox("in", SMALL).onMessage(m -> taken.add(number(m)), task -> {
                if (asked.incrementAndGet() <= 3) {
                    throw new RejectedExecutionException("full, for the test");
                }
                executor.execute(task);
            });
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                int number = i;
                nodes.await(() -> offer(channel, number) == SendResult.SENT);
            }
            nodes.await(() -> taken.size() == MESSAGES);
            assertThat(asked.get()).isGreaterThan(3);
            assertThat(taken).isSorted();
        } finally {
            executor.shutdownNow();
        }
    }

    /** Closing an inbox or its node waits for a handler that is running: its memory stays until then. */
    @Test
    void aHandlerOnAnExecutorEndsBeforeItsNode() throws InterruptedException {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        AtomicInteger read = new AtomicInteger(-1);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        try (NodePair nodes = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = nodes.server.openInbox("in", SMALL);
            inbox.onMessage(
                    m -> {
                        inside.countDown();
                        try {
                            if (closing.await(20, TimeUnit.SECONDS)) {
                                TimeUnit.MILLISECONDS.sleep(200);
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        read.set(number(m));
                    },
                    executor);
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            assertThat(offer(channel, 7)).isEqualTo(SendResult.SENT);
            assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
            inbox.close();
            closing.countDown();
            nodes.closeServer();
            assertThat(read).hasValue(7);
        } finally {
            executor.shutdownNow();
        }
    }
}
