package io.verbena.bench.check.messages;

import java.util.concurrent.atomic.AtomicLongArray;

/** What all clients have added to the words of a hub's region, and how often they have swapped. Thread-safe. */
final class RegionSums {
    private final String node;
    private final Findings findings;
    private final AtomicLongArray added = new AtomicLongArray(SharedRegionLayout.SUMS);
    private final AtomicLongArray swaps = new AtomicLongArray(SharedRegionLayout.SWAPPED);

    RegionSums(String node, Findings findings) {
        this.node = node;
        this.findings = findings;
    }

    void added(int word, long value) {
        added.addAndGet(word, value);
    }

    void swapped(int word) {
        swaps.incrementAndGet(word);
    }

    /** Compares them with what the region holds: its sums, and then its swapped words. */
    void judge(long[] words) {
        for (int i = 0; i < words.length; i++) {
            boolean isSum = i < SharedRegionLayout.SUMS;
            int index = isSum ? i : i - SharedRegionLayout.SUMS;
            long expected = isSum ? added.get(index) : swaps.get(index);
            if (words[i] != expected) {
                findings.report(new Flaw(
                        FlawKind.WRONG_MEMORY,
                        "node '" + node + "', region '" + SharedRegionLayout.NAME + "'",
                        "all clients",
                        0,
                        index,
                        (isSum ? "the sum of all that was added, " : "the number of swaps that succeeded, ") + expected,
                        Long.toString(words[i])));
            }
        }
    }
}
