package io.verbena.nic.engine;

import io.verbena.nic.port.Waiter;
import io.verbena.nic.transport.QpContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The turns of an engine: a whole one, or one that only sends, under the baton; and what comes after each.
 *
 * <p>No doorbell is lost: whoever lets the baton go (a full fence) looks at the doorbells once more, or leaves them to
 * the owner, who is woken if it is parked.
 */
final class EngineTurns {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    private final Baton baton;
    private final Datapath datapath;
    private final Doorbells doorbells;
    private final Commands commands;
    private final Owner owner;
    private final Guests guests;
    private final Waiter waiter;
    private final WaiterPace pace;
    private volatile boolean left; // work of which no doorbell tells, and which the owner may be about to sleep over

    EngineTurns(
            Baton baton,
            Datapath datapath,
            Doorbells doorbells,
            Commands commands,
            Owner owner,
            Guests guests,
            Waiter waiter,
            WaiterPace pace) {
        this.baton = baton;
        this.datapath = datapath;
        this.doorbells = doorbells;
        this.commands = commands;
        this.owner = owner;
        this.guests = guests;
        this.waiter = waiter;
        this.pace = pace;
    }

    /**
     * Runs one turn if nobody else does.
     *
     * @param polls whether the waiter's sockets are looked at first, by their owner
     * @return the amount of work done
     */
    int run(boolean polls) {
        int work = 0;
        boolean owns = owner.isCurrent();
        if (polls && owns && (datapath.links().socketLinks() > 0 || pace.isDue())) {
            work = waiter.poll();
        }
        if (!baton.tryTake()) {
            if (owns) {
                miss();
            }
            return work;
        }
        boolean delivered;
        boolean more;
        try {
            begin();
            work += datapath.turn();
            delivered = datapath.takeDelivered();
            more = !owns && datapath.hasMore();
        } catch (RuntimeException | Error e) {
            fail(e);
            throw e;
        } finally {
            baton.release();
        }
        if (owns) {
            if (delivered) {
                guests.wake();
            }
        } else {
            leave(delivered, more);
        }
        return work + (doorbells.isEmpty() ? 0 : 1);
    }

    /**
     * Sends under the baton, which the calling thread has taken, until no doorbell is left that nobody hears; lets the
     * baton go.
     *
     * @param qp has new requests; null if it has rung
     */
    void assist(@Nullable QpContext qp) {
        QpContext rung = qp;
        while (true) {
            boolean delivered;
            boolean more;
            try {
                begin();
                datapath.sendTurn(rung);
                rung = null;
                delivered = datapath.takeDelivered();
                more = datapath.hasMore();
            } catch (RuntimeException | Error e) {
                fail(e);
                throw e;
            } finally {
                baton.release();
            }
            leave(delivered, more);
            if (doorbells.isEmpty() || !baton.tryTake()) {
                return;
            }
        }
    }

    /**
     * A thread other than the owner has done a turn, and may not come again: the rest, the timers, and what the owner's
     * agent waits for, are the owner's, who is woken for them.
     */
    void leave(boolean delivered, boolean more) {
        if (delivered) {
            guests.wake();
        }
        if (more) {
            left = true; // first this, then the look whether he is parked
        }
        if ((more || delivered || owner.sleepsPastDeadline())
                && owner.isParked()
                && (more || owner.sleepsPastDeadline() || owner.isAwaited())) {
            waiter.wake();
        }
    }

    /**
     * The work under the baton ended in an exception: state may be torn, so the engine does not go on from it. Raises
     * DEVICE_FATAL, once; the exception itself goes on to whoever ran the turn.
     */
    void fail(Throwable cause) {
        if (datapath.hasFailed()) {
            return;
        }
        LOG.error("{} has failed: its links are closed, its queue pairs are in ERR", datapath, cause);
        try {
            datapath.fail();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
        guests.wake();
    }

    private void begin() {
        if (left) {
            left = false; // this turn finds what that was before it looks for room
        }
        commands.drain();
        hearDoorbells();
    }

    /**
     * The owner has not had his turn. What he wrote to sockets before it makes room, and whoever holds the baton may
     * have looked for room before that: so somebody has another turn before the owner sleeps.
     */
    private void miss() {
        if (left) {
            Thread.yield(); // to whoever holds the baton
        } else {
            left = true;
        }
    }

    /** Whether work is left that no doorbell tells of. Any thread. */
    boolean hasLeft() {
        return left;
    }

    private void hearDoorbells() {
        for (QpContext qp = doorbells.hear(); qp != null; qp = doorbells.hear()) {
            datapath.ring(qp);
        }
    }
}
