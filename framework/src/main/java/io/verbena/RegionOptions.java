package io.verbena;

import io.verbena.merge.MergeSettings;
import io.verbena.merge.Window;
import io.verbena.nic.ProtectionDomain;
import io.verbena.remote.RegistrationCost;
import java.util.Objects;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link RemoteRegion}, set when it is attached: fluent setters over defaults. Mutable; not thread-safe.
 *
 * <pre>{@code
 *   RemoteRegion table = node.attach(address, new RegionOptions().merge(Merging.HYBRID).window(7 << 20), timeout);
 * }</pre>
 */
public final class RegionOptions {
    /** Bytes that may be under way unless {@link #window} says otherwise: 7 MB, as in the RDMAbox paper. */
    public static final long DEFAULT_WINDOW = 7_000_000;

    /** Bytes of operations that a region keeps unless {@link #buffer} says otherwise: 2 MiB. */
    public static final int DEFAULT_BUFFER = 2 << 20;

    private Merging merging = Merging.OFF;
    private @Nullable AdmissionPolicy admission;
    private int buffer; // 0: not set
    private BufferPolicy buffers = BufferPolicy.COPY;
    private int registerFrom; // 0: measured

    /** Creates the defaults: nothing is merged, and there is no window. */
    public RegionOptions() {}

    /**
     * How operations leave. Anything but {@link Merging#OFF} makes the region one for any number of threads, changes
     * what is promised of their order, and bounds what is under way; see {@link RemoteRegion}.
     */
    public RegionOptions merge(Merging how) {
        merging = Objects.requireNonNull(how, "merge");
        return this;
    }

    /**
     * Bytes of operations that may be under way to the same node, counted over all merging regions of the tenant that
     * lead there. Operations beyond it wait in the region's queue, where they may still be merged. A single one that is
     * longer than the window goes when nothing else is under way.
     *
     * @param bytes at least 1; {@value #DEFAULT_WINDOW} by default
     */
    public RegionOptions window(long bytes) {
        return admission(AdmissionPolicy.fixed(bytes));
    }

    /** How the window is found; by default it is fixed, see {@link #window}. The last of both counts. */
    public RegionOptions admission(AdmissionPolicy policy) {
        admission = Objects.requireNonNull(policy, "admission");
        return this;
    }

    /**
     * Bytes of a region's operations that have not ended, whether they wait or are under way: their data is kept here.
     * Beyond it callers are back-pressured. An operation above a quarter of it gets memory of its own, at most four of
     * these at a time. It is the tenant's memory, taken with the first operation.
     *
     * @param bytes a power of two, 4 KiB to 256 MiB; {@value #DEFAULT_BUFFER} by default
     */
    public RegionOptions buffer(int bytes) {
        buffer = Limits.powerOfTwo("buffer", bytes, 4096, 256 << 20);
        return this;
    }

    /** Where the bytes of operations lie while they are under way; {@link BufferPolicy#COPY} by default. */
    public RegionOptions buffers(BufferPolicy policy) {
        buffers = Objects.requireNonNull(policy, "buffers");
        registerFrom = 0;
        return this;
    }

    /**
     * {@link BufferPolicy#BY_SIZE} with a length of the caller's: the length of an operation, in bytes, from which its
     * buffer is registered and not copied.
     *
     * @param bytes at least 1
     */
    public RegionOptions registerFrom(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("registerFrom " + bytes + " < minimum 1");
        }
        buffers = BufferPolicy.BY_SIZE;
        registerFrom = bytes;
        return this;
    }

    /**
     * The resulting settings.
     *
     * @param pd in which it is tried what registering takes, if that is to be measured
     * @throws IllegalArgumentException if options of the queue are set, but no queue
     */
    RegionSettings settings(ProtectionDomain pd, NanoClock clock) {
        return new RegionSettings(
                merges(),
                switch (buffers) {
                    case COPY -> Integer.MAX_VALUE;
                    case REGISTER -> 1;
                    case BY_SIZE -> registerFrom > 0 ? registerFrom : RegistrationCost.crossover(pd, clock);
                });
    }

    /** What the queue is made with; null if there is none. */
    private @Nullable MergeSettings merges() {
        if (merging == Merging.OFF) {
            if (admission != null || buffer != 0) {
                throw new IllegalArgumentException(
                        "window, admission and buffer are of the queue that merge(..) makes; it is " + merging);
            }
            return null;
        }
        AdmissionPolicy policy = admission == null ? AdmissionPolicy.fixed(DEFAULT_WINDOW) : admission;
        Window window = policy.window(); // here: if the application's control cannot be made, nothing is attached
        return new MergeSettings(merging.merges, merging.chains, buffer == 0 ? DEFAULT_BUFFER : buffer, () -> window);
    }
}
