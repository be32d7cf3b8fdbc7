package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.nic.arbiter.Limit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sender that is told "not now" is counted under what was short. */
@Timeout(60)
class RefusalsTest {
    private static final int LARGE = 64 * 1024;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[LARGE]);

    private static GroupStatistics statistics(NodePair nodes) {
        return nodes.client.tenant("default").statistics();
    }

    /** Sends until this limit has been met. */
    private void fill(NodePair nodes, Channel channel, int length, Limit limit) {
        nodes.await(() -> {
            channel.offer(buffer, 0, length);
            return statistics(nodes).refusals(limit) >= 100;
        });
    }

    private static void assertMost(NodePair nodes, Limit limit) {
        long most = statistics(nodes).refusals(limit);
        for (Limit each : Limit.values()) {
            if (each != limit) {
                assertThat(statistics(nodes).refusals(each)).as("%s beside %s", each, limit).isLessThan(most);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFullInboxIsTheReceivers(Fabric fabric) {
        try (NodePair nodes = new NodePair(fabric, NodeMode.INVOKER)) {
            nodes.server.openInbox("in", new InboxOptions().chunkLength(256 << 10).memoryLimit(1 << 20));
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            fill(nodes, channel, 4096, Limit.RECEIVER);
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
            fill(nodes, channel, 8, Limit.WINDOW);
            assertMost(nodes, Limit.WINDOW);
            nodes.pauseServer(false);
        }
    }

    /** The kernel takes no more. */
    @Test
    void whatWaitsToBeSentIsTheLinks() {
        NodeContext client = Fabric.TCP.context(NodeMode.INVOKER).sendDepth(1024).stagingLength(32 << 20);
        try (NodePair nodes = new NodePair(Fabric.TCP, Fabric.TCP.context(NodeMode.INVOKER), client)) {
            nodes.server.openInbox("in");
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            nodes.pauseServer(true);
            fill(nodes, channel, LARGE, Limit.LINK);
            assertMost(nodes, Limit.LINK);
            nodes.pauseServer(false);
        }
    }

    @Test
    void aCeilingIsTheTenants() {
        try (NodePair nodes = new NodePair(Fabric.TCP, NodeMode.INVOKER)) {
            nodes.client.tenants().set("default", new TenantOptions().ceiling(1_000_000));
            nodes.server.openInbox("in").onMessage(m -> {});
            Channel channel = nodes.client.connect(nodes.address + "in", NodePair.TIMEOUT);
            fill(nodes, channel, 4096, Limit.CEILING);
            assertMost(nodes, Limit.CEILING);
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
            for (Limit each : Limit.values()) {
                assertThat(statistics(nodes).refusals(each)).isZero();
            }
        }
    }
}
