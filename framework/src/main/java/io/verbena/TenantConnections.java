package io.verbena;

import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionEnd;
import io.verbena.connection.ConnectionOwner;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ProtectionDomain;
import io.verbena.path.StagingRing;

/** A tenant's connections: makes the channels and remote regions that use them. */
final class TenantConnections implements ConnectionOwner {
    private final Node node;
    private final Tenant tenant;

    TenantConnections(Node node, Tenant tenant) {
        this.node = node;
        this.tenant = tenant;
    }

    @Override
    public String name() {
        return tenant.name();
    }

    @Override
    public ProtectionDomain pd() {
        return tenant.pd();
    }

    @Override
    public ConnectionEnd channel(Connection connection, StagingRing staging, boolean concurrent) {
        Channel channel = new Channel(node, connection, staging, tenant, concurrent);
        node.channels().put(channel);
        return channel.end();
    }

    @Override
    public ConnectionEnd region(Connection connection, StagingRing staging, CompletionQueue completions) {
        return new RemoteRegion(node, connection, completions, staging, tenant).end();
    }
}
