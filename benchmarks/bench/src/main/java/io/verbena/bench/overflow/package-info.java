/**
 * {@code bench overflow}: the key-value store with a working set several times its memory: moved to donors, evicted, or
 * left to the kernel.
 *
 * <pre>
 *   OverflowCommand ── OverflowRounds ── Side, three by turns: OverflowLoad ──▶ LimitedServer
 *
 *   LimitedServer is the process of an OverflowServer, in a MemoryGroup if that is asked for
 *
 *     "donors"   OverflowServer ──▶ two DonorProcess, one of which is killed
 *     "file"     OverflowServer evicts; miss ──▶ BackingFile, on disk ──▶ SET
 *     "mmap"     OverflowServer's memory is a MappedFile: what is used is in the page cache
 * </pre>
 */
@NullMarked
package io.verbena.bench.overflow;

import org.jspecify.annotations.NullMarked;
