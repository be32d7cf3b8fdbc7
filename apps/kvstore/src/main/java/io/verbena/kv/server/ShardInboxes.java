package io.verbena.kv.server;

import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.InboxShares;
import io.verbena.Node;
import io.verbena.Tenant;
import io.verbena.Tenants;
import io.verbena.TurnShares;
import io.verbena.kv.protocol.TransferDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The inboxes of a shard, one a tenant. */
final class ShardInboxes {
    /** Name of the default tenant's. */
    private static final String INBOX = "requests";

    /** Requests come in bursts: clients do not wait for memory before they have filled so many chunks. */
    private static final int RESERVE_CHUNKS = 6;

    private ShardInboxes() {}

    static InboxShares open(Node node, KvServerContext context, AtomicIntegerArray shardsOfTenants) {
        InboxOptions options = new InboxOptions()
                .chunkLength(context.inboxChunk)
                .reserveChunks(RESERVE_CHUNKS)
                .maxMessage(TransferDescriptor.MAX_MESSAGE);
        List<Inbox> opened = new ArrayList<>();
        List<TurnShares.Party> parties = new ArrayList<>();
        for (String name : context.tenantNames()) {
            Tenant tenant = node.tenant(name);
            opened.add(tenant.openInbox(nameOf(name), options));
            parties.add(TurnShares.Party.of(tenant.options()));
        }
        return new InboxShares(opened, parties, shardsOfTenants, System::nanoTime);
    }

    /** Name of a tenant's inbox in each shard's node. */
    static String nameOf(String tenant) {
        return tenant.equals(Tenants.DEFAULT) ? INBOX : INBOX + '-' + tenant;
    }
}
