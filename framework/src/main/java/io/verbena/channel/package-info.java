/**
 * Internal: how a channel sends. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   Channel ──▶ ChannelSender ──▶ SendPath            messages, inline or from staged memory
 *                 │    └────────▶ SenderRetries       notifies a refused sender that there is room; flushes late
 *                 └─────────────▶ SendWindow          slots and memory: makes room, grows with use, shrinks when idle
 *                                   └──▶ WindowGrowth
 * </pre>
 */
@NullMarked
package io.verbena.channel;

import org.jspecify.annotations.NullMarked;
