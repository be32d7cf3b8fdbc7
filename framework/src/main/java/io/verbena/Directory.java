package io.verbena;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a node has that peers can connect to, by name: inboxes and regions share one name space. Thread-safe. */
final class Directory {
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

    /** Whether there is a responder of a name. */
    synchronized boolean isResponder(String name) {
        return responders.contains(name);
    }

    synchronized @Nullable Inbox inbox(String name) {
        return inboxes.get(name);
    }

    synchronized @Nullable SharedRegion region(String name) {
        return regions.get(name);
    }
}
