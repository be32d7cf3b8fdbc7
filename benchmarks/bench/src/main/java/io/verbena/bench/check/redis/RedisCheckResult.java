package io.verbena.bench.check.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a check ended.
 *
 * @param failure the first thing that was wrong, in several lines, or null
 * @param summary what was done, line by line
 */
public record RedisCheckResult(@Nullable String failure, List<String> summary) {
    /** Whether nothing was wrong. */
    public boolean passed() {
        return failure == null;
    }
}
