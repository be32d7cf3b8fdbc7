/**
 * Reliable transport: requester, responder and completer, as pure state machines. Time comes from an injected clock,
 * packets go through {@link io.verbena.nic.port}; no threads, locks, sleeps or static state, and no allocation once
 * running.
 *
 * <pre>
 *   Flow ◄── ScheduledFlow ◄── QpContext ──┬─ Connection, RetryPolicy        what modify has set
 *            doorbell, lists               ├─ ReliableRequester ──┬─ PsnWindow    which request has which PSNs
 *                                          │                      ├─ AppendRun    several appends in one packet
 *                                          │                      ├─ DirectPath   the peer's mapped memory
 *                                          │                      └─ Completer    answers, timers, retries, RnrBackOff
 *                                          └─ ReliableResponder ─── ResponderResources
 * </pre>
 */
@NullMarked
package io.verbena.nic.transport;

import org.jspecify.annotations.NullMarked;
