/**
 * What a service embeds: a {@link io.verbena.Node} with inboxes and channels for messages, requesters and responders for
 * calls, and memory that is shared.
 *
 * <pre>
 *   Channel ──▶ Inbox            Requester ⇄ Responder          RemoteRegion ──▶ SharedRegion
 *      └──────────┴────────────────┬──┴──────────┴──────────────────┴───────────────┘
 *                                Node: Turns (who runs application code, and when)
 *                                 ├── Dialer, Handshake, ConnectionMaker: how connections come to be
 *                                 ├── Connections, Notices: how they end, and who is told
 *                                 └── Links, NodeRegistry: the fabrics behind addresses
 *                            NIC: queue pairs, append queues, regions
 * </pre>
 *
 * <p>docs/framework.md is the guide; it also says what is guaranteed.
 */
@NullMarked
package io.verbena;

import org.jspecify.annotations.NullMarked;
