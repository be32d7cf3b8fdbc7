/**
 * Integrity of messages: several nodes, threads and processes send, call, read and write at once, and every byte that
 * arrives is known beforehand.
 *
 * <pre>
 *   Client (thread, node) ─ ChannelLoad ──▶ Hub: sink, polled, consumers, small, hold ─▶ NodeArrivals ─▶ Findings
 *                         ─ EchoLoad ─────▶      echo ──▶ back, judged here
 *                         ─ ProxyLoad ────▶ sockets of the node's own event loop, a shared read buffer
 *                         ─ CallLoad ─────▶      responders, at once and later
 *                         ─ RegionLoad ───▶      table: slots and counters
 *                         ─ ChurnLoad, NestedLoad
 * </pre>
 *
 * <p>A {@link io.verbena.bench.check.messages.MessagesRun} plays {@link io.verbena.bench.check.messages.Round rounds},
 * each with nodes of its own for one fabric and one mode of the clients. The hub is in the same process, or in another
 * that is killed now and then.
 *
 * <p>In a {@link io.verbena.bench.check.messages.Soak} it is the other way round: the hub stays, the clients are
 * processes that are killed and replaced, and what the hub's process holds is watched.
 */
@NullMarked
package io.verbena.bench.check.messages;

import org.jspecify.annotations.NullMarked;
