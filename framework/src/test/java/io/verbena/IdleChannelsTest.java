package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.connection.ConnectionFlyweight;
import io.verbena.fabric.security.PeerIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a channel holds that was opened and not used, and what it can do without what it does not hold. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class IdleChannelsTest {
    private static final int CHANNELS = 4096;
    private static final int BATCH = 256;
    private static final int COLLECTIONS = 4;

    /** Bytes of a channel, both ends of it: about 580; 1,200 if it kept what was said while it was made. */
    private static final int MOST_BYTES = 800;

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private static List<Channel> connect(NodePair pair, int count) {
        List<Channel> channels = new ArrayList<>(count);
        List<CompletableFuture<Channel>> asked = new ArrayList<>();
        while (channels.size() < count) {
            for (int i = 0; i < BATCH; i++) {
                asked.add(pair.client.connectAsync(pair.address + "in", null, NodePair.TIMEOUT));
            }
            asked.forEach(future -> channels.add(future.join()));
            asked.clear();
        }
        return channels;
    }

    @Test
    void aChannelThatHasSentNothingHasNothingToSendWith() {
        try (NodePair pair = new NodePair(
                Fabric.LOCAL,
                Fabric.LOCAL.context(NodeMode.ASSISTED).maxConnections(2 * CHANNELS),
                Fabric.LOCAL.context(NodeMode.ASSISTED).maxConnections(2 * CHANNELS))) {
            pair.server.openInbox("in");
            List<Channel> first = connect(pair, BATCH); // with all that is there once
            long before = used();
            List<Channel> idle = connect(pair, CHANNELS);
            assertThat((used() - before) / CHANNELS).isLessThan(MOST_BYTES);
            assertThat(first).allMatch(Channel::isConnected);
            assertThat(idle).allMatch(Channel::isShared);
        }
    }

    /** A request may be repeated on its way; its answer is not kept for that when the peer has shown that it got it. */
    @Test
    void aRequestThatComesAgainIsKnownWhenItsAnswerIsNotKept() {
        try (NodePair pair = new NodePair(Fabric.LOCAL, NodeMode.ASSISTED)) {
            pair.server.openInbox("in");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            Tenant tenant = pair.server.tenant("default");
            int before = tenant.connections();
            ConnectionFlyweight request =
                    pair.client.connections().handshake().request(channel.connection(), null, 4096);
            ConnectionFlyweight answer = pair.server
                    .connections()
                    .handshake()
                    .answer(pair.client.nicId(), request, PeerIdentity.SAME_PROCESS);
            assertThat(answer.type()).isEqualTo(ConnectionFlyweight.REPLY);
            assertThat(answer.isSound()).isTrue();
            assertThat(answer.receiverQp()).isEqualTo(channel.queuePairNumber());
            assertThat(answer.receiverStream()).isEqualTo(channel.connection().stream());
            assertThat(pair.client
                            .connections()
                            .handshake()
                            .answered(pair.server.nicId(), answer)
                            .type())
                    .isEqualTo(ConnectionFlyweight.READY);
            assertThat(tenant.connections()).isEqualTo(before);
            assertThat(channel.isConnected()).isTrue();
        }
    }
}
