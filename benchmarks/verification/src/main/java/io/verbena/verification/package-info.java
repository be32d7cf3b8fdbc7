/**
 * What the NIC must do, proved on the NIC and the fabrics alone: no framework, no app.
 *
 * <pre>
 *   conformance (every verb and status, on every fabric) ──▶ fabric (pairs of NICs)
 *   simulate (verbs, append queues, under faults) ─────────▶ walk (seeds, shrinking, replay)
 * </pre>
 *
 * <p>{@code fabric} and {@code walk} also serve what measures.
 */
@NullMarked
package io.verbena.verification;

import org.jspecify.annotations.NullMarked;
