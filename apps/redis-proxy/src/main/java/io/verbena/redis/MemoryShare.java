package io.verbena.redis;

/**
 * An amount of memory, or a percentage of some other: what {@code maxmemory-clients} takes.
 *
 * @param amount bytes or per cent
 * @param isPercentage which of both
 */
record MemoryShare(long amount, boolean isPercentage) {
    /**
     * Reads {@code 64mb} or {@code 5%}.
     *
     * @throws IllegalArgumentException if it is neither
     */
    static MemoryShare parse(String text) {
        boolean percentage = text.endsWith("%");
        long amount = MemorySize.parse(percentage ? text.substring(0, text.length() - 1) : text);
        if (amount < 0 || (percentage && amount > 100)) {
            throw new IllegalArgumentException("'" + text + "' is no amount; write 64mb or 5%");
        }
        return new MemoryShare(amount, percentage);
    }

    /** Bytes of it, 0 for no limit. */
    long of(long whole) {
        return isPercentage ? whole / 100 * amount : amount;
    }

    @Override
    public String toString() {
        return isPercentage ? amount + "%" : Long.toString(amount);
    }
}
