package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Texts name nodes, inboxes and tenants; a token that does not permit is told, logged and counted. */
@Timeout(180)
class NamesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void channelsNameBothEnds(Fabric fabric) {
        try (Node server = Node.launch(new NodeContext().name("shop"));
                Node client =
                        Node.launch(new NodeContext().name("customer").tenant(new TenantOptions().name("gold")))) {
            List<String> seen = new CopyOnWriteArrayList<>();
            Inbox answers = client.tenant("gold").openInbox("answers", new InboxOptions());
            server.openInbox("orders")
                    .onMessage(m -> seen.add(m.channel() + " " + m.channel().peerName()));
            Channel channel = client.connect(fabric.listen(server) + "/orders", answers, TIMEOUT);
            assertThat(channel).hasToString("channel to inbox 'orders' of node 'shop', tenant 'gold'");
            assertThat(channel.peerName()).isEqualTo("shop");
            channel.offer("one");
            await().until(() -> !seen.isEmpty());
            assertThat(seen)
                    .containsExactly("channel from node 'customer' to inbox 'orders', tenant 'default' customer");
            assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
                    .contains("verbena-shop-0", "verbena-customer-0");
        }
    }

    @Test
    void whatIsHandedToHandlersNamesWhereItIs() {
        try (Node node = Node.launch(new NodeContext().name("shop"))) {
            List<String> seen = new CopyOnWriteArrayList<>();
            node.openInbox("orders").onMessage(m -> {
                seen.add(m.toString());
                try (HeldMessage held = m.hold()) {
                    seen.add(String.valueOf(held));
                }
            });
            node.connect("local:shop/orders", TIMEOUT).offer("one");
            await().until(() -> seen.size() == 2);
            assertThat(seen)
                    .containsExactly(
                            "message of 3 bytes in inbox 'orders' of node 'shop'",
                            "held message of 3 bytes in inbox 'orders' of node 'shop'");

            seen.clear();
            node.openResponder("echo").onRequest(r -> {
                seen.add(r.toString());
                r.reply("four");
            });
            Requester requester = node.openRequester();
            Channel channel = requester.connect("local:shop/echo", TIMEOUT);
            UnsafeBuffer request = new UnsafeBuffer(new byte[2]);
            requester.call(channel, request, 0, 2, TIMEOUT, 0, r -> seen.add(r.toString()));
            await().until(() -> requester.poll(1) > 0);
            assertThat(seen)
                    .containsExactly(
                            "request of 2 bytes to responder 'echo' of node 'shop'",
                            "response DONE of 4 bytes, " + channel);
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void refusedTokensAreCounted(Fabric fabric) {
        byte[] secret = {1, 2, 3};
        try (Node server = Node.launch(new NodeContext()
                        .name("vault")
                        .accessPolicy(AccessPolicy.denyAll().allow(r -> r.shows(secret), Right.SEND)));
                Node stranger = Node.launch(new NodeContext().accessToken(new byte[] {9}));
                Node friend = Node.launch(new NodeContext().accessToken(secret))) {
            server.openInbox("gold");
            String address = fabric.listen(server) + "/gold";
            assertThatThrownBy(() -> stranger.connect(address, TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("node 'vault' does not permit that");
            assertThat(server.rejectedConnections())
                    .as("one for each time that it asks")
                    .isPositive();
            assertThat(friend.connect(address, TIMEOUT).isConnected()).isTrue();
        }
    }

    @Test
    void theLogNamesTheNode() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger("io.verbena");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (Node node = Node.launch(new NodeContext()
                .name("shop")
                .sharedMemory(false)
                .tenant(new TenantOptions().name("small").maxMemory(1 << 20)))) {
            int port = Integer.parseInt(node.listen("tcp://127.0.0.1:0").replaceAll(".*:", ""));
            try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
                stranger.getOutputStream().write(new byte[1024]);
                await().until(() -> node.rejectedConnections() > 0);
            }
            Tenant small = node.tenant("small");
            small.openInbox("in", new InboxOptions().chunkLength(64 << 10).maxMessage(4000));
            Channel channel = node.connect("local:shop/in", TIMEOUT);
            UnsafeBuffer message = new UnsafeBuffer(new byte[4000]);
            while (small.memoryRefusals() == 0) {
                channel.offer(message, 0, 4000);
            }
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
                .anySatisfy(line -> assertThat(line).startsWith("node 'shop': rejected "))
                .anySatisfy(line -> assertThat(line).matches("append queue [0-9]+ of NIC shop gets no memory.*"));
    }
}
