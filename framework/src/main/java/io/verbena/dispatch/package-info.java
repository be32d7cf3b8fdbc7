/**
 * Internal: who runs application code of a node, when and on which thread. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   NodeDriver ──▶ Turns ──▶ CallbackTurns ──▶ CallbackSource      an inbox with a callback
 *                    │  └──▶ TurnTask ◀── Handoff                  calls, operations, executors
 *                    ├─────▶ TurnWork                              the node's connections
 *                    └─────▶ CallbackWatch ──▶ TenantCallbacks ──▶ CallbackMeter
 *   OneThread                                                      refuses a second thread
 * </pre>
 *
 * <p>It knows nothing of inboxes, channels and tenants but what they hand it here.
 */
@NullMarked
package io.verbena.dispatch;

import org.jspecify.annotations.NullMarked;
