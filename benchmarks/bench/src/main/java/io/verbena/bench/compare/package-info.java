/**
 * Paths side by side: rows of contestants, rounds that alternate between them, each measurement in JVMs of its own, and
 * medians, ranges and ratios of what came out, each between slices whose cores were in the same state.
 *
 * <pre>
 *   ComparisonPlan ─ rows ─▶ Comparison ─ Trial a contestant and round ─▶ Results ─▶ Interval, Verdict
 * </pre>
 */
@NullMarked
package io.verbena.bench.compare;

import org.jspecify.annotations.NullMarked;
