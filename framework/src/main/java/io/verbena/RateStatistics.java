package io.verbena;

/**
 * What sharing by utility has cost a node ({@link NodeContext#rates}). Immutable.
 *
 * @param epochs that were looked at
 * @param solves epochs in which rates were computed, because demands or settings had changed
 * @param nanos spent, by the node's clock
 */
public record RateStatistics(long epochs, long solves, long nanos) {}
