package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.call.CallFlyweight;
import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionFlyweight;
import io.verbena.connection.Streams;
import io.verbena.nic.SendRequest;
import io.verbena.nic.wire.AppendEthFlyweight;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of several streams that come by one queue pair: each is its own channel's, or nobody's. */
@Timeout(180)
class StreamsTest {
    private static final int FIRST = 1; // of a queue pair
    private static final int SECOND = 2;
    private static final int LAST = AppendEthFlyweight.MAX_STREAM;

    private final UnsafeBuffer eight = new UnsafeBuffer(new byte[8]);
    private final SendRequest request = new SendRequest();
    private final List<Channel> senders = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();

    /** Sends what a channel would send that shares this one's queue pair. */
    private void send(Channel channel, int stream, int number, int length) {
        Connection c = channel.connection();
        c.queuePair.postSend(request.appendImmediate(c.peer.queueId(), c.peer.queueKey(), number).stream(stream)
                .signaled(false)
                .inline(new UnsafeBuffer(new byte[length]), 0, length));
    }

    /** A channel of a stream beside another, which has none of its own yet. */
    private static Channel beside(Channel first, int stream) {
        Connection connection = Streams.beside(first.connection(), stream);
        Node node = first.node();
        Tenant tenant = node.tenant("default");
        Channel channel = new Channel(node, connection, tenant, false);
        channel.end().peerKnown();
        return channel;
    }

    private void take(Inbox inbox, int count) {
        long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
        while (senders.size() < count) {
            assertThat(System.nanoTime())
                    .as("%s of %s messages", senders.size(), count)
                    .isLessThan(deadline);
            inbox.poll(
                    message -> {
                        senders.add(message.channel());
                        numbers.add(message.immediate());
                    },
                    10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachStreamOfAQueuePairIsItsOwnChannels(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("inbox", new InboxOptions());
            Channel channel = pair.client.connect(pair.address + "inbox", NodePair.TIMEOUT);
            assertThat(channel.offer(eight, 0, 8, 100)).isEqualTo(SendResult.SENT);
            take(inbox, 1);
            Channel first = senders.get(0);
            assertThat(first).isNotNull();
            assertThat(first.stream()).isEqualTo(FIRST);
            Channel second = beside(first, SECOND);
            Channel last = beside(first, LAST);
            send(channel, SECOND, 101, 8);
            assertThat(channel.offer(eight, 0, 8, 102)).isEqualTo(SendResult.SENT);
            send(channel, LAST, 103, 0);
            send(channel, SECOND, 104, 64);
            send(channel, FIRST, 105, 8);
            take(inbox, 6);
            assertThat(senders).containsExactly(first, second, first, last, second, first);
            assertThat(numbers).containsExactly(100, 101, 102, 103, 104, 105);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, SECOND, 100, LAST})
    void whatIsOfAnUnknownStreamIsNobodys(int unknown) {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("inbox", new InboxOptions());
            Channel channel = pair.client.connect(pair.address + "inbox", NodePair.TIMEOUT);
            send(channel, FIRST, 1, 8);
            take(inbox, 1);
            beside(senders.get(0), 3); // numbers below that have room, and no channel
            send(channel, unknown, 2, 8);
            send(channel, FIRST, 3, 8);
            take(inbox, 3);
            assertThat(senders).containsExactly(senders.get(0), null, senders.get(0));
            assertThat(numbers).containsExactly(1, 2, 3);
        }
    }

    @Test
    void requestOfAnUnknownStreamIsRefusedAndCounted() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Responder responder = pair.server.openResponder("echo");
            Requester requester = pair.client.openRequester(new RequesterOptions());
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            List<Outcome> outcomes = new ArrayList<>();
            assertThat(requester.call(
                            channel, eight, 0, 8, NodePair.TIMEOUT, 1, response -> outcomes.add(response.outcome())))
                    .isEqualTo(SendResult.SENT);
            long[] id = new long[1];
            pair.await(() -> responder.poll(
                            asked -> {
                                id[0] = asked.correlationId();
                                asked.reply(eight, 0, 8);
                            },
                            10)
                    > 0);
            pair.await(() -> requester.poll(10) >= 0 && !outcomes.isEmpty());
            UnsafeBuffer forged = new UnsafeBuffer(new byte[24]);
            CallFlyweight.encode(forged, 0, id[0], CallFlyweight.REQUEST);
            Connection c = channel.connection();
            c.queuePair.postSend(request.append(c.peer.queueId(), c.peer.queueKey()).stream(SECOND)
                    .signaled(false)
                    .inline(forged, 0, 24));
            int[] served = new int[1];
            pair.await(() -> responder.poll(asked -> served[0]++, 10) > 0 || responder.malformed() > 0);
            assertThat(served[0]).isZero();
            assertThat(responder.malformed()).isOne();
            assertThat(outcomes).containsExactly(Outcome.DONE);
        }
    }

    @Test
    void heldMessageKnowsItsStreamsChannel() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("inbox", new InboxOptions());
            Channel channel = pair.client.connect(pair.address + "inbox", NodePair.TIMEOUT);
            send(channel, FIRST, 1, 8);
            take(inbox, 1);
            Channel second = beside(senders.get(0), SECOND);
            send(channel, SECOND, 2, 8);
            List<HeldMessage> held = new ArrayList<>();
            pair.await(() -> inbox.poll(message -> held.add(message.hold()), 1) == 1);
            assertThat(held.get(0).channel()).isSameAs(second);
            assertThat(held.get(0).immediate()).isEqualTo(2);
            held.get(0).release();
        }
    }

    @Test
    void goodbyeOfAnotherStreamEndsNothing() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            Inbox inbox = pair.server.openInbox("inbox", new InboxOptions());
            Channel channel = pair.client.connect(pair.address + "inbox", NodePair.TIMEOUT);
            send(channel, FIRST, 1, 8);
            take(inbox, 1);
            Connection c = channel.connection();
            goodbye(pair, c, c.stream() + 1, c.peerStream);
            goodbye(pair, c, c.stream(), c.peerStream + 1);
            Channel other = pair.client.connect(pair.address + "inbox", NodePair.TIMEOUT); // the server has seen them
            assertThat(other.isConnected()).isTrue();
            assertThat(senders.get(0).isConnected()).isTrue();
            goodbye(pair, c, c.stream(), c.peerStream);
            pair.await(() -> !senders.get(0).isConnected());
        }
    }

    private static void goodbye(NodePair pair, Connection c, int stream, int peerStream) {
        ConnectionFlyweight goodbye = ConnectionFlyweight.of(ConnectionFlyweight.DISCONNECT, c.transaction)
                .queuePairs(c.number(), c.peer.qp())
                .streams(stream, peerStream);
        pair.await(() -> pair.client.engine().sendDatagram(pair.server.nicId(), goodbye.buffer(), 0, goodbye.length()));
    }
}
