package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.Limit;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sender that is told "not now" is counted under what is short, and under nothing else. */
@Timeout(180)
class RefusalsTest {
    private static final int LARGE = 64 * 1024;
    private static final int REFUSALS = 100;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[LARGE]);

    private static GroupStatistics statistics(NodePair nodes) {
        return nodes.client.tenant("default").statistics();
    }

    private static long[] refusals(NodePair nodes) {
        return Arrays.stream(Limit.values())
                .mapToLong(statistics(nodes)::refusals)
                .toArray();
    }

    /** Sends until a limit has been met for a while; from then on no other one is. */
    private void assertMeets(Limit limit, NodePair nodes, Channel channel, int length) {
        nodes.await(() -> {
            channel.offer(buffer, 0, length);
            return statistics(nodes).refusals(limit) >= REFUSALS;
        });
        assertThat(refusedBy(limit, nodes, channel, length)).isTrue();
    }

    /** Whether each of the next refusals is a limit's. */
    private boolean refusedBy(Limit limit, NodePair nodes, Channel channel, int length) {
        long[] expected = refusals(nodes);
        expected[limit.ordinal()] += REFUSALS;
        int refused = 0;
        for (int i = 0; refused < REFUSALS; i++) {
            assertThat(i).as("offers").isLessThan(100_000_000);
            if (channel.offer(buffer, 0, length) == SendResult.BACK_PRESSURED) {
                refused++;
            }
        }
        return Arrays.equals(refusals(nodes), expected);
    }

    @ParameterizedTest
    @EnumSource
    void aFullInboxIsTheReceivers(Fabric fabric) {
        try (NodePair nodes = new NodePair(fabric, NodeMode.INVOKER)) {
            nodes.server.openInbox(
                    "in",
                    new InboxOptions().chunkLength(64 << 10).maxMessage(4096).memoryLimit(1 << 20));
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            // What is tried again after a pause is the window's until its answer comes, which over a socket takes a
            // while.
            nodes.await(() -> refusedBy(Limit.RECEIVER, nodes, channel, 4096));
        }
    }

    /** The kernel has taken all, and nobody answers. */
    @Test
    void whatIsNotAcknowledgedIsTheWindows() {
        NodeContext client = Fabric.TCP.context(NodeMode.INVOKER).sendDepth(16);
        try (NodePair nodes = new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.INVOKER), client)) {
            nodes.server.openInbox("in");
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            nodes.pauseServer(true);
            assertMeets(Limit.WINDOW, nodes, channel, 8);
            nodes.pauseServer(false);
        }
    }

    /** The kernel takes no more. */
    @Test
    void whatWaitsToBeSentIsTheLinks() {
        NodeContext client =
                Fabric.TCP.context(NodeMode.INVOKER).sendDepth(1024).stagingLength(32 << 20);
        try (NodePair nodes = new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.INVOKER), client)) {
            nodes.server.openInbox("in");
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            nodes.pauseServer(true);
            assertMeets(Limit.LINK, nodes, channel, LARGE);
            nodes.pauseServer(false);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCeilingIsTheTenants(Fabric fabric) {
        try (NodePair nodes = new NodePair(fabric, NodeMode.INVOKER)) {
            nodes.client.tenants().set("default", new TenantOptions().ceiling(1_000_000));
            nodes.server.openInbox("in").onMessage(m -> {});
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            assertMeets(Limit.CEILING, nodes, channel, 4096);
        }
    }

    /** Operations on memory count as messages do: more are not under way than the region may have. */
    @Test
    void operationsOfARegionAreCountedToo() {
        try (NodePair nodes = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            nodes.server.share("memory", 64);
            RemoteRegion region = nodes.client.attach(nodes.address + "memory", NodePair.TIMEOUT);
            nodes.pauseServer(true);
            nodes.await(() -> {
                region.fetchAndAdd(0, 1, 0, (outcome, value, id) -> {});
                return statistics(nodes).refusals(Limit.WINDOW) >= REFUSALS;
            });
            nodes.pauseServer(false);
        }
    }

    @Test
    void aSenderWithoutRefusalsIsItsOwnLimit() {
        try (NodePair nodes = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            nodes.server.openInbox("in").onMessage(m -> {});
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            for (int i = 0; i < 100; i++) {
                assertThat(channel.offer(buffer, 0, 8)).isEqualTo(SendResult.SENT);
                nodes.await(() -> channel.outstanding() == 0);
            }
            assertThat(refusals(nodes)).containsOnly(0);
        }
    }
}
