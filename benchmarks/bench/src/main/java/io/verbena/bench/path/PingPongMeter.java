package io.verbena.bench.path;

import io.verbena.verification.RunException;
import java.util.concurrent.TimeUnit;

/** Sends a message and waits until it is back, bounded. For one thread. */
public final class PingPongMeter {
    private static final int LOOK = (1 << 16) - 1;
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(10);

    private final End near;
    private final Runnable check;
    private final Idle idle;
    private long next;

    /**
     * Creates one.
     *
     * @param near the end that measures
     * @param check throws if the far end has failed
     */
    public PingPongMeter(End near, Runnable check) {
        this.near = near;
        this.check = check;
        this.idle = new Idle(near);
    }

    /** One round trip. @return its message's number */
    public long roundTrip() {
        long number = next++;
        near.offerNow(number);
        near.flush();
        idle.reset();
        int spins = 0;
        long deadline = 0;
        while (near.taken() == number) {
            if (near.poll(1) == 0) {
                idle.idle();
                if ((++spins & LOOK) == 0) {
                    deadline = look(number, deadline);
                }
            }
        }
        return number;
    }

    private long look(long number, long deadline) {
        check.run();
        long now = System.nanoTime();
        if (deadline != 0 && now - deadline > 0) {
            throw new RunException("message " + number + " has not come back within 10 s");
        }
        return deadline == 0 ? now + TIMEOUT : deadline;
    }
}
