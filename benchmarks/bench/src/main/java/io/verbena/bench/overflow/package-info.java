/**
 * {@code bench overflow}: the key-value store with a working set several times its memory, moved to donors or evicted.
 *
 * <pre>
 *   OverflowCommand ── OverflowLoad ──┬──▶ OverflowServer "donors" ──▶ two DonorProcess, one of which is killed
 *                                     └──▶ OverflowServer "file": evicts
 *                                           miss ──▶ BackingFile, on disk ──▶ SET
 * </pre>
 */
@NullMarked
package io.verbena.bench.overflow;

import org.jspecify.annotations.NullMarked;
