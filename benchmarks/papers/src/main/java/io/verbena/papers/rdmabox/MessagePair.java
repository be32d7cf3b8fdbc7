package io.verbena.papers.rdmabox;

import io.verbena.nic.Completion;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostPoller;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimLock;
import io.verbena.nic.sim.SimThread;
import io.verbena.nic.verbs.WcOpcode;
import java.util.ArrayDeque;

/**
 * Two-sided access to a peer's memory: threads send it requests, and a thread of its answers each. What is written goes
 * to its place before the request, what is read comes before the answer, by WRITEs: who asks registers its memory for
 * each (dynMR), or copies; the peer does neither. Requests and answers come in order, so that a message need not say
 * which it is.
 *
 * <pre>
 *   write   WRITE, SEND ──▶ peer ──▶ SEND
 *   read    SEND ──▶ peer ──▶ WRITE, SEND
 * </pre>
 */
final class MessagePair implements RemoteAccess {
    /** Requests of a side under way at most: as many receives are posted at the other. */
    static final int DEPTH = 64;

    /** Bytes of a request, and of an answer. */
    static final int MESSAGE = 64;

    private record Asked(boolean reads, long offset, int bytes, Ending ending) {}

    /** One side of the connection. */
    record Side(HostQueuePair qp, HostCompletionQueue completions, int key, int peerKey) {
        Side {
            for (int i = 0; i < DEPTH; i++) {
                receive(qp.queuePair(), key);
            }
        }

        private static void receive(QueuePair qp, int key) {
            qp.postReceive(0, key, 0, MESSAGE);
        }
    }

    private final Side here;
    private final Side there;
    private final SimLock lock; // of the queue pair here
    private final boolean chains;
    private final boolean registers;
    private final HostModel host;
    private final ArrayDeque<Asked> asked = new ArrayDeque<>(); // in flight there
    private final ArrayDeque<Asked> answered = new ArrayDeque<>(); // in flight here

    /**
     * Creates it.
     *
     * @param lock of this side's threads
     * @param chains whether requests that go together share a doorbell
     * @param registers whether memory is registered for each request, and not copied
     * @param host what things take the threads of both sides
     */
    MessagePair(Side here, Side there, SimLock lock, boolean chains, boolean registers, HostModel host) {
        this.here = here;
        this.there = there;
        this.lock = lock;
        this.chains = chains;
        this.registers = registers;
        this.host = host;
    }

    /** Takes completions on this side. */
    HostPoller.Taker asking() {
        return (by, limit) -> here.completions.poll(by, completion -> onAnswer(completion, by), limit);
    }

    /** Takes completions on the peer's side. */
    HostPoller.Taker answering() {
        return (by, limit) -> there.completions.poll(by, completion -> onRequest(completion, by), limit);
    }

    @Override
    public HostCompletionQueue completions() {
        return here.completions;
    }

    /** The peer's completions. */
    HostCompletionQueue peerCompletions() {
        return there.completions;
    }

    @Override
    public void move(SimThread by, boolean reads, long offset, int bytes, int count, Ending ending) {
        by.run(count * (registers ? host.registrationNanos(bytes) : reads ? 0 : host.copyNanos(bytes)))
                .acquire(lock);
        for (int i = 0; i < count; i++) {
            Asked request = new Asked(reads, offset + (long) i * bytes, bytes, ending);
            by.then(() -> asked.add(request));
            send(by, here, request, !reads, i + 1 == count);
        }
        by.release(lock);
    }

    /** Sends a message, perhaps with bytes before it. */
    private void send(SimThread by, Side side, Asked request, boolean withBytes, boolean isLast) {
        if (withBytes) {
            side.qp.post(
                    by,
                    new SendRequest()
                            .write(side.peerKey, request.offset)
                            .local(side.key, request.offset, request.bytes)
                            .signaled(false));
            if (!chains) {
                side.qp.doorbell(by);
            }
        }
        side.qp.post(by, new SendRequest().send().local(side.key, 0, MESSAGE));
        if (!chains || isLast) {
            side.qp.doorbell(by);
        }
    }

    private void onRequest(Completion completion, SimThread by) {
        if (isMessage(completion, by, there)) {
            Asked request = asked.remove();
            by.then(() -> answered.add(request));
            send(by, there, request, request.reads, true);
        }
    }

    private void onAnswer(Completion completion, SimThread by) {
        if (isMessage(completion, by, here)) {
            Asked request = answered.remove();
            by.run(registers || !request.reads ? 0 : host.copyNanos(request.bytes))
                    .then(() -> request.ending.ended(by));
        }
    }

    /** Whether it is one that came, for which another may come. */
    private boolean isMessage(Completion completion, SimThread by, Side side) {
        BoxWorld.check(completion);
        if (completion.opcode() != WcOpcode.RECEIVE) {
            return false;
        }
        by.run(host.postNanos()).then(() -> Side.receive(side.qp.queuePair(), side.key));
        return true;
    }
}
