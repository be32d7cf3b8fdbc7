package io.verbena.nic.sim;

import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import java.util.function.BooleanSupplier;

/**
 * A completion queue as threads of a simulated host use it: they pay for looks, for completions and for the system
 * calls around a sleep; an event is an interrupt. Not thread-safe.
 */
public final class HostCompletionQueue {
    private final CompletionQueue queue;
    private final HostModel host;
    private final Event armed = new Event();

    /**
     * Of a completion queue.
     *
     * @param queue of a NIC whose engine is stepped by the simulation
     * @param cores whose threads use it
     */
    public HostCompletionQueue(CompletionQueue queue, SimCores cores) {
        this.queue = queue;
        this.host = cores.host();
    }

    /** The queue, for what costs nothing here. */
    public CompletionQueue queue() {
        return queue;
    }

    /**
     * A thread takes completions, now, and pays for the look and for each of them afterwards.
     *
     * @param handler called for each, before this returns
     * @param limit most completions to take
     * @return completions taken
     */
    public int poll(SimThread thread, CompletionHandler handler, int limit) {
        int taken = queue.poll(handler, limit);
        thread.run(host.poll + taken * host.completion);
        return taken;
    }

    /**
     * A thread asks for an event, looks once more, and sleeps until the event if there is still nothing, as no
     * completion may be lost between the last poll and the sleep (the order that {@code ibv_req_notify_cq(3)} asks
     * for). Asking is a doorbell; sleeping and taking the event are a system call each.
     *
     * @param nanos most to sleep
     */
    public void await(SimThread thread, long nanos) {
        Event event = new Event();
        thread.run(host.mmio)
                .then(event::ask)
                .run(host.poll)
                .awaitEvent(event, nanos)
                .systemCalls(1);
    }

    /**
     * A thread asks for an event, now, and pays for the doorbell afterwards: for who looks once more itself, as a
     * {@link io.verbena.nic.poll.PollLoop} does, before it calls {@link #sleep}.
     */
    public void arm(SimThread thread) {
        armed.ask();
        armed.looked = true;
        thread.run(host.mmio);
    }

    /**
     * A thread sleeps until the event that was asked for by {@link #arm}, by a system call, and takes it by another.
     *
     * @param nanos most to sleep
     */
    public void sleep(SimThread thread, long nanos) {
        sleep(thread, nanos, () -> false);
    }

    /**
     * As {@link #sleep(SimThread, long)}, or until another event.
     *
     * @param other looked at when it comes to that and whenever something has happened, until it holds
     */
    public void sleep(SimThread thread, long nanos, BooleanSupplier other) {
        thread.awaitEvent(() -> armed.getAsBoolean() || other.getAsBoolean(), nanos)
                .systemCalls(1);
    }

    /** Raised by the completion that comes after it was asked for; holds at first also if one was there before. */
    private final class Event implements BooleanSupplier {
        private long token;
        private boolean looked;

        void ask() {
            token = queue.requestNotify(false);
        }

        @Override
        public boolean getAsBoolean() {
            if (!looked) {
                looked = true;
                return !queue.isEmpty();
            }
            if (!queue.awaitEvent(token, 0)) {
                return false;
            }
            queue.acknowledgeEvents(1);
            return true;
        }
    }
}
