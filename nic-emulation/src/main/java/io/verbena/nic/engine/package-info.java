/**
 * The engine, which pulls work through the NIC: the only package with threads, locks and blocking. The NIC's work is
 * done by whoever holds the engine's baton, a bounded try-lock; application code is never called while it is held.
 */
@NullMarked
package io.verbena.nic.engine;

import org.jspecify.annotations.NullMarked;
