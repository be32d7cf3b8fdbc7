/**
 * The ports through which a NIC reaches the world. A fabric depends on this package alone.
 *
 * <pre>
 *   engine ── Link ────────── packets ───────▶ peer NIC
 *          ── PeerMemory ──── direct path ───▶ peer's control block and segments
 *          ── Waiter ──────── sockets, timers, doorbells: one wait
 *          ── PollStrategy ── how long a thread stays awake before it waits there
 *          ── MemoryProvider  control block and segments of this NIC
 * </pre>
 */
@NullMarked
package io.verbena.nic.port;

import org.jspecify.annotations.NullMarked;
