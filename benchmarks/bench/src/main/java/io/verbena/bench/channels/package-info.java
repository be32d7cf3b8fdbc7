/**
 * {@code bench channels}: thousands of channels between two processes, with a queue pair each or sharing a few.
 * {@code bench guilty}: one among them that does wrong, and what the others notice.
 *
 * <pre>
 *   ChannelsCommand ── ManyChannels ── messages in turn ──▶ Sink: an inbox that takes, one that answers
 *         └── HeldMemory of this process
 *
 *   GuiltyCommand ─┬─ Victims ──────── there and back ─────▶ GuiltyPeer: answers
 *                  └─ GuiltyChannel ── Guilt ──────────────▶ the same inbox, one that is full, one that closes
 * </pre>
 */
@NullMarked
package io.verbena.bench.channels;

import org.jspecify.annotations.NullMarked;
