/**
 * Traffic as a large memcached installation saw it: message sizes and the gaps between messages, drawn from published
 * distributions so that a seed gives the same traffic everywhere.
 *
 * <pre>
 *   SimRandom ──▶ EtcKeySizes ───┐
 *            ──▶ EtcValueSizes ──┴▶ SizeDistribution ─ scaled, truncated, injecting ─▶ next, cdf, mean
 *            ──▶ EtcGaps
 *                     └────────────── EtcWorkload: all of them behind one seed ──▶ bytes, bytes, nanoseconds, ...
 * </pre>
 */
@NullMarked
package io.verbena.papers.workload;

import org.jspecify.annotations.NullMarked;
