/** Integrity loads: every answer of a server is known beforehand or judged, under loads that benchmarks do not make. */
@NullMarked
package io.verbena.bench.check;

import org.jspecify.annotations.NullMarked;
