package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a channel holds that was opened and not used. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class IdleChannelsTest {
    private static final int CHANNELS = 4096;
    private static final int BATCH = 256;
    private static final int COLLECTIONS = 4;

    /** Bytes of a channel, both ends of it: about 1,200 while it has nothing to send with, 4,000 if it had. */
    private static final int MOST_BYTES = 2000;

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
}
