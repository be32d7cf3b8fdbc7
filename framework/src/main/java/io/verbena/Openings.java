package io.verbena;

import io.verbena.connection.AccessControl;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a node opens and shares under names, for itself and its tenants. Thread-safe. */
final class Openings {
    private static final String RESPONSES = "responses/"; // names have no slash

    private final Node node;
    private final @Nullable Engine sleeper; // whose sleep looks at inboxes first
    private final Tenants tenants;
    private final Directory directory;

    Openings(Node node, @Nullable Engine sleeper, Tenants tenants, Directory directory) {
        this.node = node;
        this.sleeper = sleeper;
        this.tenants = tenants;
        this.directory = directory;
    }

    /** Opens an inbox under a name, for the tenant that the options name, or else for the one that opens it. */
    Inbox inbox(Tenant opener, String name, InboxOptions options) {
        return inbox(opener, name, options, options.channels, false);
    }

    /** Opens a responder under a name, whose requests any thread may answer. */
    Responder responder(Tenant opener, String name, InboxOptions options) {
        return new Responder(inbox(opener, name, options, new ChannelOptions(options.channels).concurrent(true), true));
    }

    /** Opens a requester. */
    Requester requester(Tenant opener, RequesterOptions options) {
        node.checkOpen();
        return new Requester(node, responses(opener, options.responses), options);
    }

    private Inbox inbox(Tenant opener, String name, InboxOptions options, ChannelOptions peers, boolean answers) {
        node.checkOpen();
        Address.checkName(name);
        Tenant tenant = whose(options, opener);
        options.channels.check(tenant.options());
        AppendQueue queue = tenant.pd().createAppendQueue(options.attributes());
        Inbox inbox = new Inbox(node, tenant, name, queue, options, peers);
        try {
            directory.add(inbox, answers);
        } catch (RuntimeException e) {
            queue.destroy(true);
            throw e;
        }
        return watched(inbox);
    }

    /** Opens an inbox for responses, under a name that no peer can ask for. */
    private Inbox responses(Tenant opener, InboxOptions options) {
        Tenant tenant = whose(options, opener);
        AppendQueue queue = tenant.pd().createAppendQueue(options.attributes());
        return watched(new Inbox(node, tenant, RESPONSES, queue, options, options.channels));
    }

    private Inbox watched(Inbox inbox) {
        if (sleeper != null) {
            sleeper.addParkCheck(inbox.callback().parkCheck());
        }
        return inbox;
    }

    private Tenant whose(InboxOptions options, Tenant opener) {
        String named = options.tenant;
        if (named == null) {
            return opener;
        }
        Tenant tenant = tenants.get(named);
        if (opener != tenants.defaultTenant() && tenant != opener) {
            throw new IllegalArgumentException(
                    "tenant '" + opener.name() + "' may not open an inbox for '" + named + "'");
        }
        return tenant;
    }

    /** Removes a closed inbox, and destroys its queue if nobody is polling it. */
    void forget(Inbox inbox, AppendQueue queue) {
        directory.remove(inbox);
        node.turns().remove(inbox.callback());
        if (inbox.callback().isPolledByNode()) {
            node.turns().retry(inbox::destroy);
        } else {
            queue.destroy(true);
        }
    }

    /** Shares memory under a name; peers get these rights at most, or all if none is named. */
    SharedRegion region(Tenant tenant, String name, int bytes, Right... rights) {
        node.checkOpen();
        Address.checkName(name);
        int grantable = 0;
        for (Right right : rights.length == 0 ? Right.values() : rights) {
            grantable |= AccessControl.access(right);
        }
        MemoryRegion memory = tenant.pd().allocate(bytes, Access.LOCAL_WRITE);
        SharedRegion region = new SharedRegion(node, tenant, name, memory, grantable);
        try {
            directory.add(region);
        } catch (RuntimeException e) {
            tenant.pd().deregister(memory);
            throw e;
        }
        return region;
    }

    /** Takes back a region with all its keys; if the node is closed, its memory is gone already. */
    void forget(SharedRegion region, List<MemoryRegion> memory) {
        directory.remove(region);
        if (!node.driver().hasEnded()) {
            memory.forEach(region.tenant().pd()::deregister);
        }
    }
}
