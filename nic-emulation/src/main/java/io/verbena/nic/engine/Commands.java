package io.verbena.nic.engine;

import io.verbena.nic.port.LogRateLimiter;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What runs under an engine's baton because somebody asked for it: the control path.
 *
 * <p>Thread-safe, but for {@link #drain}, which is for the baton's holder. What is asked for runs in the order of
 * asking.
 */
final class Commands {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(10);
    private static final int SPINS = 100;

    private final Baton baton;
    private final Datapath datapath;
    private final Owner owner;
    private final Guests guests;
    private final LogRateLimiter reports = new LogRateLimiter();
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();

    Commands(Baton baton, Datapath datapath, Owner owner, Guests guests) {
        this.baton = baton;
        this.datapath = datapath;
        this.owner = owner;
        this.guests = guests;
    }

    boolean isEmpty() {
        return commands.isEmpty();
    }

    /**
     * Runs something under the baton, after waiting for it.
     *
     * @throws IllegalStateException if the baton is not available in time
     */
    void call(Runnable action) {
        long deadline = System.nanoTime() + TIMEOUT;
        int spins = 0;
        while (!baton.tryTake()) {
            if (++spins > SPINS) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(datapath + " has been busy for 10 s");
            }
        }
        act(action);
    }

    /** Runs something under the baton: now if nobody holds it, else before the next turn sends. */
    void callSoon(Runnable action) {
        commands.add(action);
        if (baton.tryTake()) {
            act(() -> {});
        } else {
            owner.wake();
        }
    }

    /** Runs something under the baton in the next turn. */
    void later(Runnable command) {
        commands.add(command);
        owner.wake();
    }

    /** Runs what was asked for under the baton, and then this; lets the baton go. */
    private void act(Runnable action) {
        boolean delivered = false;
        try {
            datapath.beginTurn();
            drain();
            try {
                action.run();
            } finally {
                datapath.finish(); // what it completed raises its events now
                delivered = datapath.takeDelivered();
            }
        } finally {
            baton.release();
            if (delivered) {
                guests.wake();
            }
            owner.wake();
        }
    }

    /** Runs what was asked for. Under the baton. */
    void drain() {
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            try {
                command.run();
            } catch (RuntimeException | Error e) { // whoever gave it is gone; the next one is somebody else's
                long leftOut = reports.ask(System.nanoTime());
                if (leftOut >= 0) {
                    LOG.error(
                            "{}: something that it was told to do has failed; {} such lines left out",
                            datapath,
                            leftOut,
                            e);
                }
            }
        }
    }
}
