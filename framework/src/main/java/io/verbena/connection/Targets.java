package io.verbena.connection;

import org.jspecify.annotations.Nullable;

/** What a node has that peers can connect to, by name. Thread-safe. */
public interface Targets {
    /** The inbox of a name, which may be a responder's; or null. */
    @Nullable
    Target inbox(String name);

    /** The region of a name, or null. */
    @Nullable
    Target region(String name);
}
