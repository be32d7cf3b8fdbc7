/**
 * {@code bench kv}: GETs of the key-value store by READs, against the same GETs by requests. {@code bench overload}:
 * single GETs of one tenant beside the batches of another.
 *
 * <pre>
 *   KvCommand ─────── KvLoad ────────┐
 *                                    ├─▶ KeyClient ──┬── READ of a set ─────────▶ read index ─┐
 *   OverloadCommand ─ OverloadNode ──┘               └── APPEND request, reply ─▶ shard ──────┴─ KvProcess
 *                     (two KeyClients)
 * </pre>
 */
@NullMarked
package io.verbena.bench.kv;

import org.jspecify.annotations.NullMarked;
