/**
 * Walkers of seeds, whatever they walk through: what a seed means, many of them on a few threads, and a failing one
 * made smaller.
 *
 * <pre>
 *   SeedCommand ──▶ Walks ── a seed ──▶ Plan ──▶ SeedWalk ──▶ WalkFailure
 *        │                               ▲                        │
 *        └── replay command, trace       └──────── Shrinker ◀─────┘
 * </pre>
 */
@NullMarked
package io.verbena.verification.walk;

import org.jspecify.annotations.NullMarked;
