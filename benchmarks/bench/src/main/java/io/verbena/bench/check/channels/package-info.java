/**
 * {@code verbena simulate channels}: many channels that share queue pairs, over simulated links that lose, repeat and
 * reorder, in virtual time. Some channels are guilty of something: each ends with its own reason, and no other notices.
 *
 * <pre>
 *   ChannelWalk ── steps ──▶ ChannelRig ── SharedChannel ──▶ SharedPair ═══ link ═══▶ WalkedInbox
 *                               │                (queue, model)    (queue pairs)           │
 *                               └──── ends, each with its reason            messages ──────┘
 * </pre>
 */
@NullMarked
package io.verbena.bench.check.channels;

import org.jspecify.annotations.NullMarked;
