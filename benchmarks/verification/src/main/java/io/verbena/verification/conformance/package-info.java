/**
 * The conformance suite: one body of tests for what the verbs must do, run on each fabric, and the table of its
 * outcome.
 *
 * <pre>
 *   Row ◀── Proves ── tests of ConformanceTest, once a Fabric
 *                        │ Players: two NICs, a link, a connected pair of queue pairs
 *                        ▼
 *        Player ── engine ── Tap ── link of the fabric ── Tap ── engine ── Player
 *                             │                            │
 *                             └──── Way: lose, hold, repeat, rewrite, record ────┘
 * </pre>
 *
 * <p>On every fabric the packets are real and time is the suite's own: it stands still while a packet is under way, and
 * else goes to the next timer. So a test of a timeout says exactly when, on sockets too, and waits for nothing.
 */
@NullMarked
package io.verbena.verification.conformance;

import org.jspecify.annotations.NullMarked;
