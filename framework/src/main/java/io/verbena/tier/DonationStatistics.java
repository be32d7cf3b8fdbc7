package io.verbena.tier;

/**
 * What a {@link Donation} lends. A snapshot.
 *
 * @param bytes that it lends
 * @param borrower name that the node gives itself which has the memory; empty if none has
 * @param loans how often it was lent
 * @param refusals how often it was not, because it was lent to another
 */
public record DonationStatistics(long bytes, String borrower, long loans, long refusals) {}
