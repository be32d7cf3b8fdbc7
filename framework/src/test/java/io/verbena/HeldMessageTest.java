package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.append.AppendQueueStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that outlive their handler, and several consumers of one inbox. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class HeldMessageTest {
    private static final int CHUNK = 64 << 10;

    private static InboxOptions small() {
        return new InboxOptions().chunkLength(CHUNK).reserveChunks(2).surplus(Duration.ofMillis(50));
    }

    private static UnsafeBuffer message(int number, int length) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[length]);
        message.setMemory(0, length, (byte) number);
        message.putInt(0, number);
        return message;
    }

    private static boolean isWhole(DirectBuffer buffer, int offset, int length, int number) {
        if (buffer.getInt(offset) != number) {
            return false;
        }
        for (int i = 4; i < length; i++) {
            if (buffer.getByte(offset + i) != (byte) number) {
                return false;
            }
        }
        return true;
    }

    private static void send(NodePair pair, Channel channel, int number, int length) {
        UnsafeBuffer message = message(number, length);
        pair.await(() -> channel.offer(message, 0, length, number) != SendResult.BACK_PRESSURED);
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void aHeldMessageStaysWhileTheInboxGoesOn(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in", small());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            List<HeldMessage> held = new ArrayList<>();
            int large = 100_000; // with a mapping of its own
            int[] taken = new int[1];
            for (int number = 0; number < 2000; number++) {
                int length = number == 1000 ? large : 1000;
                send(pair, channel, number, length);
                pair.await(() -> inbox.poll(
                                m -> {
                                    assertThat(m.immediate()).isEqualTo(taken[0]++);
                                    if (m.immediate() == 3 || m.immediate() == 1000) {
                                        held.add(m.hold());
                                        assertThatIllegalStateException().isThrownBy(m::hold);
                                    }
                                },
                                1)
                        == 1);
            }
            assertThat(held).hasSize(2).doesNotContainNull();
            AppendQueueStatistics with = inbox.statistics();
            assertThat(with.heldRecords()).isEqualTo(2);
            assertThat(with.heldBytes()).isBetween(101_000L, 101_100L);
            for (HeldMessage message : held) {
                assertThat(isWhole(message.buffer(), message.offset(), message.length(), message.immediate()))
                        .isTrue();
                assertThat(message.inbox()).isSameAs(inbox);
                assertThat(message.channel()).isNotNull();
                assertThat(message.isHeld()).isTrue();
            }
            assertThat(held.get(1).length()).isEqualTo(large);
            held.get(1).close();
            held.get(0).release();
            assertThat(held.get(0).isHeld()).isFalse();
            assertThatIllegalStateException().isThrownBy(held.get(0)::release);
            pair.await(() -> inbox.statistics().heldChunks() == 0 && inbox.footprint() <= 3 * CHUNK);
            assertThat(inbox.statistics().heldRecords()).isZero();
        }
    }

    @Test
    void asManyAreHeldAsMayBe() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in", small().maxHeld(3));
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            List<HeldMessage> held = new ArrayList<>();
            for (int number = 0; number < 5; number++) {
                send(pair, channel, number, 100);
                pair.await(() -> inbox.poll(m -> held.add(m.hold()), 1) == 1);
            }
            assertThat(held.subList(0, 3)).doesNotContainNull();
            assertThat(held.subList(3, 5)).containsOnlyNulls();
            HeldMessage first = held.get(0);
            first.release();
            send(pair, channel, 9, 100);
            pair.await(() -> inbox.poll(m -> held.add(m.hold()), 1) == 1);
            assertThat(held.get(5)).as("used again").isSameAs(first);
            assertThat(held.get(5).immediate()).isEqualTo(9);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InboxOptions().maxHeld(0))
                .withMessage("max held 0 outside 1..1048576");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"LOCAL", "SHM"})
    void whatIsHeldOutlivesItsInboxAndItsNode(Fabric fabric) {
        HeldMessage last;
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in", small());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            List<HeldMessage> held = new ArrayList<>();
            for (int number = 0; number < 2; number++) {
                send(pair, channel, number, 5000);
                pair.await(() -> inbox.poll(m -> held.add(m.hold()), 1) == 1);
            }
            HeldMessage first = held.get(0);
            last = held.get(1);
            inbox.close();
            assertThat(isWhole(first.buffer(), first.offset(), 5000, 0)).isTrue();
            first.release();
        }
        assertThat(isWhole(last.buffer(), last.offset(), 5000, 1)).isTrue();
        last.release();
        assertThat(last.isHeld()).isFalse();
    }

    @Test
    void whatAConsumerLeftInMidBatchGoesWithItsInbox() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in", small());
            InboxConsumer consumer = inbox.consumer();
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            for (int number = 0; number < 5; number++) {
                send(pair, channel, number, 100);
            }
            pair.await(() -> inbox.statistics().depth() >= 5 * 100);
            assertThatIllegalStateException()
                    .isThrownBy(() -> consumer.poll(
                            m -> {
                                throw new IllegalStateException("no");
                            },
                            5))
                    .withMessage("no");
            assertThat(inbox.statistics().heldRecords()).isPositive();
            inbox.close();
            pair.await(() -> inbox.statistics().heldRecords() == 0 && inbox.footprint() == 0);
            assertThat(consumer.poll(m -> {}, 5)).isZero();
        }
    }

    @Test
    void optionsCanBeModifiedAndAreChecked() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in", small());
            inbox.modify(small().reserveChunks(5).memoryLimit(64 << 20).holeTimeout(Duration.ofMillis(5)));
            pair.await(() -> inbox.footprint() == 6 * CHUNK);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> inbox.modify(small().chunkLength(2 * CHUNK)))
                    .withMessageContaining("chunk length " + 2 * CHUNK);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> inbox.modify(small().maxHeld(7)))
                    .withMessageContaining("max held 7 wanted, is 4096");
            Inbox sized = pair.server.openInbox(
                    "sized",
                    new InboxOptions()
                            .maxMessage(1024)
                            .lineRate(56_000_000_000L, Duration.ofMillis(1))
                            .load(4.3e6, Duration.ofNanos(3_907_000), 231));
            assertThat(sized.footprint()).isEqualTo(8 << 20);
            Inbox measured = pair.server.openInbox("measured", small().measured(true));
            assertThat(measured.statistics().allocationP99Nanos()).isPositive();
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            pair.server.openInbox("bad", small().measured(true).lowWatermark(1)))
                    .withMessageContaining("low watermark 1");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new NodeContext().chunksPerInbox(5))
                .withMessage("chunksPerInbox 5 is not a power of two; next is 8");
    }

    /** Whole, and after the last one that this consumer took. */
    private static void taken(Message m, int[] last, AtomicIntegerArray times) {
        assertThat(m.immediate()).isGreaterThan(last[0]);
        last[0] = m.immediate();
        assertThat(isWhole(m.buffer(), m.offset(), m.length(), m.immediate())).isTrue();
        times.incrementAndGet(m.immediate());
        if (m.immediate() % 50 == 0) {
            HeldMessage held = m.hold();
            assertThat(held.immediate()).isEqualTo(m.immediate());
            held.release();
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void severalConsumersTakeEachMessageOnce(Fabric fabric) throws InterruptedException {
        int messages = 20_000;
        int consumers = 3;
        AtomicIntegerArray times = new AtomicIntegerArray(messages);
        AtomicInteger seen = new AtomicInteger();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in", small());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            List<Thread> threads = new ArrayList<>();
            for (int c = 0; c < consumers; c++) {
                InboxConsumer consumer = inbox.consumer();
                assertThat(consumer.inbox()).isSameAs(inbox);
                threads.add(new Thread(() -> {
                    int[] last = {-1};
                    try {
                        while (seen.get() < messages) {
                            int count = consumer.poll(m -> taken(m, last, times), 10);
                            seen.addAndGet(count);
                            if (count == 0) {
                                consumer.await(Duration.ofMillis(5));
                            }
                        }
                    } catch (Throwable e) {
                        failures.add(e);
                        seen.addAndGet(messages);
                    }
                }));
            }
            threads.forEach(thread -> thread.setDaemon(true)); // one that fails keeps none going
            threads.forEach(Thread::start);
            assertThatIllegalStateException()
                    .isThrownBy(() -> inbox.poll(m -> {}, 1))
                    .withMessageContaining("several consumers");
            assertThatIllegalStateException()
                    .isThrownBy(() -> inbox.onMessage(m -> {}))
                    .withMessageContaining("several consumers");
            for (int number = 0; number < messages && failures.isEmpty(); number++) {
                send(pair, channel, number, 4 + number % 200);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(inbox.statistics().heldRecords()).isZero();
            assertThat(inbox.messages()).isEqualTo(messages);
        }
        for (int i = 0; i < messages; i++) {
            assertThat(times.get(i)).as("message " + i).isEqualTo(1);
        }
    }

    @Test
    void aConsumerOfAnInboxThatCallsBackIsRefused() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in", small());
            inbox.onMessage(m -> {});
            assertThatIllegalStateException().isThrownBy(inbox::consumer).withMessageContaining("onMessage");
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void aHeldRequestIsAnsweredLater(Fabric fabric) {
        record Waiting(HeldMessage request, Channel channel, long id) {}
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Responder responder = pair.server.openResponder("later", small());
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "later", NodePair.TIMEOUT);
            List<Waiting> waiting = new ArrayList<>();
            int calls = 30;
            int[] ended = new int[1];
            for (int number = 0; number < calls; number++) {
                int is = number;
                UnsafeBuffer question = message(number, 500);
                pair.await(() -> requester.call(channel, question, 0, 500, Duration.ofMinutes(1), is, response -> {
                            assertThat(response.outcome()).isEqualTo(Outcome.DONE);
                            assertThat(isWhole(response.buffer(), response.offset(), response.length(), is))
                                    .isTrue();
                            ended[0]++;
                        })
                        != SendResult.BACK_PRESSURED);
                pair.await(() ->
                        responder.poll(r -> waiting.add(new Waiting(r.hold(), r.channel(), r.correlationId())), 1)
                                == 1);
            }
            assertThat(responder.statistics().heldRecords()).isEqualTo(calls);
            for (int i = calls - 1; i >= 0; i--) {
                Waiting w = waiting.get(i);
                HeldMessage request = w.request();
                assertThat(request.length()).isEqualTo(500);
                pair.await(
                        () -> Responder.reply(w.channel(), w.id(), request.buffer(), request.offset(), request.length())
                                != SendResult.BACK_PRESSURED);
                request.release();
            }
            pair.await(() -> {
                requester.poll(10);
                return ended[0] == calls;
            });
            assertThat(responder.statistics().heldRecords()).isZero();
        }
    }
}
