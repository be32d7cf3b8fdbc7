package io.verbena.rate.agent;

import io.verbena.nic.arbiter.OperationRate;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.NanoClock;

/**
 * Paces what a tenant's inboxes hand to its handlers: the completions of DRUM, held back where they are polled and
 * never where the NIC makes them, for acknowledgements must go on. What is held back waits in the inbox.
 *
 * <p>Thread-safe: any number of threads take messages. They take together at most a millisecond's messages each beyond
 * the rate, and wait for the excess afterwards.
 */
public final class DeliveryGate {
    private final NanoClock clock;
    private final OperationRate rate = new OperationRate();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder held = new LongAdder();

    /** Creates an open one. */
    public DeliveryGate(NanoClock clock) {
        this.clock = clock;
    }

    /** Sets messages a second, 0 for no bound. By one thread. */
    void rate(long perSecond) {
        rate.set(perSecond, clock.nanoTime());
    }

    /** Messages a second, 0 for no bound. */
    public long rate() {
        return rate.perSecond();
    }

    /**
     * Messages that may be taken now.
     *
     * @param limit wanted, at least 1
     * @param nowNanos of {@link #now}
     * @return 0 for none
     */
    public int admit(int limit, long nowNanos) {
        if (!rate.admits(nowNanos)) {
            return 0;
        }
        return rate.perSecond() == 0 ? limit : (int) Math.min(limit, rate.lot());
    }

    /** Whether it holds back a message that is there: says so to the agent. */
    public boolean holdsBack() {
        boolean shut = isShut();
        if (shut) {
            held.increment();
        }
        return shut;
    }

    /** Whether {@link #admit} gives nothing now. */
    public boolean isShut() {
        return !rate.admits(clock.nanoTime());
    }

    /** When {@link #admit} may give again. */
    public long admitsAtNanos() {
        return rate.admitsAtNanos();
    }

    /** Messages were taken that were admitted at a time. */
    public void took(int messages, long admittedNanos) {
        delivered.add(messages);
        rate.charge(messages, admittedNanos);
    }

    /** Its time, in nanoseconds. */
    public long now() {
        return clock.nanoTime();
    }

    /** Messages taken so far. */
    public long delivered() {
        return delivered.sum();
    }

    /** How often it has held back a message. */
    public long held() {
        return held.sum();
    }
}
