package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.connection.ChannelSettings;
import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionFlyweight;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.verbs.QpState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** What was sent before a channel or its node was closed arrives. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ChannelCloseTest {
    private static final int MESSAGES = 8;
    private static final int LONG = 32 << 20;
    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[64]);

    private final AtomicInteger received = new AtomicInteger();

    /**
     * A request for a connection is repeated while its answer is late, and answered each time. The second answer may
     * come when the channel has been closed already, and what it sent is still under way.
     */
    @Test
    void anAnswerThatComesAgainDoesNotEndAChannelThatIsClosing() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            pair.pauseServer(true);
            offer(channel);
            channel.close();
            Connection connection = channel.connection();
            assertThat(connection.state).isEqualTo(Connection.CLOSING);
            ConnectionFlyweight request = pair.client.connections().handshake().request(connection, null, 4096);
            ConnectionFlyweight again = pair.server.connections().handshake().answer(pair.client.nicId(), request);
            assertThat(again.type()).isEqualTo(ConnectionFlyweight.REPLY);

            ConnectionFlyweight said = pair.client.connections().handshake().answered(pair.server.nicId(), again);

            assertThat(said.type()).isEqualTo(ConnectionFlyweight.READY);
            pair.pauseServer(false);
            pair.await(() -> connection.state == Connection.CLOSED);
            pair.await(() -> received.get() == MESSAGES);
            assertThat(channel.closeReason()).isEqualTo(CloseReason.CLOSED_HERE);
        }
    }

    /** The application may lock what is its own. */
    @Test
    void aChannelThatAThreadHasLockedForItselfEnds() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            List<Channel> peers = new CopyOnWriteArrayList<>();
            pair.server.openInbox("in").onMessage(m -> peers.add(m.channel()));
            Channel channel =
                    pair.client.connect(pair.address + "in", pair.client.openInbox("answers"), NodePair.TIMEOUT);
            assertThat(channel.offer(MESSAGE, 0, 64)).isEqualTo(SendResult.SENT);
            pair.await(() -> !peers.isEmpty());
            synchronized (channel) {
                peers.get(0).close();
                pair.await(channel::isOver);
                assertThat(channel.offer(MESSAGE, 0, 64)).isEqualTo(SendResult.CLOSED);
            }
        }
    }

    /** A thread may be sending when the JVM ends and its nodes close: it is told that, whatever it meets. */
    @Test
    void whoIsSendingWhenTheNodeClosesIsTold() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            UnsafeBuffer gone = new UnsafeBuffer(new byte[64]) {
                @Override
                public void boundsCheck(int index, int length) {
                    pair.client.close();
                    wrap(0L, 0);
                    super.boundsCheck(index, length);
                }
            };
            assertThat(channel.offer(gone, 0, 64)).isEqualTo(SendResult.CLOSED);
            assertThat(channel.offer(MESSAGE, 0, 64)).isEqualTo(SendResult.CLOSED);
            assertThat(channel.tryClaim(64)).isEqualTo(Channel.CLOSED);
            channel.flush();
        }
    }

    /** Nobody asks a closed channel what became of its messages: the log tells of those that may not have arrived. */
    @Test
    void theLogTellsWhatAClosedChannelCannotBring() {
        Logger logger = (Logger) LoggerFactory.getLogger("io.verbena.connection.Closings");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            Channel idle = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            pair.pauseServer(true);
            offer(channel);
            channel.close();
            idle.close();
            channel.connection().queuePair.modify(new QpAttributes().state(QpState.ERR));
            pair.pauseServer(false);
            pair.await(() -> channel.isOver() && idle.isOver());
            assertThat(log.list).singleElement().satisfies(event -> {
                assertThat(event.getLevel()).isEqualTo(Level.WARN);
                assertThat(event.getFormattedMessage()).contains("was closed, and what it had sent before may not");
            });
        } finally {
            logger.detachAppender(log);
        }
    }

    /** Its peer may be lost, or hang up: who waits for it is told, and an answer that comes late goes nowhere. */
    @Test
    void whatEndsBeforeItIsOpenIsOver() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            Connection connection = pair.client
                    .connections()
                    .handshake()
                    .prepare(
                            pair.server.nicId(),
                            ConnectionFlyweight.INBOX,
                            "in",
                            pair.client.tenant("default").asOwner(),
                            null,
                            ChannelSettings.DEFAULT,
                            false);
            ConnectionFlyweight request = pair.client.connections().handshake().request(connection, null, 4096);
            ConnectionFlyweight late = pair.server.connections().handshake().answer(pair.client.nicId(), request);
            assertThat(late.type()).isEqualTo(ConnectionFlyweight.REPLY);

            pair.client.connections().end(connection, CloseReason.PEER_LOST);

            assertThat(connection.opened()).isCompletedExceptionally();
            ConnectionFlyweight said = pair.client.connections().handshake().answered(pair.server.nicId(), late);
            assertThat(said.type()).isEqualTo(ConnectionFlyweight.DISCONNECT);
        }
    }

    /** The inbox is there and well: its peer has merely stopped in the middle of a message. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "UDS"})
    void aLongMessageThatStopsHalfWayIsAborted(Fabric fabric) {
        try (NodePair pair = new NodePair(fabric, NodeMode.INVOKER)) {
            Inbox inbox = pair.server.openInbox(
                    "in", new InboxOptions().maxMessage(LONG).unfinishedTimeout(Duration.ofMillis(20)));
            long empty = inbox.footprint();
            Tenant tenant = pair.client.tenant("default");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            assertThat(channel.offer(new UnsafeBuffer(new byte[LONG]), 0, LONG)).isEqualTo(SendResult.SENT);
            while (channel.closeReason() == null) { // nothing has come of it at first: the receiver was not ready
                long sent = tenant.statistics().bytes();
                pair.await(() ->
                        channel.closeReason() != null || tenant.statistics().bytes() > sent + LONG / 2);
                long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
                while (inbox.footprint() > empty) { // nobody drives the client
                    assertThat(System.nanoTime()).as("given up").isLessThan(deadline);
                    Thread.onSpinWait();
                }
            }
            assertThat(channel.closeReason()).isEqualTo(CloseReason.ABORTED);
            assertThat(inbox.messages()).isZero();
        }
    }

    /** A connection that was asked for and answered, and never confirmed. */
    @Test
    void whoNeverConfirmsIsGivenUp() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            Tenant tenant = pair.server.tenant("default");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            assertThat(tenant.connections()).isOne();
            ConnectionFlyweight request =
                    pair.client.connections().handshake().request(channel.connection(), null, 4096);
            AtomicInteger answered = new AtomicInteger();
            pair.server.execute(() -> {
                pair.server.connections().handshake().answer(pair.client.nicId() + 1, request); // to nobody
                answered.set(tenant.connections());
            });
            pair.await(() -> answered.get() == 2);
            pair.await(() -> tenant.connections() == 1);
            assertThat(channel.isConnected()).isTrue();
        }
    }

    /** A node that closes ends what it has in order, which takes time; what begins meanwhile would be ended at once. */
    @Test
    void aNodeThatClosesTakesNoConnections() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.THREAD)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            pair.client.connect(pair.address + "in", NodePair.TIMEOUT);

            pair.server.connections().closeAll();

            assertThatThrownBy(() -> pair.client.connect(pair.address + "in", NodePair.TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("is closing");
        }
    }

    /** The other end that a repeated request may have been given is not the one that is open. */
    @Test
    void anAnswerFromAnotherEndIsTurnedAway() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            Connection connection = channel.connection();
            ConnectionFlyweight other = ConnectionFlyweight.of(ConnectionFlyweight.REPLY, connection.transaction)
                    .kind(connection.kind)
                    .queuePairs(connection.peer.qp() + 1, connection.number())
                    .pathMtu(1024);

            ConnectionFlyweight said = pair.client.connections().handshake().answered(pair.server.nicId(), other);

            assertThat(said.type()).isEqualTo(ConnectionFlyweight.DISCONNECT);
            assertThat(said.receiverQp()).isEqualTo(connection.peer.qp() + 1);
            offer(channel);
            pair.await(() -> received.get() == MESSAGES);
        }
    }

    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void aNodeThatClosesSendsWhatWasEnqueued(NodeMode mode) {
        try (NodePair pair = new NodePair(Fabric.TCP, mode)) {
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(channel.enqueue(MESSAGE, 0, MESSAGE.capacity())).isEqualTo(SendResult.SENT);
            }
            pair.client.close();
            pair.await(() -> received.get() == MESSAGES);
        }
    }

    /** However long a claim stays open, its memory is nobody else's. */
    @Test
    void aClaimKeepsItsMemoryAfterTheChannelIsOver() throws InterruptedException {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.openInbox("in");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            int claim = channel.tryClaim(2000);
            assertThat(claim).isNotNegative();
            channel.close();
            pair.await(channel::isOver);
            Thread.sleep(1_500); // a connection that nobody uses is gone after 1 s
            assertThat(pair.client.tenant("default").connections()).isEqualTo(1);
            channel.claimBuffer().putLong(claim, 1);
            channel.abortClaim();
            pair.await(() -> pair.client.tenant("default").connections() == 0);
        }
    }

    private static void offer(Channel channel) {
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(channel.offer(MESSAGE, 0, MESSAGE.capacity())).isEqualTo(SendResult.SENT);
        }
    }

    /** As System.exit does to threads that go on. */
    @ParameterizedTest
    @EnumSource
    void aNodeThatIsClosedUnderASenderAnswersClosed(Fabric fabric) throws Exception {
        for (int round = 0; round < 20; round++) {
            NodePair pair = new NodePair(fabric, NodeMode.ASSISTED);
            pair.server.openInbox("in").onMessage(m -> received.incrementAndGet());
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            CountDownLatch sends = new CountDownLatch(1);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[2000]);
            CompletableFuture<SendResult> last = CompletableFuture.supplyAsync(() -> {
                SendResult result = SendResult.SENT;
                long deadline = System.nanoTime() + NodePair.TIMEOUT.toNanos();
                for (int i = 0; result != SendResult.CLOSED && System.nanoTime() - deadline < 0; i++) {
                    result = i % 3 == 2 ? claim(channel) : channel.offer(buffer, 0, i % 3 == 1 ? 2000 : 16);
                    sends.countDown();
                }
                return result;
            });
            assertThat(sends.await(10, TimeUnit.SECONDS)).isTrue();
            pair.close();
            assertThat(last.get(10, TimeUnit.SECONDS)).isEqualTo(SendResult.CLOSED);
        }
    }

    private static SendResult claim(Channel channel) {
        int claimed = channel.tryClaim(100);
        if (claimed < 0) {
            return claimed == Channel.CLOSED ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
        }
        return channel.commit();
    }
}
