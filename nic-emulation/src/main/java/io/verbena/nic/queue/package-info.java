/**
 * The rings between an application and its NIC, one class a ring and one {@code *Descriptor} a memory layout.
 *
 * <pre>
 *   poster ── SendRing (SendWqeDescriptor) ───────▶ requester
 *   poster ── ReceiveRing (ReceiveWqeDescriptor) ─▶ responder
 *   poller ◀─ CompletionRing (CqeDescriptor) ────── completer, responder
 * </pre>
 */
@NullMarked
package io.verbena.nic.queue;

import org.jspecify.annotations.NullMarked;
