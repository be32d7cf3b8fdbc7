package io.verbena.connection;

import io.verbena.mux.MuxSettings;

/**
 * What a node makes and ends connections with.
 *
 * @param node its name
 * @param sendDepth messages that a channel may have under way at first
 * @param maxInline bytes up to which a message is carried in the request itself
 * @param stagingLength bytes in which a channel keeps longer messages at first
 * @param pathMtu payload bytes of a full packet
 * @param ackTimeoutCode code of the time after which an acknowledgement is missed
 * @param retryCount how often it is waited for again
 * @param lingerNanos how long a close waits for what was sent
 * @param idleNanos after which a channel's memory is taken back
 * @param peerTimeoutNanos how long a link may be broken
 * @param maxConnections that there may be
 * @param sharing when connections share queue pairs
 */
public record ConnectionSettings(
        String node,
        int sendDepth,
        int maxInline,
        int stagingLength,
        int pathMtu,
        int ackTimeoutCode,
        int retryCount,
        long lingerNanos,
        long idleNanos,
        long peerTimeoutNanos,
        int maxConnections,
        MuxSettings sharing) {}
