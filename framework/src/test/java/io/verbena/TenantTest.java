package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Those who share a node: what they have, may set, and cannot reach. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TenantTest {
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[10_000]);

    private static NodeContext context(Fabric fabric) {
        return fabric.context(NodeMode.ASSISTED)
                .tenant(new TenantOptions().name("gold").weight(3).urgentLimit(1000))
                .tenant(new TenantOptions().name("tin").maxChannelWeight(10).mayBeUrgent(false));
    }

    private static NodePair pair(Fabric fabric) {
        return new NodePair(fabric, context(fabric), context(fabric));
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void whatATenantSendsAndIsAnsweredIsAtItsExpense(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            Tenant gold = pair.client.tenant("gold");
            Inbox inbox = pair.server.openInbox("in", new InboxOptions().tenant("tin"));
            Inbox answers = gold.openInbox("answers", new InboxOptions());
            Channel channel =
                    gold.connect(pair.address + "in", answers, new ChannelOptions().weight(5), NodePair.TIMEOUT);
            assertThat(channel.weight()).isEqualTo(5);
            assertThat(gold.connections()).isEqualTo(1);
            for (int i = 0; i < 20; i++) {
                while (channel.offer(message, 0, 5000) != SendResult.SENT) {
                    pair.client.doWork();
                }
                int[] taken = new int[1];
                pair.await(() -> (taken[0] += inbox.poll(m -> m.channel().offer(message, 0, 2000), 1)) > 0);
                pair.await(() -> answers.poll(m -> {}, 1) > 0);
            }
            Tenant tin = pair.server.tenant("tin"); // what was sent is counted after it is there
            pair.await(() -> gold.statistics().bytes() >= 100_000
                    && channel.statistics().bytes() >= 100_000
                    && tin.statistics().bytes() >= 40_000);
            assertThat(tin.statistics().bytes()).isLessThanOrEqualTo(80_000);
            assertThat(pair.client.tenant("tin").statistics().bytes()).isZero();
            assertThat(pair.server.tenant("gold").statistics().bytes()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void whatPeersReadIsAtTheOwnersExpense(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            pair.server.tenant("gold").share("table", 1 << 20);
            RemoteRegion table = pair.client.tenant("tin").attach(pair.address + "table", NodePair.TIMEOUT);
            for (int i = 0; i < 10; i++) {
                table.read(0, message, 0, 10_000, NodePair.TIMEOUT);
            }
            Tenant here = pair.client.tenant("tin");
            Tenant there = pair.server.tenant("gold");
            boolean mapped = fabric == Fabric.LOCAL || fabric == Fabric.SHM;
            pair.await(() -> (mapped ? here : there).statistics().bytes() >= 100_000);
            assertThat((mapped ? there : here).statistics().bytes()).isLessThan(20_000);
        }
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void callsAreAtTheCallersExpenseAndResponsesAtTheAnsweringTenants(Fabric fabric) {
        try (NodePair pair = pair(fabric)) {
            pair.server
                    .tenant("tin")
                    .openResponder("echo", new InboxOptions())
                    .onRequest(r -> r.reply(message, 0, 3000));
            Tenant gold = pair.client.tenant("gold");
            Requester requester = gold.openRequester(new RequesterOptions());
            Channel channel =
                    requester.connect(pair.address + "echo", new ChannelOptions().weight(7), NodePair.TIMEOUT);
            assertThat(channel.weight()).isEqualTo(7);
            int[] ended = new int[1];
            for (int i = 1; i <= 10; i++) {
                int calls = i;
                assertThat(requester.call(channel, message, 0, 4000, Duration.ofSeconds(20), i, r -> ended[0]++))
                        .isEqualTo(SendResult.SENT);
                pair.await(() -> {
                    requester.poll(1);
                    return ended[0] == calls;
                });
            }
            Tenant tin = pair.server.tenant("tin");
            pair.await(() ->
                    gold.statistics().bytes() >= 40_000 && tin.statistics().bytes() >= 30_000);
            assertThat(gold.statistics().bytes()).isLessThanOrEqualTo(80_000); // what was sent again included
            assertThat(tin.statistics().bytes()).isLessThanOrEqualTo(60_000);
        }
    }

    @Test
    void limitsAreNamedAndNothingIsLeftBehind() {
        try (NodePair pair = pair(Fabric.LOCAL)) {
            pair.server.openInbox("in");
            Tenant tin = pair.client.tenant("tin");
            assertThatThrownBy(() ->
                            tin.connect(pair.address + "in", null, new ChannelOptions().weight(11), NodePair.TIMEOUT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("weight 11 > maximum 10");
            assertThatThrownBy(() ->
                            tin.connect(pair.address + "in", null, new ChannelOptions().urgent(true), NodePair.TIMEOUT))
                    .hasMessageContaining("URGENT");
            Channel channel = tin.connect(pair.address + "in", NodePair.TIMEOUT);
            assertThatThrownBy(() -> channel.weight(11)).hasMessageContaining("11 > maximum 10");
            channel.weight(10);
            assertThat(channel.weight()).isEqualTo(10);
            pair.await(() -> tin.connections() == 1); // the refused ones are given back
        }
    }

    @Test
    void anUrgentChannelTakesShortMessages() {
        try (NodePair pair = pair(Fabric.LOCAL)) {
            Inbox inbox = pair.server.openInbox("in");
            Tenant gold = pair.client.tenant("gold");
            Channel channel =
                    gold.connect(pair.address + "in", null, new ChannelOptions().urgent(true), NodePair.TIMEOUT);
            assertThat(channel.isUrgent()).isTrue();
            assertThat(channel.maxMessage()).isEqualTo(1000);
            assertThatThrownBy(() -> channel.offer(message, 0, 1001)).hasMessageContaining("1001 bytes > maximum 1000");
            assertThat(channel.offer(message, 0, 1000)).isEqualTo(SendResult.SENT);
            pair.await(() -> inbox.poll(m -> {}, 1) > 0);
            channel.urgent(false);
            assertThat(channel.offer(message, 0, 1001)).isEqualTo(SendResult.SENT);
            pair.await(() -> inbox.poll(m -> {}, 1) > 0);
            channel.urgent(true);
            pair.client.tenants().set("gold", gold.options().urgentLimit(500));
            // The channel learns of a bound that is lowered when it offers; nothing of what it holds is lost.
            assertThatThrownBy(() -> channel.offer(message, 0, 1000)).hasMessageContaining("1000 bytes > maximum 500");
            assertThat(channel.offer(message, 0, 500)).isEqualTo(SendResult.SENT);
            pair.await(() -> inbox.poll(m -> {}, 1) > 0);
        }
    }

    @Test
    void anInboxGivesTheChannelsOfItsPeersWeightAndClass() {
        try (NodePair pair = pair(Fabric.LOCAL)) {
            Tenant gold = pair.server.tenant("gold");
            ChannelOptions options = new ChannelOptions().weight(6).urgent(true);
            Inbox inbox = gold.openInbox("in", new InboxOptions().channels(options));
            options.weight(7); // too late
            Inbox answers = pair.client.openInbox("answers");
            Channel channel = pair.client.connect(pair.address + "in", answers, NodePair.TIMEOUT);
            Channel back = incoming(pair, channel, inbox);
            assertThat(back.weight()).isEqualTo(6);
            assertThat(back.isUrgent()).isTrue();
            assertThat(back.maxMessage()).isEqualTo(1000);
            assertThat(gold.urgentConnections()).isEqualTo(1);
            assertThat(channel.weight()).isEqualTo(1);
            assertThat(channel.isUrgent()).isFalse();
            assertThat(back.offer(message, 0, 1000)).isEqualTo(SendResult.SENT);
            pair.await(() -> answers.poll(m -> {}, 1) > 0);
            // What the tenant may not set any more when a peer comes is brought down to what it may.
            pair.server.tenants().set("gold", gold.options().maxChannelWeight(4).mayBeUrgent(false));
            Channel late = incoming(pair, pair.client.connect(pair.address + "in", answers, NodePair.TIMEOUT), inbox);
            assertThat(late.weight()).isEqualTo(4);
            assertThat(late.isUrgent()).isFalse();
            assertThat(late.offer(message, 0, 1001)).isEqualTo(SendResult.SENT);
            Tenant tin = pair.server.tenant("tin");
            InboxOptions heavy = new InboxOptions().channels(new ChannelOptions().weight(11));
            assertThatThrownBy(() -> tin.openInbox("heavy", heavy)).hasMessageContaining("weight 11 > maximum 10");
            InboxOptions urgent = new InboxOptions().channels(new ChannelOptions().urgent(true));
            assertThatThrownBy(() -> tin.openInbox("urgent", urgent)).hasMessageContaining("URGENT, allowed is BULK");
            tin.openInbox("heavy", new InboxOptions()); // nothing is left of what was refused
        }
    }

    /** The server's end of a channel. */
    private Channel incoming(NodePair pair, Channel channel, Inbox inbox) {
        assertThat(channel.offer(message, 0, 10)).isEqualTo(SendResult.SENT);
        Channel[] end = new Channel[1];
        pair.await(() -> inbox.poll(m -> end[0] = m.channel(), 1) > 0);
        return end[0];
    }

    @Test
    void anotherTenantsInboxIsRefused() {
        try (NodePair pair = pair(Fabric.LOCAL)) {
            pair.server.openInbox("in");
            Inbox ofGold = pair.client.openInbox("mine", new InboxOptions().tenant("gold"));
            Tenant tin = pair.client.tenant("tin");
            assertThatThrownBy(() -> tin.connect(pair.address + "in", ofGold, new ChannelOptions(), NodePair.TIMEOUT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'gold'")
                    .hasMessageContaining("'tin'");
            assertThatThrownBy(() -> tin.openInbox("other", new InboxOptions().tenant("gold")))
                    .hasMessageContaining("'tin' may not open an inbox for 'gold'");
            pair.client.connect(pair.address + "in", ofGold, NodePair.TIMEOUT);
            assertThat(pair.client.tenant("gold").connections()).isEqualTo(1);
            assertThatThrownBy(() -> pair.client.tenant("iron"))
                    .hasMessageContaining("iron")
                    .hasMessageContaining("tin");
        }
    }

    private static boolean isRemoved(Tenants tenants, String name) {
        try {
            tenants.remove(name);
            return true;
        } catch (IllegalStateException busy) {
            return false;
        }
    }

    @Test
    void tenantsComeChangeAndGoAtRunTime() {
        try (NodePair pair = pair(Fabric.LOCAL)) {
            Tenants tenants = pair.client.tenants();
            assertThat(tenants.list()).extracting(Tenant::name).containsExactly("default", "gold", "tin");
            Tenant iron = tenants.add(new TenantOptions().name("iron").maxConnections(1));
            tenants.weight("iron", 9);
            assertThat(iron.options().weight()).isEqualTo(9);
            assertThat(iron.options().maxConnections()).isEqualTo(1);
            tenants.set("iron", iron.options().weight(4).ceiling(1 << 30));
            assertThat(iron.options().weight()).isEqualTo(4);
            assertThatThrownBy(() -> tenants.add(new TenantOptions().name("iron")))
                    .hasMessageContaining("iron");
            assertThatThrownBy(() -> tenants.weight("iron", 0)).hasMessageContaining("0 outside 1..65535");
            pair.server.openInbox("in");
            Channel channel = iron.connect(pair.address + "in", NodePair.TIMEOUT);
            assertThatThrownBy(() -> iron.connect(pair.address + "in", NodePair.TIMEOUT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("2 > maximum 1");
            assertThatThrownBy(() -> tenants.remove("iron")).hasMessageContaining("EBUSY");
            channel.close();
            pair.await(() -> isRemoved(tenants, "iron")); // once its queue pair and memory are given back
            assertThat(tenants.list()).hasSize(3);
            assertThatThrownBy(() -> tenants.remove("default")).isInstanceOf(IllegalStateException.class);
        }
    }

    /** A connection counts once, whether or not it shares its queue pair. */
    @Test
    void aTenantHasAsManyConnectionsAsItMay() {
        try (NodePair pair = pair(Fabric.LOCAL)) {
            Tenant iron =
                    pair.client.tenants().add(new TenantOptions().name("iron").maxConnections(12));
            pair.server.openInbox("in");
            String address = pair.address + "in";
            Channel last = iron.connect(address, NodePair.TIMEOUT);
            while (iron.connections() < 12) {
                last = iron.connect(address, NodePair.TIMEOUT);
            }
            assertThat(last.isShared()).isTrue();
            ChannelOptions apart = new ChannelOptions().dedicated(true);
            for (ChannelOptions options : List.of(new ChannelOptions(), apart)) {
                assertThatThrownBy(() -> iron.connect(address, null, options, NodePair.TIMEOUT))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("tenant 'iron'")
                        .hasMessageContaining("13 > maximum 12");
            }
            assertThat(iron.connections()).isEqualTo(12);
            last.close();
            pair.await(() -> iron.connections() == 11);
            iron.connect(address, null, apart, NodePair.TIMEOUT);
            assertThat(iron.connections()).isEqualTo(12);
        }
    }
}
