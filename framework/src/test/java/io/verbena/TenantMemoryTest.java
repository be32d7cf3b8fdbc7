package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.nic.port.MemoryExhaustedException;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a tenant may take of its node's memory, and of its regions. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TenantMemoryTest {
    private static final int LIMIT = 1 << 20;
    private static final int CHUNK = 64 << 10;

    private final Node node = Node.launch(new NodeContext()
            .sharedMemory(false)
            .stagingLength(128 << 10)
            .tenant(new TenantOptions().name("small").maxMemory(LIMIT))
            .tenant(new TenantOptions().name("few").maxRegions(2))
            .tenant(new TenantOptions().name("large")));
    private final Tenant small = node.tenant("small");
    private final Tenant large = node.tenant("large");
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1 << 20]);

    @AfterEach
    void close() {
        node.close();
    }

    private static InboxOptions options() {
        return new InboxOptions().chunkLength(CHUNK).reserveChunks(1).maxMessage(8 << 10);
    }

    @Test
    void inboxesAndRegionsBeyondItAreRefusedByName() {
        SharedRegion region = small.share("table", LIMIT - CHUNK);
        assertThat(small.memory()).isEqualTo(LIMIT - CHUNK);
        assertThatThrownBy(() -> small.share("more", CHUNK + 1))
                .isInstanceOf(MemoryExhaustedException.class)
                .hasMessageContaining("small")
                .hasMessageContaining(String.valueOf(LIMIT));
        assertThatThrownBy(() -> small.openInbox("in", options())) // two chunks
                .isInstanceOf(MemoryExhaustedException.class)
                .hasMessageContaining("small")
                .hasMessageContaining(String.valueOf(LIMIT));
        assertThat(small.memory()).isEqualTo(LIMIT - CHUNK);
        assertThat(small.memoryRefusals()).isEqualTo(2);
        large.share("others", 4 * LIMIT).close();

        region.close();
        assertThat(small.memory()).isZero();
        Inbox inbox = small.openInbox("in", options());
        assertThat(small.memory()).isEqualTo(2 * CHUNK);
        inbox.close();
        await().until(() -> small.memory() == 0);
    }

    @Test
    void aChannelWaitsUntilTheTenantHasRoomAgain() {
        Inbox inbox = large.openInbox("in", new InboxOptions().maxMessage(4 << 20));
        Channel channel = small.connect("local:" + node.name() + "/in", NodePair.TIMEOUT);
        SharedRegion region = small.share("table", LIMIT - (64 << 10));
        assertThat(channel.offer(message, 0, 4000)).isEqualTo(SendResult.BACK_PRESSURED);
        assertThat(small.memoryRefusals()).isPositive();
        Channel neighbour = large.connect("local:" + node.name() + "/in", NodePair.TIMEOUT);
        assertThat(neighbour.offer(message, 0, 4000)).isEqualTo(SendResult.SENT);

        region.close();
        await().until(() -> channel.offer(message, 0, 4000) == SendResult.SENT);
        assertThat(small.memory()).isBetween(1L, (long) LIMIT);
        int[] taken = new int[1];
        await().until(() -> (taken[0] += inbox.poll(m -> {}, 10)) == 2);
        channel.close();
        await().until(() -> small.memory() == 0);
        UnsafeBuffer tooLong = new UnsafeBuffer(new byte[LIMIT + 1]);
        Channel other = small.connect("local:" + node.name() + "/in", NodePair.TIMEOUT);
        assertThatThrownBy(() -> other.offer(tooLong, 0, LIMIT + 1))
                .isInstanceOf(MemoryExhaustedException.class)
                .hasMessageContaining("small");
        assertThat(other.offer(message, 0, 4000)).isEqualTo(SendResult.SENT);
    }

    @Test
    void whatLiesInItsInboxesStaysBelowItAndNothingIsLost() {
        Inbox inbox = small.openInbox("in", options().memoryLimit(8L * LIMIT));
        Channel channel = large.connect("local:" + node.name() + "/in", NodePair.TIMEOUT);
        int sent = 0;
        while (small.memoryRefusals() == 0) {
            message.putInt(0, sent);
            if (channel.offer(message, 0, 4000) == SendResult.SENT) {
                sent++;
            } else {
                Thread.yield();
            }
            assertThat(small.memory()).isLessThanOrEqualTo(LIMIT);
        }
        assertThat(small.memory()).isBetween(LIMIT - CHUNK + 1L, (long) LIMIT);
        int all = sent;
        int[] next = new int[1];
        await().until(() -> {
            inbox.poll(m -> assertThat(m.buffer().getInt(m.offset())).isEqualTo(next[0]++), 100);
            return next[0] == all;
        });
    }

    @Test
    void aTenantHasNoMoreRegionsThanItMay() {
        Tenant few = node.tenant("few");
        SharedRegion one = few.share("one", 64);
        SharedRegion two = few.share("two", 64);
        assertThat(few.regions()).isEqualTo(2);
        assertThatThrownBy(() -> few.share("three", 64)).hasMessage("group few: memory regions 3 > maximum 2");
        assertThatThrownBy(() -> large.attach("local:" + node.name() + "/one", NodePair.TIMEOUT))
                .as("a key for the peer's rights")
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("maxRegions");
        assertThat(few.memoryRefusals()).isEqualTo(1);
        large.share("others", 64).close();

        Inbox inbox = large.openInbox("in", new InboxOptions());
        Channel channel = few.connect("local:" + node.name() + "/in", NodePair.TIMEOUT);
        assertThat(channel.offer(message, 0, 4000)).isEqualTo(SendResult.BACK_PRESSURED);
        two.close();
        await().until(() -> channel.offer(message, 0, 4000) == SendResult.SENT);
        await().until(() -> inbox.poll(m -> {}, 10) == 1);
        channel.close();
        await().until(() -> few.regions() == 1);
        large.attach("local:" + node.name() + "/one", NodePair.TIMEOUT).close();
        one.close();
        assertThat(few.regions()).isZero();
        assertThat(few.options().maxRegions()).isEqualTo(2);
    }

    @Test
    void aLowerLimitHoldsForWhatComes() {
        SharedRegion region = small.share("table", LIMIT);
        node.tenants().set("small", small.options().maxMemory(LIMIT / 2));
        assertThatThrownBy(() -> small.share("more", 1)).isInstanceOf(MemoryExhaustedException.class);
        assertThat(region.buffer().capacity()).isEqualTo(LIMIT);
        region.close();
        small.share("half", LIMIT / 2).close();
        assertThat(small.options().maxMemory()).isEqualTo(LIMIT / 2);
        assertThatThrownBy(() -> new TenantOptions().maxMemory(0)).hasMessage("maxMemory 0 < minimum 1");
    }
}
