/**
 * The simulated fabric: virtual time, one thread, seeded. Links have a rate, a delay and faults; a run is a function of
 * its seed and replays to the byte.
 *
 * <pre>
 *   Simulation ── VirtualClock ─────────────────────────────▶ every engine's clock
 *       │ steps the actors until none has work, then moves the clock
 *       ├── Actor (an engine, an application)   Actor
 *       │     │ claim, commit, flush              ▲ poll
 *       │     ▼                                   │
 *       └── SimLink ── window ── (NicModel) ── rate ── faults ── delay ── (NicModel) ── SimLink
 * </pre>
 *
 * <p>Nothing here is thread-safe: a simulation and all that takes part in it belong to one thread.
 */
@NullMarked
package io.verbena.nic.sim;

import org.jspecify.annotations.NullMarked;
