package io.verbena.nic.poll;

import io.verbena.nic.port.PollStrategy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A polling scheme with its settings: how a thread looks for work, how much it takes per look, and when it sleeps. For
 * a NIC or node, an inbox, a completion queue, or {@code CompletionPollers}.
 *
 * <pre>{@code
 *   new NodeContext().polling(Polling.adaptive().retries(120).batch(32))
 * }</pre>
 *
 * <table>
 * <caption>The schemes (RDMAbox III-B, IV-B)</caption>
 * <tr><th>scheme</th><th>sleeps</th><th>per look</th><th>after a look that found something</th></tr>
 * <tr><td>{@link #busy}</td><td>never</td><td>32</td><td>looks again</td></tr>
 * <tr><td>{@link #event}</td><td>at the first empty look</td><td>1</td><td>arms</td></tr>
 * <tr><td>{@link #eventBatch}</td><td>at the first empty look</td><td>n</td><td>arms</td></tr>
 * <tr><td>{@link #hybrid}</td><td>at the first empty look</td><td>32</td><td>looks again</td></tr>
 * <tr><td>{@link #sharedCq}</td><td>never; m threads for all queues</td><td>32</td><td>looks again</td></tr>
 * <tr><td>{@link #adaptive}</td><td>after 120 empty looks</td><td>32</td><td>looks again</td></tr>
 * <tr><td>{@link #kvm}</td><td>after 2 to 200 us, by what waits were worth</td><td>256</td><td>looks again</td></tr>
 * </table>
 *
 * <p>In every scheme a thread that is about to sleep arms, looks once more, and only then blocks. In every scheme it
 * sleeps at once while there are more runnable threads than cores, unless {@link #evenIfCoresAreShort} says otherwise.
 *
 * <p>Immutable; setters return a copy. Thread-safe.
 */
public final class Polling implements PollStrategy.Factory {
    /** Empty looks of RDMAbox' benchmark (MAX_RETRY, IV-B). */
    public static final int DEFAULT_RETRIES = 120;

    /** Entries a look of RDMAbox' prototype (MAX_POLL_WC). */
    public static final int DEFAULT_BATCH = 32;

    /** Longest spin of {@link #kvm} by default, in nanoseconds. */
    public static final long DEFAULT_LONGEST_SPIN = TimeUnit.MICROSECONDS.toNanos(200);

    /** Most empty looks. */
    public static final int MAX_RETRIES = 1_000_000_000;

    /** Most entries a look. */
    public static final int MAX_BATCH = 1 << 16;

    /** Most threads that poll for all queues. */
    public static final int MAX_POLLERS = 64;

    /** As good as forever: a thread that has found nothing for so long may as well sleep. */
    private static final Duration MAX_SPIN = Duration.ofHours(1);

    /** The schemes. */
    public enum Scheme {
        /** Never sleeps. */
        BUSY,
        /** Sleeps until an event, and takes one entry for it. */
        EVENT,
        /** Sleeps until an event, takes up to n entries for it, and arms again whether or not there are more. */
        EVENT_BATCH,
        /** Sleeps until an event, and polls until nothing is left. */
        HYBRID,
        /** A number of threads poll all queues and never sleep. */
        SHARED_CQ,
        /** As {@link #HYBRID}, and some empty looks or some time longer. */
        ADAPTIVE,
        /** Stays awake for a time that adapts to how long waits are: halt polling. */
        KVM
    }

    private final Scheme scheme;
    private final long retries;
    private final long spinNanos;
    private final int batch;
    private final int pollers;
    private final Time time;
    private final boolean heedsCores;

    /** What strategies take time from, and what tells how long their threads have waited for a core. */
    private record Time(NanoClock clock, Supplier<RunDelay> delays) {
        static final Time OF_THE_SYSTEM = new Time(SystemNanoClock.INSTANCE, RunDelay::new);
    }

    private Polling(
            Scheme scheme, long retries, long spinNanos, int batch, int pollers, Time time, boolean heedsCores) {
        this.scheme = scheme;
        this.retries = retries;
        this.spinNanos = spinNanos;
        this.batch = batch;
        this.pollers = pollers;
        this.time = time;
        this.heedsCores = heedsCores;
    }

    private static Polling of(Scheme scheme, long retries, long spinNanos, int batch, int pollers) {
        return new Polling(scheme, retries, spinNanos, batch, pollers, Time.OF_THE_SYSTEM, true);
    }

    /** Each queue has a thread that polls and never sleeps. */
    public static Polling busy() {
        return of(Scheme.BUSY, SpinThenSleep.UNBOUNDED, SpinThenSleep.UNBOUNDED, DEFAULT_BATCH, MAX_POLLERS);
    }

    /** A wake-up takes one entry, and arms again. */
    public static Polling event() {
        return of(Scheme.EVENT, 0, 0, 1, 1);
    }

    /**
     * A wake-up takes a batch, and arms again, whether or not there is more.
     *
     * @param entries of a batch, 1 to {@value #MAX_BATCH}
     */
    public static Polling eventBatch(int entries) {
        return of(Scheme.EVENT_BATCH, 0, 0, checkBatch(entries), 1);
    }

    /** A wake-up takes all that there is, and arms again when there is nothing. */
    public static Polling hybrid() {
        return of(Scheme.HYBRID, 0, 0, DEFAULT_BATCH, 1);
    }

    /**
     * Some threads poll all queues and never sleep; other threads that wait sleep.
     *
     * @param threads that poll, 1 to {@value #MAX_POLLERS}
     */
    public static Polling sharedCq(int threads) {
        range("pollers", threads, 1, MAX_POLLERS);
        return of(Scheme.SHARED_CQ, SpinThenSleep.UNBOUNDED, SpinThenSleep.UNBOUNDED, DEFAULT_BATCH, threads);
    }

    /** A wake-up takes all that there is, and looks {@value #DEFAULT_RETRIES} times more before it arms again. */
    public static Polling adaptive() {
        return of(Scheme.ADAPTIVE, DEFAULT_RETRIES, SpinThenSleep.UNBOUNDED, DEFAULT_BATCH, 1);
    }

    /** Halt polling: stays awake for 2 to 200 us, by what waits have been worth. The default everywhere. */
    public static Polling kvm() {
        return of(Scheme.KVM, SpinThenSleep.UNBOUNDED, DEFAULT_LONGEST_SPIN, PollStrategy.DEFAULT_BATCH, 1);
    }

    /**
     * Of {@link #adaptive}: sleeps after a number of empty looks, however long they take.
     *
     * @param emptyLooks 0 to {@value #MAX_RETRIES}
     * @throws IllegalStateException of another scheme
     */
    public Polling retries(int emptyLooks) {
        only(Scheme.ADAPTIVE, "retries");
        range("retries", emptyLooks, 0, MAX_RETRIES);
        return new Polling(scheme, emptyLooks, SpinThenSleep.UNBOUNDED, batch, pollers, time, heedsCores);
    }

    /**
     * Of {@link #adaptive}: sleeps after a time without work, however many looks that is. A look takes 15 ns or a
     * system call, so a time means the same everywhere and a number does not.
     *
     * @param longest at least 0; more than an hour counts as an hour
     * @throws IllegalStateException of another scheme
     */
    public Polling retryFor(Duration longest) {
        only(Scheme.ADAPTIVE, "retryFor");
        return new Polling(
                scheme, SpinThenSleep.UNBOUNDED, checkSpin("retryFor", longest), batch, pollers, time, heedsCores);
    }

    /**
     * Of {@link #kvm}: the longest time that it stays awake.
     *
     * @param longest at least 0, which sleeps at once; more than an hour counts as an hour
     * @throws IllegalStateException of another scheme
     */
    public Polling longestSpin(Duration longest) {
        only(Scheme.KVM, "longestSpin");
        return new Polling(scheme, retries, checkSpin("longestSpin", longest), batch, pollers, time, heedsCores);
    }

    /**
     * Entries taken per look, between two looks at anything else.
     *
     * @param entries 1 to {@value #MAX_BATCH}
     * @throws IllegalStateException of {@link #event}, which takes one
     */
    public Polling batch(int entries) {
        if (scheme == Scheme.EVENT) {
            throw new IllegalStateException("batch " + entries + " of EVENT, which takes 1; use eventBatch");
        }
        return new Polling(scheme, retries, spinNanos, checkBatch(entries), pollers, time, heedsCores);
    }

    /**
     * Keeps threads awake also where there are more of them than cores, in which case each loses its core for
     * milliseconds at a time: for measurements.
     */
    public Polling evenIfCoresAreShort() {
        return new Polling(scheme, retries, spinNanos, batch, pollers, time, false);
    }

    /** Takes time from a clock, of a simulation for instance, which has no shortage of cores that Linux would tell. */
    public Polling clock(NanoClock source) {
        return new Polling(scheme, retries, spinNanos, batch, pollers, new Time(source, RunDelay::new), false);
    }

    /**
     * Takes time from a clock, and what a thread has waited for a core from somebody who counts it: for threads of a
     * simulation.
     *
     * @param counts of the thread that polls
     */
    public Polling clock(NanoClock source, RunDelay.Counts counts) {
        Time simulated = new Time(source, () -> new RunDelay(counts));
        return new Polling(scheme, retries, spinNanos, batch, pollers, simulated, heedsCores);
    }

    /** The scheme. */
    public Scheme scheme() {
        return scheme;
    }

    @Override
    public int batch() {
        return batch;
    }

    /** Whether a look that found something is followed by another before the thread arms. */
    public boolean drains() {
        return scheme != Scheme.EVENT && scheme != Scheme.EVENT_BATCH;
    }

    @Override
    public int maxAwake() {
        return pollers;
    }

    @Override
    public PollStrategy create(PollStrategy.Waiting who) {
        NanoClock clock = time.clock;
        AwakeCheck check = heedsCores ? AwakeCheck.watching(clock, time.delays.get()) : new AwakeCheck(clock, null);
        return scheme == Scheme.KVM ? new HaltPolling(spinNanos, check) : new SpinThenSleep(retries, spinNanos, check);
    }

    private void only(Scheme wanted, String setting) {
        if (scheme != wanted) {
            throw new IllegalStateException(setting + " is a setting of " + wanted + ", not of " + scheme);
        }
    }

    private static int checkBatch(int entries) {
        return range("batch", entries, 1, MAX_BATCH);
    }

    private static int range(String what, int value, int minimum, int maximum) {
        if (value < minimum || value > maximum) {
            throw new IllegalArgumentException(what + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }

    private static long checkSpin(String what, Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException(what + " " + longest + " < minimum 0");
        }
        return (longest.compareTo(MAX_SPIN) > 0 ? MAX_SPIN : longest).toNanos();
    }

    /** The scheme with its own settings, as in {@code ADAPTIVE(120), batch 32}. */
    @Override
    public String toString() {
        String detail = "";
        if (scheme == Scheme.ADAPTIVE) {
            detail = retries == SpinThenSleep.UNBOUNDED ? "(" + micros() + ")" : "(" + retries + ")";
        } else if (scheme == Scheme.KVM) {
            detail = "(" + micros() + ")";
        } else if (scheme == Scheme.SHARED_CQ) {
            detail = "(" + pollers + ")";
        }
        return scheme + detail + ", batch " + batch;
    }

    private String micros() {
        return (spinNanos % 1000 == 0 ? Long.toString(spinNanos / 1000) : Double.toString(spinNanos / 1000.0)) + " us";
    }
}
