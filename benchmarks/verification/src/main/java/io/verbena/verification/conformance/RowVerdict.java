package io.verbena.verification.conformance;

import java.util.ArrayList;
import java.util.List;

/** How a row fared on a column's fabrics. Not thread-safe. */
final class RowVerdict {
    private final Row row;
    private int passed;
    private final List<String> failures = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();

    RowVerdict(Row row) {
        this.row = row;
    }

    void pass() {
        passed++;
    }

    void fail(String reason) {
        failures.add(reason);
    }

    void skip(String reason) {
        if (!skipped.contains(reason)) {
            skipped.add(reason);
        }
    }

    boolean hasFailed() {
        return !failures.isEmpty() || (passed == 0 && skipped.isEmpty() && row.notOffered == null);
    }

    /** Whether a reason stands in the place of a proof. */
    boolean isNotOffered() {
        return !hasFailed() && (row.notOffered != null || passed == 0);
    }

    /** Why it is not offered. */
    String reason() {
        return row.notOffered != null ? row.notOffered : String.join("; ", skipped);
    }

    List<String> failures() {
        return failures.isEmpty() ? List.of("no test") : failures;
    }

    /** Tests that passed. */
    int passed() {
        return passed;
    }
}
