package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.arbiter.RateLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node whose settings say nothing of sharing: which of its channels share queue pairs, and what that changes. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SharedByDefaultTest {
    private static final int CHANNELS = 20;
    private static final int APART = 8;

    private static List<Channel> connect(NodePair pair, Tenant tenant, String inbox, ChannelOptions options) {
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            channels.add(tenant.connect(pair.address + inbox, null, options, NodePair.TIMEOUT));
        }
        return channels;
    }

    private static List<Channel> connect(NodePair pair, String inbox) {
        return connect(pair, pair.client.tenant("default"), inbox, new ChannelOptions());
    }

    private static Set<Integer> queuePairs(List<Channel> channels) {
        Set<Integer> numbers = new HashSet<>();
        channels.forEach(channel -> numbers.add(channel.queuePairNumber()));
        return numbers;
    }

    @ParameterizedTest
    @EnumSource
    void fromTheNinthOnTheyShare(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("in");
            pair.server.openInbox("other");
            List<Channel> channels = connect(pair, "in");
            assertThat(channels.subList(0, APART)).noneMatch(Channel::isShared);
            assertThat(channels.subList(APART, CHANNELS)).allMatch(Channel::isShared);
            assertThat(queuePairs(channels)).hasSize(APART + 1);
            List<Channel> others = connect(pair, "other"); // of the same peer
            assertThat(others).allMatch(Channel::isShared);
            assertThat(queuePairs(others)).containsExactly(channels.get(APART).queuePairNumber());
            UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
            for (Channel channel : channels) {
                pair.await(() -> channel.offer(message, 0, 8) == SendResult.SENT);
            }
            List<Channel> senders = new ArrayList<>();
            pair.await(() -> inbox.poll(m -> senders.add(m.channel()), 100) >= 0 && senders.size() >= CHANNELS);
            assertThat(senders).hasSize(CHANNELS).doesNotHaveDuplicates().doesNotContainNull();
            assertThat(senders.stream().filter(Channel::isShared)).hasSize(CHANNELS - APART);
        }
    }

    @Test
    void thoseThatCannotShareAreApartAndDoNotCount() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Tenant tenant = pair.client.tenant("default");
            pair.server.openInbox("in");
            pair.server.openInbox("urgent", new InboxOptions().channels(new ChannelOptions().urgent(true)));
            for (ChannelOptions apart : List.of(
                    new ChannelOptions().urgent(true),
                    new ChannelOptions().rateLimit(RateLimit.operations(1000)),
                    new ChannelOptions().dedicated(true))) {
                List<Channel> channels = connect(pair, tenant, "in", apart);
                assertThat(channels).noneMatch(Channel::isShared);
                assertThat(queuePairs(channels)).hasSize(CHANNELS);
            }
            assertThat(connect(pair, "urgent")).noneMatch(Channel::isShared);
            List<Channel> others = connect(pair, "in");
            assertThat(others.subList(0, APART)).noneMatch(Channel::isShared);
            assertThat(others.subList(APART, CHANNELS)).allMatch(Channel::isShared);
        }
    }

    @Test
    void switchedOffNoneShares() {
        NodeContext client =
                Fabric.LOCAL.context(NodeMode.ASSISTED).shareConnections(new MuxOptions().after(Integer.MAX_VALUE));
        try (NodePair pair = new NodePair(Fabric.LOCAL, Fabric.LOCAL.context(NodeMode.ASSISTED), client)) {
            pair.server.openInbox("in");
            List<Channel> channels = connect(pair, "in");
            assertThat(channels).noneMatch(Channel::isShared);
            assertThat(queuePairs(channels)).hasSize(CHANNELS);
        }
    }

    // ---- what arrives -----------------------------------------------------------------------------------------------

    /** Sends numbered messages of many lengths on some of the channels, those of one thread. */
    private static final class Sender extends Thread {
        private static final int MESSAGES = 150;

        private final List<Channel> channels;
        private final int first;
        private final int step;
        private volatile String failure = "has not ended";

        Sender(List<Channel> channels, int first, int step) {
            super("test-sender-" + first);
            this.channels = channels;
            this.first = first;
            this.step = step;
        }

        static int length(int channel, int place) {
            int some = 31 * channel + 17 * place;
            return 8 + (some % 10 == 0 ? some * 101 % 20_000 : some % 10 < 3 ? some % 2000 : some % 100);
        }

        @Override
        public void run() {
            UnsafeBuffer message = new UnsafeBuffer(new byte[20_008]);
            long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
            for (int place = 0; place < MESSAGES; place++) {
                for (int i = first; i < channels.size(); i += step) {
                    int length = length(i, place);
                    message.setMemory(0, length, (byte) (i + place));
                    message.putInt(0, i);
                    SendResult result;
                    while ((result = channels.get(i).offer(message, 0, length, place)) == SendResult.BACK_PRESSURED) {
                        if (System.nanoTime() - deadline > 0) {
                            failure = "waits for room on channel " + i;
                            return;
                        }
                        Thread.onSpinWait();
                    }
                    if (result != SendResult.SENT) {
                        failure = "channel " + i + ": " + result;
                        return;
                    }
                }
            }
            failure = "";
        }
    }

    @ParameterizedTest
    @EnumSource
    void threadsOfTwoTenantsSendEachMessageOnceAndInOrder(Fabric fabric) throws InterruptedException {
        NodeContext client = fabric.context(NodeMode.ASSISTED)
                .tenant(new TenantOptions().name("gold"))
                .tenant(new TenantOptions().name("tin"));
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.ASSISTED), client)) {
            Inbox inbox = pair.server.openInbox("in");
            List<Channel> channels = connect(pair, pair.client.tenant("gold"), "in", new ChannelOptions());
            channels.addAll(connect(pair, pair.client.tenant("tin"), "in", new ChannelOptions()));
            assertThat(channels.stream().filter(Channel::isShared)).hasSize(2 * (CHANNELS - APART));
            List<Sender> senders = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                senders.add(new Sender(channels, i, 4));
            }
            senders.forEach(Thread::start);
            int[] next = new int[channels.size()];
            int[] taken = new int[1];
            pair.await(() -> {
                inbox.poll(
                        m -> {
                            int channel = m.buffer().getInt(m.offset());
                            int place = next[channel]++;
                            assertThat(m.immediate())
                                    .as("of channel %s", channel)
                                    .isEqualTo(place);
                            assertThat(m.length()).isEqualTo(Sender.length(channel, place));
                            for (int i = 4; i < m.length(); i++) {
                                if (m.buffer().getByte(m.offset() + i) != (byte) (channel + place)) {
                                    throw new AssertionError(place + " of channel " + channel + " is torn at " + i);
                                }
                            }
                            taken[0]++;
                        },
                        64);
                return taken[0] == channels.size() * Sender.MESSAGES;
            });
            for (Sender sender : senders) {
                sender.join(NodePair.TIMEOUT.toMillis());
                assertThat(sender.failure).as(sender.getName()).isEmpty();
            }
            pair.await(() -> channels.stream().allMatch(channel -> channel.outstanding() == 0));
            assertThat(inbox.poll(m -> {}, 64)).isZero();
        }
    }

    /** One sends what is too long and is closed, others lead to an inbox that is full or closed. */
    @ParameterizedTest
    @EnumSource
    void aGuiltyOneHurtsNoOther(Fabric fabric) {
        NodeContext client = fabric.context(NodeMode.ASSISTED).linger(Duration.ofMillis(50));
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.ASSISTED), client)) {
            Inbox inbox = pair.server.openInbox("in", new InboxOptions().maxMessage(1000));
            Inbox closing = pair.server.openInbox("closing");
            pair.server.openInbox(
                    "full",
                    new InboxOptions().chunkLength(1 << 16).maxMessage(8000).memoryLimit(1 << 18));
            List<Channel> channels = connect(pair, "in");
            List<Channel> refused = connect(pair, "closing");
            List<Channel> stopped = connect(pair, "full");
            UnsafeBuffer message = new UnsafeBuffer(new byte[2000]);
            long[] since = new long[1];
            pair.await(() -> {
                boolean sent = stopped.get(CHANNELS - 1).offer(message, 0, 1000) == SendResult.SENT;
                since[0] = sent ? 0 : since[0] + 1;
                return since[0] > 1000;
            });
            closing.close();
            refused.forEach(channel -> channel.offer(message, 0, 8));
            Channel guilty = channels.get(CHANNELS - 1);
            assertThatThrownBy(() -> guilty.offer(message, 0, 1001)).hasMessageContaining("1001");
            pair.await(() -> guilty.enqueue(message, 0, 8, -1) == SendResult.SENT);
            guilty.close();
            Map<Channel, Integer> next = new HashMap<>();
            int[] taken = new int[1];
            int messages = 50;
            for (int place = 0; place < messages; place++) {
                for (Channel channel : channels.subList(0, CHANNELS - 1)) {
                    int number = place;
                    pair.await(() -> channel.offer(message, 0, 8 + number, number) == SendResult.SENT);
                }
            }
            pair.await(() -> {
                inbox.poll(
                        m -> {
                            if (m.immediate() >= 0) {
                                assertThat(next.merge(m.channel(), 1, Integer::sum) - 1)
                                        .isEqualTo(m.immediate());
                                taken[0]++;
                            }
                        },
                        100);
                return taken[0] == messages * (CHANNELS - 1);
            });
            assertThat(next).hasSize(CHANNELS - 1);
            assertThat(channels.subList(0, CHANNELS - 1)).allMatch(Channel::isConnected);
            assertThat(stopped).allMatch(Channel::isConnected);
            pair.await(() -> refused.stream().allMatch(Channel::isOver));
            assertThat(refused).extracting(Channel::closeReason).containsOnly(CloseReason.REFUSED);
        }
    }

    // ---- shares -----------------------------------------------------------------------------------------------------

    private static int fill(Channel channel, UnsafeBuffer message) {
        int sent = 0;
        for (int refused = 0; refused < 1000; ) {
            boolean done = channel.offer(message, 0, message.capacity(), 0) == SendResult.SENT;
            sent += done ? 1 : 0;
            refused = done ? 0 : refused + 1;
        }
        return sent;
    }

    /**
     * Two tenants of the same weight behind a full link, or a full inbox: one's channels share a queue pair, the
     * other's do not. All messages are as long, so their bytes are shared as they are.
     */
    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void sharingCostsATenantNothing(Fabric fabric) {
        int each = 200;
        int length = 4000;
        NodeContext client = fabric.context(NodeMode.INVOKER)
                .sendDepth(512)
                .stagingLength(2 << 20)
                .shareConnections(new MuxOptions().depth(512))
                .tenant(new TenantOptions().name("shares"))
                .tenant(new TenantOptions().name("apart"));
        try (NodePair pair = new NodePair(fabric, fabric.context(NodeMode.INVOKER), client)) {
            // Memory for all is ready, so that the link alone is short, on a busy machine too.
            Inbox inbox = pair.server.openInbox("in", new InboxOptions().reserveChunks(40));
            Tenant shares = pair.client.tenant("shares");
            Tenant apart = pair.client.tenant("apart");
            List<Channel> ones =
                    connect(pair, shares, "in", new ChannelOptions()).subList(APART, CHANNELS);
            List<Channel> others = connect(pair, apart, "in", new ChannelOptions().dedicated(true))
                    .subList(APART, CHANNELS);
            assertThat(ones).allMatch(Channel::isShared);
            Channel filler = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            pair.pauseServer(true);
            int fillers = fill(filler, new UnsafeBuffer(new byte[60_000])); // until neither link nor channel takes more
            UnsafeBuffer message = new UnsafeBuffer(new byte[length]);
            for (int i = 0; i < each; i++) {
                for (int j = 0; j < ones.size(); j++) {
                    assertThat(ones.get(j).offer(message, 0, length, 1)).isEqualTo(SendResult.SENT);
                    assertThat(others.get(j).offer(message, 0, length, 2)).isEqualTo(SendResult.SENT);
                }
            }
            pair.pauseServer(false);
            int all = 2 * each * ones.size();
            List<Integer> order = new ArrayList<>();
            int[] taken = new int[1];
            pair.await(() -> {
                inbox.poll(
                        m -> {
                            taken[0]++;
                            if (m.immediate() > 0) {
                                order.add(m.immediate());
                            }
                        },
                        100);
                return taken[0] == fillers + all;
            });
            int counted = all * 3 / 4; // until there both have something to send
            long half = order.subList(0, counted).stream()
                    .filter(tenant -> tenant == 1)
                    .count();
            assertThat(2.0 * half / counted)
                    .as("its share to what it would have apart, over %s", fabric)
                    .isBetween(0.99, 1.01);
        }
    }
}
