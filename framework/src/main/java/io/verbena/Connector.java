package io.verbena;

import io.verbena.connection.ChannelSettings;
import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionFlyweight;
import io.verbena.connection.ConnectionOwner;
import io.verbena.connection.Dialer;
import io.verbena.connection.MessageQueue;
import io.verbena.nic.engine.Engine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes connections for a node and its tenants: channels and remote regions. Thread-safe. */
final class Connector {
    private final Node node;
    private final @Nullable Engine sleeper; // whose sleep looks at regions first
    private final Dialer dialer;

    Connector(Node node, @Nullable Engine sleeper, Dialer dialer) {
        this.node = node;
        this.sleeper = sleeper;
        this.dialer = dialer;
    }

    /** Connects to an inbox, and reconnects when the channel is lost if the options say so. */
    Channel connect(
            Tenant tenant, String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        node.checkOpen();
        tenant.checkOwns(answersTo);
        Channel channel = channelOf(
                open(address, ConnectionFlyweight.INBOX, tenant.asOwner(), answersTo, options.settings(), timeout));
        Reconnector.watch(channel, node, tenant, address, answersTo, options, timeout);
        return channel;
    }

    /** As {@link #connect}, without waiting. */
    CompletableFuture<Channel> connectAsync(
            Tenant tenant, String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        return openAsync(tenant, address, answersTo, options, timeout).thenApply(channel -> {
            Reconnector.watch(channel, node, tenant, address, answersTo, options, timeout);
            return channel;
        });
    }

    /** Connects once, without waiting. */
    CompletableFuture<Channel> openAsync(
            Tenant tenant, String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        node.checkOpen();
        tenant.checkOwns(answersTo);
        return dialer.openAsync(
                        Address.parse(address),
                        ConnectionFlyweight.INBOX,
                        tenant.asOwner(),
                        queueOf(answersTo),
                        options.settings(),
                        timeout)
                .thenApply(Connector::channelOf);
    }

    /** Attaches to a region. */
    RemoteRegion attach(Tenant tenant, String address, RegionOptions options, Duration timeout) {
        node.checkOpen();
        ConnectionOwner owner = new TenantConnections(node, tenant, options.settings(tenant.pd(), node.clock()));
        Connection connection =
                open(address, ConnectionFlyweight.REGION, owner, null, ChannelSettings.DEFAULT, timeout);
        if (!(connection.end instanceof RemoteRegion.End end)) {
            throw new IllegalStateException("connection " + connection.number() + " reaches no memory");
        }
        RemoteRegion region = end.region();
        if (sleeper != null) {
            sleeper.addParkCheck(region.parkCheck());
        }
        return region;
    }

    private Connection open(
            String address,
            int kind,
            ConnectionOwner owner,
            @Nullable Inbox answersTo,
            ChannelSettings settings,
            Duration timeout) {
        Address target = Address.parse(address);
        node.driver().refuseInCallback("connect");
        return dialer.open(target, kind, owner, queueOf(answersTo), settings, timeout);
    }

    private static @Nullable MessageQueue queueOf(@Nullable Inbox inbox) {
        return inbox == null ? null : inbox.messageQueue();
    }

    private static Channel channelOf(Connection connection) {
        if (connection.end instanceof Channel.End end) {
            return end.channel();
        }
        throw new IllegalStateException("connection " + connection.number() + " carries no messages");
    }
}
