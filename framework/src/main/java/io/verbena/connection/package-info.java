/**
 * Internal: how connections between nodes are made, live and end. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   Dialer ──▶ Handshake ──▶ ConnectionMaker ──▶ Connection ──▶ SendPath
 *                 │  └─────▶ Targets, AccessRules, PeerUsage         what peers may ask for, and how much of it
 *                 ▼
 *             Connections ──▶ Closings, Retirement, LostPeers        how they end
 *                 │  └──────▶ Redials, IdleMemory                    what is retried, and what is taken back
 *                 └─────────▶ ConnectionEnd, Notices                 who is notified
 * </pre>
 *
 * <p>Whatever takes time (repeated requests and answers, lingering, goodbyes, pauses) is done by agents
 * ({@link io.verbena.dispatch.DutyCycleAgent}), which {@link io.verbena.connection.Connections} drives at the earliest
 * of their deadlines. With the clock of a simulation they run in virtual time.
 *
 * <p>A user of a connection, which is a channel or a remote region, is a {@link io.verbena.connection.ConnectionEnd}
 * here, and the tenant that owns it a {@link io.verbena.connection.ConnectionOwner}.
 */
@NullMarked
package io.verbena.connection;

import org.jspecify.annotations.NullMarked;
