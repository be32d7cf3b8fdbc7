/**
 * Internal: how connections between nodes come to be, live and end. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   Dialer ──▶ Handshake ──▶ ConnectionMaker ──▶ Connection ──▶ SendPath
 *                 │  └─────▶ Targets, AccessRules, PeerUsage         what peers may ask for, and how much of it
 *                 ▼
 *             Connections ──▶ Closings, LostPeers, IdleMemory        how they end, and what is taken back
 *                 └─────────▶ ConnectionEnd, Notices                 who is told
 * </pre>
 *
 * <p>What uses a connection, a channel or a remote region, is a {@link io.verbena.connection.ConnectionEnd} here, and whose it is a
 * {@link io.verbena.connection.ConnectionOwner}.
 */
@NullMarked
package io.verbena.connection;

import org.jspecify.annotations.NullMarked;
