/**
 * How much memory a receiver needs with shared receive queues, by the model of the RIMA paper (3.2.1, Table 4), and
 * which buffer sizes need least. Pure functions, in doubles.
 *
 * <pre>
 *   LinkModel ───────┐
 *   SizeDistribution ┼▶ SrqFootprint ──▶ ReceiverMemory: reserve + active
 *   SizeClasses ─────┘        ▲
 *        ▲                    │ the cost of a class
 *   SizeClassOptimizer, SlabMerge: classes of adjacent sizes put together
 * </pre>
 */
@NullMarked
package io.verbena.papers.srq;

import org.jspecify.annotations.NullMarked;
