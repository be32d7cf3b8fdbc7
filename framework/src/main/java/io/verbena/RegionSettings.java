package io.verbena;

import io.verbena.merge.MergeSettings;
import io.verbena.nic.ProtectionDomain;
import io.verbena.remote.RegistrationCost;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * What {@link RegionOptions} come to.
 *
 * @param merges null: nothing is merged
 * @param buffers where the bytes lie
 * @param registerFrom bytes from which BY_SIZE registers; 0: measured
 */
record RegionSettings(@Nullable MergeSettings merges, BufferPolicy buffers, int registerFrom) {
    /** Of a region that was attached without options. */
    static final RegionSettings DEFAULT = new RegionOptions().settings();

    /** Bytes from which an operation's buffer is registered; {@link Integer#MAX_VALUE}: none is. */
    int registerFrom(ProtectionDomain pd, NanoClock clock) {
        return switch (buffers) {
            case COPY -> Integer.MAX_VALUE;
            case REGISTER -> 1;
            case BY_SIZE -> registerFrom > 0 ? registerFrom : RegistrationCost.crossover(pd, clock);
        };
    }
}
