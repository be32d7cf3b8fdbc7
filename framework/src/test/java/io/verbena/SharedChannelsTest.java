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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels that share queue pairs: how they are opened, and how each ends without the others. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SharedChannelsTest {
    private static final UnsafeBuffer EIGHT = new UnsafeBuffer(new byte[8]);

    private final List<Integer> numbers = new ArrayList<>();
    private final List<Channel> senders = new ArrayList<>();

    private static NodePair pair(Fabric fabric, NodeMode mode, MuxOptions options) {
        return new NodePair(
                fabric,
                fabric.context(mode),
                fabric.context(mode).shareConnections(options).linger(NodePair.TIMEOUT));
    }

    private static List<Channel> connect(NodePair pair, String inbox, int count) {
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            channels.add(pair.client.connect(pair.address + inbox, NodePair.TIMEOUT));
        }
        return channels;
    }

    private static Set<Integer> queuePairs(List<Channel> channels) {
        Set<Integer> numbers = new HashSet<>();
        channels.forEach(channel -> numbers.add(channel.queuePairNumber()));
        return numbers;
    }

    private static void send(NodePair pair, Channel channel, int number) {
        pair.await(() -> channel.offer(EIGHT, 0, 8, number) == SendResult.SENT);
    }

    private void take(NodePair pair, Inbox inbox, int count) {
        pair.await(() -> {
            inbox.poll(
                    message -> {
                        senders.add(message.channel());
                        numbers.add(message.immediate());
                    },
                    100);
            return numbers.size() >= count;
        });
    }

    // ---- opening ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void thoseAfterTheFirstShare(Fabric fabric) {
        try (NodePair pair = pair(fabric, NodeMode.ASSISTED, new MuxOptions().after(2))) {
            Inbox inbox = pair.server.openInbox("in");
            List<Channel> channels = connect(pair, "in", 6);
            assertThat(channels).extracting(Channel::isShared).containsExactly(false, false, true, true, true, true);
            assertThat(queuePairs(channels)).hasSize(3);
            for (int i = 0; i < 6; i++) {
                send(pair, channels.get(i), i);
            }
            take(pair, inbox, 6);
            assertThat(numbers).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
            assertThat(senders).doesNotHaveDuplicates().doesNotContainNull();
            assertThat(queuePairs(senders)).hasSize(3);
            assertThat(senders).filteredOn(Channel::isShared).hasSize(4);
        }
    }

    @Test
    void someAreApart() {
        try (NodePair pair = pair(Fabric.LOCAL, NodeMode.ASSISTED, new MuxOptions().after(0))) {
            pair.server.openInbox("in");
            pair.server.openInbox("urgent", new InboxOptions().channels(new ChannelOptions().urgent(true)));
            Channel shared = connect(pair, "in", 1).get(0);
            assertThat(shared.isShared()).isTrue();
            for (ChannelOptions apart : List.of(
                    new ChannelOptions().dedicated(true),
                    new ChannelOptions().urgent(true),
                    new ChannelOptions().rateLimit(RateLimit.operations(1000)))) {
                Channel channel =
                        pair.client.tenant("default").connect(pair.address + "in", null, apart, NodePair.TIMEOUT);
                assertThat(channel.isShared()).isFalse();
            }
            assertThat(connect(pair, "urgent", 3)).noneMatch(Channel::isShared);
            assertThatThrownBy(() -> shared.urgent(true))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("dedicated");
            assertThatThrownBy(() -> shared.rateLimit(RateLimit.operations(10)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("dedicated");
            shared.weight(7);
            assertThat(shared.weight()).isEqualTo(7);
            assertThatThrownBy(() -> shared.weight(2000)).hasMessageContaining("2000 > maximum 1024");
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyAreOpenedAtOnce(Fabric fabric) {
        int count = 500;
        NodeContext server = fabric.context(NodeMode.ASSISTED).maxConnectionsPerPeer(4096);
        NodeContext client = fabric.context(NodeMode.ASSISTED)
                .shareConnections(new MuxOptions().after(0).queuePairs(3));
        try (NodePair pair = new NodePair(fabric, server, client)) {
            Inbox inbox = pair.server.openInbox("in");
            List<CompletableFuture<Channel>> asked = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                asked.add(pair.client.connectAsync(pair.address + "in", null, NodePair.TIMEOUT));
            }
            List<Channel> channels = new ArrayList<>();
            asked.forEach(future -> channels.add(future.join()));
            assertThat(channels).allMatch(Channel::isShared);
            for (int i = 0; i < count; i++) {
                send(pair, channels.get(i), i);
            }
            take(pair, inbox, count);
            assertThat(senders).doesNotContainNull().doesNotHaveDuplicates();
            assertThat(new HashSet<>(numbers)).hasSize(count);
            assertThat(queuePairs(channels).size()).isLessThan(fabric == Fabric.LOCAL ? count / 10 : 4);
        }
    }

    /** A queue pair has 4,095 streams in its life, and one that is used up is followed by another. */
    @Test
    void noStreamIsUsedTwice() {
        int count = 4100;
        int rest = 4094; // of the first queue pair's streams
        NodeContext server = Fabric.LOCAL.context(NodeMode.ASSISTED).maxConnections(16384);
        NodeContext client = Fabric.LOCAL
                .context(NodeMode.ASSISTED)
                .maxConnections(16384)
                .shareConnections(new MuxOptions().after(0).queuePairs(1));
        try (NodePair pair = new NodePair(Fabric.LOCAL, server, client)) {
            Inbox inbox = pair.server.openInbox("in");
            Channel first = connect(pair, "in", 1).get(0);
            for (int i = 0; i < count; i++) {
                Channel channel = connect(pair, "in", 1).get(0);
                assertThat(channel.isShared()).isTrue();
                assertThat(channel.queuePairNumber() == first.queuePairNumber()).isEqualTo(i < rest);
                send(pair, channel, i);
                channel.close();
            }
            send(pair, first, count);
            take(pair, inbox, count + 1);
            for (int i = 0; i <= count; i++) {
                assertThat(numbers.get(i)).isEqualTo(i);
            }
        }
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    /** Channels that wait behind a full link take turns by their weights; all together weigh as much as they do. */
    @Test
    void theyTakeTurnsByWeight() {
        MuxOptions options = new MuxOptions().after(0).queuePairs(1).depth(256);
        NodeContext client =
                Fabric.TCP.context(NodeMode.INVOKER).stagingLength(1 << 20).shareConnections(options);
        try (NodePair pair = new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.INVOKER), client)) {
            Inbox inbox = pair.server.openInbox("in");
            List<Channel> channels = connect(pair, "in", 3);
            Channel heavy = channels.get(1);
            heavy.weight(3);
            pair.pauseServer(true);
            UnsafeBuffer message = new UnsafeBuffer(new byte[60_000]);
            int fillers = 0;
            for (int refused = 0; refused < 1000; ) { // until neither link nor channel takes more
                boolean sent = channels.get(0).offer(message, 0, 60_000, 0) == SendResult.SENT;
                fillers += sent ? 1 : 0;
                refused = sent ? 0 : refused + 1;
            }
            for (int i = 0; i < 200; i++) {
                assertThat(heavy.offer(message, 0, 1000, 1)).isEqualTo(SendResult.SENT);
            }
            for (int i = 0; i < 200; i++) {
                assertThat(channels.get(2).offer(message, 0, 1000, 2)).isEqualTo(SendResult.SENT);
            }
            pair.pauseServer(false);
            pair.await(() -> heavy.connection().queuePair.weight() >= 4); // two of them, or all three
            take(pair, inbox, fillers + 400);
            List<Integer> both = numbers.stream().filter(number -> number > 0).toList();
            int beforeBothHaveHadTwoRounds = 124;
            assertThat(both.subList(0, beforeBothHaveHadTwoRounds).stream()
                            .filter(number -> number == 1)
                            .count())
                    .isBetween(86L, 100L);
            pair.await(() -> channels.get(0).outstanding() == 0);
            send(pair, heavy, 1);
            assertThat(heavy.connection().queuePair.weight()).isEqualTo(3);
        }
    }

    // ---- ends -------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void oneClosesAndTheOthersGoOn(Fabric fabric) {
        List<Channel> closed = new CopyOnWriteArrayList<>();
        try (NodePair pair = pair(fabric, NodeMode.ASSISTED, new MuxOptions().after(0))) {
            Inbox inbox = pair.server.openInbox("in");
            pair.server.addListener(new ChannelListener() {
                @Override
                public void onClose(Channel channel) {
                    closed.add(channel);
                }
            });
            List<Channel> channels = connect(pair, "in", 10);
            for (int i = 0; i < 10; i++) {
                send(pair, channels.get(i), i);
            }
            take(pair, inbox, 10);
            Channel third = senders.get(numbers.indexOf(3));
            Channel fourth = senders.get(numbers.indexOf(4));
            channels.get(3).close();
            pair.await(third::isOver);
            assertThat(third.closeReason()).isEqualTo(CloseReason.CLOSED_BY_PEER);
            fourth.close();
            pair.await(channels.get(4)::isOver);
            assertThat(channels.get(4).closeReason()).isEqualTo(CloseReason.CLOSED_BY_PEER);
            assertThat(channels.get(4).offer(EIGHT, 0, 8)).isEqualTo(SendResult.CLOSED);
            pair.await(() -> closed.size() == 2);
            assertThat(closed).containsExactlyInAnyOrder(third, fourth);
            for (int i = 0; i < 10; i++) {
                if (i != 3 && i != 4) {
                    send(pair, channels.get(i), 10 + i);
                }
            }
            take(pair, inbox, 18);
            assertThat(new HashSet<>(senders)).hasSize(10);
        }
    }

    /** What was queued when a channel is closed still arrives, and nothing of it is taken for another's. */
    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS"})
    void oneClosesWhileItsMessagesAreQueued(Fabric fabric) {
        try (NodePair pair =
                pair(fabric, NodeMode.INVOKER, new MuxOptions().after(0).queuePairs(1))) {
            Inbox inbox = pair.server.openInbox("in");
            List<Channel> channels = connect(pair, "in", 3);
            pair.pauseServer(true);
            int sent = 0;
            while (channels.get(0).offer(EIGHT, 0, 8, sent) == SendResult.SENT) {
                sent++;
            }
            assertThat(channels.get(1).enqueue(EIGHT, 0, 8, sent)).isEqualTo(SendResult.SENT);
            channels.get(0).close();
            channels.get(1).close();
            assertThat(channels.get(2).offer(EIGHT, 0, 8, sent + 1)).isEqualTo(SendResult.SENT);
            pair.pauseServer(false);
            take(pair, inbox, sent + 2);
            pair.await(() -> channels.get(0).isOver() && channels.get(1).isOver());
            assertThat(numbers).hasSize(sent + 2).contains(sent, sent + 1);
            assertThat(numbers.stream().filter(n -> n < numbers.size() - 2)).isSorted();
            send(pair, channels.get(2), -1);
            take(pair, inbox, numbers.size() + 1);
        }
    }

    /** A full inbox whose node forgets to read it holds up its own channels, also while one of them is closed. */
    @ParameterizedTest
    @EnumSource
    void aFullInboxStopsItsOwnAlone(Fabric fabric) {
        NodeContext server = fabric.context(NodeMode.ASSISTED);
        NodeContext client = fabric.context(NodeMode.ASSISTED)
                .linger(Duration.ofMillis(50))
                .shareConnections(new MuxOptions().after(0));
        try (NodePair pair = new NodePair(fabric, server, client)) {
            InboxOptions small =
                    new InboxOptions().chunkLength(1 << 16).maxMessage(8000).memoryLimit(1 << 18);
            Inbox full = pair.server.openInbox("full", small);
            Inbox other = pair.server.openInbox("other");
            List<Channel> stopped = connect(pair, "full", 3);
            List<Channel> free = connect(pair, "other", 3);
            int[] sent = new int[3];
            UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
            long[] refused = new long[1];
            pair.await(() -> {
                boolean moved = false;
                for (int i = 0; i < 3; i++) {
                    if (stopped.get(i).offer(message, 0, 1000, i << 24 | sent[i]) == SendResult.SENT) {
                        sent[i]++;
                        moved = true;
                    }
                }
                refused[0] = moved ? 0 : refused[0] + 1;
                return refused[0] > 1000;
            });
            stopped.get(2).close();
            pair.await(stopped.get(2)::isOver); // it has lingered
            Tenant tenant = pair.client.tenant("default");
            int queuePairs = tenant.group().queuePairs();
            tenant.connect(pair.address + "other", null, new ChannelOptions().dedicated(true), NodePair.TIMEOUT)
                    .close();
            pair.await(() -> tenant.group().queuePairs() == queuePairs); // the other would be forgotten by now, too
            for (int i = 0; i < 300; i++) {
                send(pair, free.get(i % 3), i);
            }
            take(pair, other, 300);
            assertThat(numbers).hasSize(300);
            Map<Integer, Integer> next = new HashMap<>();
            pair.await(() -> {
                full.poll(
                        m -> assertThat(m.immediate() & 0xFFFFFF)
                                .isEqualTo(next.merge(m.immediate() >>> 24, 1, Integer::sum) - 1),
                        100);
                return next.getOrDefault(0, 0) == sent[0] && next.getOrDefault(1, 0) == sent[1];
            });
            send(pair, stopped.get(0), sent[0]);
            pair.await(() -> full.poll(m -> {}, 100) > 0);
        }
    }

    /** Those to the inbox that was end; those to the new one share their queue pair and go on. */
    @ParameterizedTest
    @EnumSource
    void anInboxIsClosedAndOpenedAgain(Fabric fabric) {
        try (NodePair pair = pair(fabric, NodeMode.ASSISTED, new MuxOptions().after(0))) {
            Inbox before = pair.server.openInbox("in");
            Channel old = connect(pair, "in", 1).get(0);
            send(pair, old, 1);
            before.close();
            Inbox inbox = pair.server.openInbox("in");
            List<Channel> fresh = connect(pair, "in", 3);
            for (int i = 0; i < 3; i++) {
                send(pair, fresh.get(i), 2 + i);
            }
            take(pair, inbox, 3);
            assertThat(numbers).containsExactlyInAnyOrder(2, 3, 4);
            pair.await(() -> old.offer(EIGHT, 0, 8) == SendResult.CLOSED);
            assertThat(old.closeReason()).isEqualTo(CloseReason.REFUSED);
            assertThat(fresh).extracting(Channel::closeReason).containsOnlyNulls();
            // The first has one of its own if the peer has seen the end of the old one just before it asked to join it.
            assertThat(queuePairs(fresh.subList(1, 3))).hasSize(1);
            send(pair, fresh.get(0), 5);
            take(pair, inbox, 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClosedInboxEndsItsOwnAlone(Fabric fabric) {
        try (NodePair pair = pair(fabric, NodeMode.ASSISTED, new MuxOptions().after(0))) {
            Inbox closed = pair.server.openInbox("closed");
            Inbox other = pair.server.openInbox("other");
            List<Channel> ended = connect(pair, "closed", 4);
            List<Channel> free = connect(pair, "other", 4);
            closed.close();
            ended.forEach(channel -> channel.offer(EIGHT, 0, 8));
            pair.await(() -> ended.stream().allMatch(Channel::isOver));
            assertThat(ended).extracting(Channel::closeReason).containsOnly(CloseReason.REFUSED);
            for (int i = 0; i < 4; i++) {
                send(pair, free.get(i), i);
            }
            take(pair, other, 4);
            assertThatThrownBy(() -> connect(pair, "closed", 1))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("has no inbox 'closed'");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theirPeerEnds(Fabric fabric) {
        List<Channel> closed = new CopyOnWriteArrayList<>();
        try (NodePair pair = pair(fabric, NodeMode.ASSISTED, new MuxOptions().after(1))) {
            pair.server.openInbox("in");
            pair.client.addListener(new ChannelListener() {
                @Override
                public void onClose(Channel channel) {
                    closed.add(channel);
                }
            });
            List<Channel> channels = connect(pair, "in", 6);
            pair.closeServer();
            pair.await(() -> closed.size() == 6);
            assertThat(closed).containsExactlyInAnyOrderElementsOf(channels);
            assertThat(channels).extracting(Channel::closeReason).containsOnly(CloseReason.CLOSED_BY_PEER);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void theirPeerIsKilled(Fabric fabric) {
        List<Channel> closed = new CopyOnWriteArrayList<>();
        try (PeerProcess peer = PeerProcess.serving(fabric);
                Node node =
                        Node.launch(fabric.context(NodeMode.ASSISTED).shareConnections(new MuxOptions().after(0)))) {
            node.addListener(new ChannelListener() {
                @Override
                public void onClose(Channel channel) {
                    closed.add(channel);
                }
            });
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                channels.add(node.connect(peer.address + "sink", NodePair.TIMEOUT));
                assertThat(channels.get(i).offer(EIGHT, 0, 8)).isEqualTo(SendResult.SENT);
            }
            peer.kill();
            long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
            while (closed.size() < 10) {
                assertThat(System.nanoTime()).as("%s of 10", closed.size()).isLessThan(deadline);
                Thread.onSpinWait();
            }
            assertThat(closed).containsExactlyInAnyOrderElementsOf(channels);
            assertThat(channels).extracting(Channel::closeReason).containsOnly(CloseReason.PEER_LOST);
        }
    }
}
