/**
 * Who sends next, and how much: the {@link io.verbena.nic.arbiter.Arbiter} port and the disciplines behind it.
 *
 * <pre>
 *   engine ── next ─▶ group (round) ─▶ flow (round) ── budget ─▶ requester, responder
 *          ◀─ charge, then active | idle | blocked | full
 * </pre>
 */
@NullMarked
package io.verbena.nic.arbiter;

import org.jspecify.annotations.NullMarked;
