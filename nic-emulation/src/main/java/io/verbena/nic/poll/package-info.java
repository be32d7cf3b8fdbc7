/**
 * How threads wait: polling schemes as settings, and the strategies that they make.
 *
 * <pre>
 *   Polling ── create ──▶ SpinThenSleep  BUSY, EVENT, EVENT_BATCH, HYBRID, SHARED_CQ, ADAPTIVE
 *                    └──▶ HaltPolling    KVM, the default
 *                            └──▶ AwakeCheck ──▶ CoreShortage ──▶ RunDelay
 *   PollLoop   RDMAbox algorithm 3 over any source: look, arm, look once more, block
 *   WaitCounters ──▶ WaitStatistics
 * </pre>
 *
 * <p>Nothing here holds a thread, blocks or knows an engine. Strategies take their time from a clock that they are
 * given, so that a simulation runs them as they are.
 */
@NullMarked
package io.verbena.nic.poll;

import org.jspecify.annotations.NullMarked;
