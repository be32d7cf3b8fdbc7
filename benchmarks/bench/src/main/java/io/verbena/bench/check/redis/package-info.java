/**
 * An integrity load for servers that speak Redis' protocol.
 *
 * <p>Every connection is a player. Most players own keys and a model of them, so that each reply is known exactly; the
 * others share counters, registers, queues and sets, whose histories are judged for linearizability. What a player asks
 * for is a function of the seed; how the server's replies interleave is not.
 *
 * <pre>
 *   RedisCheck ── director: scenarios in turn, deadline, audit
 *      │
 *      ├─ ClientLoop (a thread, a selector) ── PlayerConnection ◀── bytes ──▶ server
 *      │                                        │    ▲
 *      │                            replies in order │ batches of requests
 *      │                                        ▼    │
 *      └─ Player: OwnKeysPlayer, ScenarioPlayer, TenantPlayer, SharedPlayer
 *            │
 *            └─ Slot (a key and its model), ValueContent (self-describing bytes), Expected (what the reply must be)
 * </pre>
 *
 * <p>A model is advanced when a reply begins, not when its command is sent: replies come in the order of the commands,
 * so nothing needs to be taken back when the server refuses a write or a connection dies.
 */
@NullMarked
package io.verbena.bench.check.redis;

import org.jspecify.annotations.NullMarked;
