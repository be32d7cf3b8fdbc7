/**
 * {@code bench kv}: GETs of the key-value store by READs, against the same GETs by requests.
 *
 * <pre>
 *   KvCommand ── KvLoad ──┬── READ of a set ─────────▶ read index ─┐
 *                         └── APPEND request, reply ─▶ shard ──────┴─ KvProcess
 * </pre>
 */
@NullMarked
package io.verbena.bench.kv;

import org.jspecify.annotations.NullMarked;
