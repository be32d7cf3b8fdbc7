/**
 * Ways for small messages between two ends, Verbena's and its peers', behind one small interface, so that the same loop
 * measures all of them:
 *
 * <pre>
 *   near end (measures) ── offer ──▶ path ── poll ──▶ far end (answers, or only takes)
 *                       ◀── poll ──      ◀── offer ──
 * </pre>
 *
 * Both ends spin, each is driven by a thread of its own, in one process or in two; every message carries a number, and
 * a number out of order ends the measurement.
 */
@NullMarked
package io.verbena.bench.path;

import org.jspecify.annotations.NullMarked;
