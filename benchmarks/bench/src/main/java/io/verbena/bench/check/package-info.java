/**
 * Integrity: every answer, byte and end is known beforehand or judged, under loads that benchmarks do not make.
 *
 * <pre>
 *   redis      connections ──▶ a server that speaks Redis' protocol
 *   messages   clients ──▶ a hub, over all fabrics; soak, for hours
 *   nodes      random walks over nodes of this process
 * </pre>
 */
@NullMarked
package io.verbena.bench.check;

import org.jspecify.annotations.NullMarked;
