package io.verbena.connection;

import io.verbena.AccessRequest;
import io.verbena.Right;
import java.util.Set;
import java.util.function.Function;

/**
 * What peers may do at a node, and how much of it each may take.
 *
 * @param rights all that a peer may do with what it asks for; is the application's, and may throw
 * @param maxConnections that one peer may have at a time
 * @param maxRegionBytes bytes of all regions that one peer is attached to
 * @param maxInboxBytes bytes of one peer's messages that lie untaken, {@link Long#MAX_VALUE} for no limit
 */
public record AccessRules(
        Function<AccessRequest, Set<Right>> rights, int maxConnections, long maxRegionBytes, long maxInboxBytes) {}
