/**
 * Ways to receive messages of any size from anyone, on the same verbs: an append queue, and what one does without (RIMA
 * 2.2, 5.2.1, Table 6). Each makes two ends that the same loop can drive, on any fabric; they take their time from the
 * caller and have no thread.
 *
 * <pre>
 *   sender's NIC                                          receiver's NIC
 *   SendScheme ── offer ──▶ queue pairs ══ fabric ══▶ queue pairs ──▶ ReceiveScheme ── poll ──▶ MessageSink
 *       ▲  connect(invitation)                             invite() ─┐   accept(answer)
 *       └──────────────────────── SchemeAddress ─────────────────────┘
 * </pre>
 */
@NullMarked
package io.verbena.papers.receive;

import org.jspecify.annotations.NullMarked;
