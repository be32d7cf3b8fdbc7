/**
 * Internal: how connections between nodes come to be, live and end. Not for users, and without promise of
 * compatibility.
 *
 * <pre>
 *   Dialer ──▶ Handshake ──▶ ConnectionMaker ──▶ Connection ──▶ SendPath
 *                 │  └─────▶ Targets, AccessRules, PeerUsage         what peers may ask for, and how much of it
 *                 ▼
 *             Connections ──▶ Closings, Retirement, LostPeers        how they end
 *                 │  └──────▶ Redials, IdleMemory                    what is tried again, and what is taken back
 *                 └─────────▶ ConnectionEnd, Notices                 who is told
 * </pre>
 *
 * <p>What takes time (requests and answers that are sent again, lingering, goodbyes, pauses) is the work of agents
 * ({@link io.verbena.dispatch.DutyCycleAgent}), which {@link io.verbena.connection.Connections} drives at the
 * earliest of their deadlines. With the clock of a simulation they run in virtual time.
 *
 * <p>What uses a connection, a channel or a remote region, is a {@link io.verbena.connection.ConnectionEnd} here, and
 * whose it is a {@link io.verbena.connection.ConnectionOwner}.
 */
@NullMarked
package io.verbena.connection;

import org.jspecify.annotations.NullMarked;
