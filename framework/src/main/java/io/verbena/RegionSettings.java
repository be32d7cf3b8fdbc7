package io.verbena;

import io.verbena.merge.MergeSettings;
import org.jspecify.annotations.Nullable;

/**
 * The settings that {@link RegionOptions} result in.
 *
 * @param merges null: nothing is merged
 * @param registerFrom bytes from which an operation's buffer is registered; {@link Integer#MAX_VALUE}: none is
 */
record RegionSettings(@Nullable MergeSettings merges, int registerFrom) {
    /** Of a region that was attached without options. */
    static final RegionSettings DEFAULT = new RegionSettings(null, Integer.MAX_VALUE);
}
