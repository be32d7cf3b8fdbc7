package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.Links;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes whose links have small rings, for many peers: everything passes that passes through large ones. */
@Timeout(180)
class RingLengthTest {
    private static final int RING = 8 << 10;

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"LOCAL", "SHM"})
    void messagesOfAllLengthsPass(Fabric fabric) {
        try (NodePair pair = new NodePair(
                        fabric,
                        fabric.context(NodeMode.ASSISTED).ringLength(RING),
                        fabric.context(NodeMode.ASSISTED).ringLength(RING).accessToken(new byte[1024]));
                Inbox inbox = pair.server.openInbox("in")) {
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            int[] lengths = {0, 1, 100, 2000, 5000, RING, 100_000, 1 << 20};
            UnsafeBuffer message = new UnsafeBuffer(new byte[1 << 20]);
            message.setMemory(0, message.capacity(), (byte) 7);
            for (int length : lengths) {
                pair.await(() -> channel.offer(message, 0, length) == SendResult.SENT);
                int[] got = {-1};
                pair.await(() -> inbox.poll(m -> got[0] = m.length(), 1) == 1);
                assertThat(got[0]).isEqualTo(length);
            }
            assertThat(channel.closeReason()).isNull();
        }
    }

    @Test
    void whatIsNoRingIsRefused() {
        assertThatThrownBy(() -> new NodeContext().ringLength(4096))
                .hasMessage("ringLength 4096 outside 8192..67108864");
        assertThatThrownBy(() -> new NodeContext().ringLength(10_000))
                .hasMessage("ringLength 10000 is not a power of two; next is 16384");
        assertThat(Links.maxPacket(256 << 10)).isEqualTo((16 << 10) + 128);
        assertThat(Links.maxPacket(8 << 10)).isEqualTo(2040);
    }
}
