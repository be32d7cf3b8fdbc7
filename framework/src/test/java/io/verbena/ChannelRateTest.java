package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.RateLimit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels with rate limits, under a clock of the test. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ChannelRateTest {
    private static final long MILLI = 1_000_000;
    private static final int LENGTH = 1000;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final AtomicLong now = new AtomicLong();
    private long offered; // to the channel that is limited

    private NodePair pair(Fabric fabric) {
        NodeContext sender = fabric.context(NodeMode.INVOKER).tenant(new TenantOptions().name("one"));
        sender.runtime(NodeRuntime.system().withClock(now::get, () -> now.addAndGet(100_000)));
        return new NodePair(fabric, fabric.context(NodeMode.INVOKER), sender);
    }

    /**
     * Offers and works for as long as either gets on, and a while longer; time does not pass. What was sent is
     * acknowledged then: it is the rate that holds what is left, and not a server that has not come to it.
     */
    private void exhaust(NodePair pair, Channel channel) {
        for (long sentBefore = -1; sentBefore != channel.statistics().messages(); ) {
            sentBefore = channel.statistics().messages();
            int quiet = 0;
            while (quiet < 1000) {
                boolean sent = channel.offer(message, 0, LENGTH) == SendResult.SENT;
                offered += sent ? 1 : 0;
                quiet = pair.client.doWork() > 0 || sent ? 0 : quiet + 1;
            }
            pair.await(() ->
                    offered - channel.outstanding() >= channel.statistics().messages());
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void messagesPerSecond(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            Inbox inbox = pair.server.openInbox("in");
            RateLimit limit = new RateLimit(0, 1000, 0, 1);
            Channel channel = pair.client
                    .tenant("one")
                    .connect(pair.address + "in", null, new ChannelOptions().rateLimit(limit), NodePair.TIMEOUT);
            assertThat(channel.rateLimit()).isEqualTo(limit);
            long before = channel.statistics().messages();
            for (int i = 0; i < 50; i++) {
                exhaust(pair, channel);
                assertThat(channel.statistics().messages() - before).isLessThanOrEqualTo(i + 8);
                now.addAndGet(MILLI);
            }
            assertThat(channel.statistics().messages() - before).isBetween(48L, 58L);
            channel.rateLimit(RateLimit.NONE);
            int[] taken = new int[1];
            long posted = channel.outstanding();
            pair.await(() -> {
                inbox.poll(m -> taken[0]++, 64);
                return channel.outstanding() == 0;
            });
            assertThat(posted).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void bytesASecondAndAnotherRateWhileItSends(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            Inbox inbox = pair.server.openInbox("in");
            inbox.onMessage(m -> {});
            Channel channel = pair.client
                    .tenant("one")
                    .connect(
                            pair.address + "in",
                            null,
                            new ChannelOptions().rateLimit(RateLimit.bytes(1_000_000)),
                            NodePair.TIMEOUT);
            Channel free = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            for (long rate : new long[] {1_000_000, 4_000_000, 500_000}) {
                channel.rateLimit(RateLimit.bytes(rate));
                long before = channel.statistics().bytes();
                for (int i = 0; i < 100; i++) {
                    now.addAndGet(MILLI);
                    exhaust(pair, channel);
                }
                long due = rate / 10;
                assertThat(channel.statistics().bytes() - before)
                        .isBetween(due - rate / 100 - 12_000, due + rate / 100 + 12_000);
            }
            long others = free.statistics().bytes();
            pair.await(() -> {
                while (free.offer(message, 0, LENGTH) == SendResult.SENT) {}
                return free.statistics().bytes() - others > 1_000_000;
            });
        }
    }

    @Test
    void aLimitThatNobodyKeepsIsRefused() {
        NodeContext sender = Fabric.LOCAL
                .context(NodeMode.INVOKER)
                .arbiter(Discipline.PACKET_ROUND_ROBIN)
                .name("plain");
        try (NodePair pair = new NodePair(Fabric.LOCAL, Fabric.LOCAL.context(NodeMode.INVOKER), sender)) {
            pair.server.openInbox("in");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> channel.rateLimit(RateLimit.bytes(1)))
                    .withMessageContaining("needs the discipline CHUNKS");
            assertThat(channel.rateLimit()).isEqualTo(RateLimit.NONE);
            channel.close();
            pair.await(() -> !channel.isConnected());
            assertThatIllegalStateException().isThrownBy(() -> channel.rateLimit(RateLimit.NONE));
        }
    }
}
