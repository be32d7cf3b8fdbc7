/**
 * Append queues (RIMA): circular sequences of chunks that take records of any size from anyone who holds the key. A
 * claim is one compare-and-set of the tail, a commit one of the record's first word, and an append never waits for
 * allocation.
 *
 * <pre>
 *   initiators                       control block                          owner
 *   Appender ── slot ───────────────▶ in-flight slots ◀──── HoleRecovery ── AppendQueue.poll ─▶ AppendHandler
 *            ── compare-and-set ────▶ tail    head ◀───────────────────────     │
 *            ── where is chunk n ───▶ chunk table ◀──── ChunkRing ───────── ChunkAllocator (background, or the
 *            ── record ─────────────▶ chunk n (a segment)                                  consumer if it is late)
 * </pre>
 *
 * A message that is too long for a chunk, or that arrives in parts, is kept apart and takes its place in the queue when
 * it is complete.
 */
@NullMarked
package io.verbena.nic.append;

import org.jspecify.annotations.NullMarked;
