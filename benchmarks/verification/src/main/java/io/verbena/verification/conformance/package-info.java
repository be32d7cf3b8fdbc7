/**
 * The conformance suite: one body of tests for what the verbs must do, run on each fabric, and the table of its
 * outcome.
 *
 * <pre>
 *   Row ◀── Proves ── tests of ConformanceTest, once a Fabric
 *                        │ TestNics: two NICs, a link, a connected pair of queue pairs
 *                        ▼
 *        TestNic ── engine ── Tap ── link of the fabric ── Tap ── engine ── TestNic
 *                              │                            │
 *                              └──── Way: lose, hold, repeat, rewrite, record ────┘
 * </pre>
 *
 * <p>On every fabric the packets are real and time is the suite's own: it stands still while a packet is under way, and
 * otherwise jumps to the next timer. So a test of a timeout states the exact time, on sockets too, and waits for
 * nothing.
 */
@NullMarked
package io.verbena.verification.conformance;

import org.jspecify.annotations.NullMarked;
