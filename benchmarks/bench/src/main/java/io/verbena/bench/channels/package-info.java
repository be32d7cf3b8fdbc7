/**
 * {@code bench channels}: thousands of channels between two processes, with a queue pair each or sharing a few.
 *
 * <pre>
 *   ChannelsCommand ── ManyChannels ── messages in turn ──▶ Sink: an inbox that takes, one that answers
 *         └── HeldMemory of this process
 * </pre>
 */
@NullMarked
package io.verbena.bench.channels;

import org.jspecify.annotations.NullMarked;
