/**
 * Internal: where and when a node runs application code. Not for users, and without promise of
 * compatibility.
 *
 * <pre>
 *   NodeDriver ──▶ Turns ──▶ CallbackTurns ──▶ CallbackSource      an inbox with a callback
 *                    │  └──▶ TurnTask ◀── Handoff                  calls, operations, executors
 *                    ├─────▶ DutyCycleAgent ◀── Retries            periodic work; so are connections
 *                    └─────▶ CallbackWatch ──▶ TenantCallbacks ──▶ CallbackMeter
 *   SingleThreadGuard                                                      refuses a second thread
 * </pre>
 *
 * <p>A turn reads the node's clock once, and its agents ({@link io.verbena.dispatch.DutyCycleAgent}) use that time.
 * What happens between turns reads the same clock as a {@link org.agrona.concurrent.NanoClock}, which is the
 * NIC's. Only threads that wait for other threads do so in real time.
 *
 * <p>It knows nothing of inboxes, channels and tenants except what they hand over here.
 */
@NullMarked
package io.verbena.dispatch;

import org.jspecify.annotations.NullMarked;
