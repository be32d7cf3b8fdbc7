/**
 * {@code bench promise}: whether tenants get what their weights entitle them to with default settings, counted at
 * the receivers.
 *
 * <pre>
 *   PromiseCommand ── PromiseRun ── Flood: a node with two tenants, a thread each
 *                              └─── FarEnd: the node that counts, here (Receiver) or in a process (ReceiverProcess)
 * </pre>
 */
@NullMarked
package io.verbena.bench.promise;

import org.jspecify.annotations.NullMarked;
