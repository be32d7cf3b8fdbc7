/**
 * The store as a service: one node per shard, which takes requests from its inbox and appends replies to the client's.
 *
 * <pre>
 *   client ── APPEND request ─▶ inbox of shard i ─▶ ShardRunner (one at a time) ─▶ store.Shard
 *   client ◀─ APPEND reply ──── its own inbox ◀──── ReplyTarget (backlog, and parked requests, while it lags)
 *   client ── READ ───────────▶ read index, which store.Shard writes
 * </pre>
 *
 * <p>Each tenant has an inbox a shard; a shard takes requests by its tenants' utilities ({@link
 * io.verbena.InboxShares}).
 */
@NullMarked
package io.verbena.kv.server;

import org.jspecify.annotations.NullMarked;
