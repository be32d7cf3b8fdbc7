package io.verbena;

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
    private final Channels channels;
    private final Turns turns;

    Openings(
            Node node, @Nullable Engine sleeper, Tenants tenants, Directory directory, Channels channels, Turns turns) {
        this.node = node;
        this.sleeper = sleeper;
        this.tenants = tenants;
        this.directory = directory;
        this.channels = channels;
        this.turns = turns;
    }

    /** Opens an inbox of a name, for the tenant that the options name or else the one that opens it. */
    Inbox inbox(Tenant opener, String name, InboxOptions options) {
        return inbox(opener, name, options, options.channels, false);
    }

    /** Opens an inbox of a name for requests, which any thread answers. */
    Inbox requests(Tenant opener, String name, InboxOptions options) {
        return inbox(opener, name, options, new ChannelOptions(options.channels).concurrent(true), true);
    }

    private Inbox inbox(Tenant opener, String name, InboxOptions options, ChannelOptions peers, boolean answers) {
        Address.checkName(name);
        Tenant tenant = whose(options, opener);
        options.channels.check(tenant.options());
        AppendQueue queue = tenant.pd().createAppendQueue(options.attributes());
        Inbox inbox = new Inbox(node, tenant, name, queue, channels, options, peers);
        try {
            directory.add(inbox, answers);
        } catch (RuntimeException e) {
            queue.destroy(true);
            throw e;
        }
        return watched(inbox);
    }

    /** Opens an inbox for responses, of no name that a peer could ask for. */
    Inbox responses(Tenant opener, InboxOptions options) {
        Tenant tenant = whose(options, opener);
        AppendQueue queue = tenant.pd().createAppendQueue(options.attributes());
        return watched(new Inbox(node, tenant, RESPONSES, queue, channels, options, options.channels));
    }

    private Inbox watched(Inbox inbox) {
        if (sleeper != null) {
            sleeper.addParkCheck(inbox.parkCheck());
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

    /** An inbox was closed: takes it out, and destroys its queue where nobody is polling it. */
    void forget(Inbox inbox, AppendQueue queue) {
        directory.remove(inbox);
        turns.remove(inbox);
        if (inbox.isPolledByNode()) {
            turns.retry(inbox::destroy);
        } else {
            queue.destroy(true);
        }
    }

    /** Shares memory under a name. */
    SharedRegion region(Tenant tenant, String name, int bytes) {
        Address.checkName(name);
        MemoryRegion memory = tenant.pd().allocate(bytes, Access.LOCAL_WRITE);
        SharedRegion region = new SharedRegion(node, tenant, name, memory);
        try {
            directory.add(region);
        } catch (RuntimeException e) {
            tenant.pd().deregister(memory);
            throw e;
        }
        return region;
    }

    /** A region was taken back, with all its keys; its memory went with the node if that is gone. */
    void forget(SharedRegion region, List<MemoryRegion> memory, boolean isNodeClosed) {
        directory.remove(region);
        if (!isNodeClosed) {
            memory.forEach(region.tenant().pd()::deregister);
        }
    }
}
