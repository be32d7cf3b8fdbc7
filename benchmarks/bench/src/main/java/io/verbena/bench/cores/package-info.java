/**
 * Which cores a measurement runs on, and in what state they were. A host may move virtual cores: the round trip of a
 * cache line between two of them then changes from about 100 ns (near) to about 450 ns (far), and with it whatever is
 * measured between them.
 *
 * <pre>
 *   CorePair ─ pins ─▶ near thread, far thread
 *   SlicedRun: LineProbe │ slice │ LineProbe │ slice │ LineProbe ─▶ Slice: its Tag, both probes, its result
 * </pre>
 */
@NullMarked
package io.verbena.bench.cores;

import org.jspecify.annotations.NullMarked;
