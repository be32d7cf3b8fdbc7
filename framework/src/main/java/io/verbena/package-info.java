/**
 * What a service embeds: a {@link io.verbena.Node} with inboxes and channels for messages, requesters and responders
 * for calls, and shared memory. The packages below are its implementation, and internal, except for
 * {@code io.verbena.tier}, which stands on this one: memory that is paged to peers.
 *
 * <pre>
 *   Channel ──▶ Inbox            Requester ⇄ Responder          RemoteRegion ──▶ SharedRegion
 *      └──────────┴────────────────┬──┴──────────┴──────────────────┴───────────────┘
 *                                Node ──▶ admin   the administrator's socket
 *                                  │
 *           channel ───────────────┼───────────── remote       call
 *   how channels send              │   operations on memory     headers and deadlines of calls
 *                                  │   (merge: of many threads)
 *                                  ▼
 *                             connection ──▶ link               connections from hello to end; fabrics behind addresses
 *                                  │
 *                    dispatch ◀────┴────▶ path                  who runs application code; the way to a queue pair
 *                            NIC: queue pairs, append queues, regions
 * </pre>
 *
 * <p>The internal packages know values of this one (addresses, results, reasons) and nothing else of it.
 * docs/framework.md is the guide; it also says what is guaranteed.
 */
@NullMarked
package io.verbena;

import org.jspecify.annotations.NullMarked;
