package io.verbena;

import io.verbena.connection.Connection;
import io.verbena.connection.ConnectionEnd;
import io.verbena.connection.ConnectionOwner;
import io.verbena.merge.MergeSettings;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ProtectionDomain;
import io.verbena.path.StagingRing;

/** A tenant's connections: makes the channels and remote regions that use them. */
final class TenantConnections implements ConnectionOwner {
    private final Node node;
    private final Tenant tenant;
    private final RegionSettings regions;

    TenantConnections(Node node, Tenant tenant, RegionSettings regions) {
        this.node = node;
        this.tenant = tenant;
        this.regions = regions;
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
    public int maxRegionEntries() {
        return regions.merges() == null ? 1 : MergeSettings.MAX_ENTRIES;
    }

    @Override
    public ConnectionEnd channel(Connection connection, boolean concurrent) {
        return new Channel(node, connection, tenant, concurrent).end();
    }

    @Override
    public ConnectionEnd region(Connection connection, StagingRing staging, CompletionQueue completions) {
        return new RemoteRegion(node, connection, completions, staging, tenant, regions).end();
    }
}
