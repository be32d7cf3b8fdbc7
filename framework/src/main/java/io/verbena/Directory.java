package io.verbena;

import io.verbena.connection.ChannelSettings;
import io.verbena.connection.ConnectionOwner;
import io.verbena.connection.MessageQueue;
import io.verbena.connection.Target;
import io.verbena.connection.Targets;
import io.verbena.nic.memory.Access;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What peers can connect to on a node, by name: inboxes and regions share one name space. Thread-safe. */
final class Directory implements Targets {
    private final String nodeName;
    private final Map<String, Inbox> inboxes = new HashMap<>();
    private final Map<String, SharedRegion> regions = new HashMap<>();
    private final Set<String> responders = new HashSet<>();

    Directory(String nodeName) {
        this.nodeName = nodeName;
    }

    /** Adds an inbox, which may be a responder's. */
    synchronized void add(Inbox inbox, boolean answers) {
        checkFree(inbox.name());
        inboxes.put(inbox.name(), inbox);
        if (answers) {
            responders.add(inbox.name());
        }
    }

    synchronized void add(SharedRegion region) {
        checkFree(region.name());
        regions.put(region.name(), region);
    }

    private void checkFree(String name) {
        if (inboxes.containsKey(name) || regions.containsKey(name)) {
            throw new IllegalArgumentException(
                    "node '" + nodeName + "' has something of the name '" + name + "' already");
        }
    }

    synchronized void remove(Inbox inbox) {
        if (inboxes.remove(inbox.name(), inbox)) {
            responders.remove(inbox.name());
        }
    }

    synchronized void remove(SharedRegion region) {
        regions.remove(region.name(), region);
    }

    @Override
    public synchronized @Nullable Target inbox(String name) {
        Inbox inbox = inboxes.get(name);
        return inbox == null ? null : new InboxTarget(inbox, responders.contains(name));
    }

    @Override
    public synchronized @Nullable Target region(String name) {
        SharedRegion region = regions.get(name);
        return region == null ? null : new RegionTarget(region);
    }

    private record InboxTarget(Inbox inbox, boolean answers) implements Target {
        @Override
        public AccessRequest.Kind kind() {
            return answers ? AccessRequest.Kind.RESPONDER : AccessRequest.Kind.INBOX;
        }

        @Override
        public ConnectionOwner owner() {
            return inbox.tenant().asOwner();
        }

        @Override
        public ChannelSettings settings() {
            return inbox.channelOptions().within(inbox.tenant().options()).settings();
        }

        @Override
        public MessageQueue queue() {
            return inbox.messageQueue();
        }

        @Override
        public long regionLength() {
            return 0;
        }

        @Override
        public int grantable() {
            return Access.REMOTE;
        }

        @Override
        public int regionKey(int rights) {
            return 0;
        }
    }

    private record RegionTarget(SharedRegion region) implements Target {
        @Override
        public AccessRequest.Kind kind() {
            return AccessRequest.Kind.REGION;
        }

        @Override
        public ConnectionOwner owner() {
            return region.tenant().asOwner();
        }

        @Override
        public ChannelSettings settings() {
            return ChannelSettings.DEFAULT;
        }

        @Override
        public @Nullable MessageQueue queue() {
            return null;
        }

        @Override
        public long regionLength() {
            return region.length();
        }

        @Override
        public int grantable() {
            return region.grantable();
        }

        @Override
        public int regionKey(int rights) {
            return region.key(rights);
        }
    }
}
