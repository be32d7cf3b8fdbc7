package io.verbena;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a node has that peers can connect to, by name: inboxes and regions share one name space. Thread-safe. */
final class Directory {
    private final String nodeName;
    private final Map<String, Inbox> inboxes = new HashMap<>();
    private final Map<String, SharedRegion> regions = new HashMap<>();

    Directory(String nodeName) {
        this.nodeName = nodeName;
    }

    synchronized void add(Inbox inbox) {
        checkFree(inbox.name());
        inboxes.put(inbox.name(), inbox);
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
        inboxes.remove(inbox.name(), inbox);
    }

    synchronized void remove(SharedRegion region) {
        regions.remove(region.name(), region);
    }

    synchronized @Nullable Inbox inbox(String name) {
        return inboxes.get(name);
    }

    synchronized @Nullable SharedRegion region(String name) {
        return regions.get(name);
    }
}
