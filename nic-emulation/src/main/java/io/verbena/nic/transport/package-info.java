/**
 * Reliable transport: requester, responder and completer, as pure state machines. Time comes from an injected clock,
 * packets go through {@link io.verbena.nic.port}; no threads, locks, sleeps or static state, and no allocation once
 * running.
 */
@NullMarked
package io.verbena.nic.transport;

import org.jspecify.annotations.NullMarked;
