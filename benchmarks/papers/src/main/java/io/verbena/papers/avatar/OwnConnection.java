package io.verbena.papers.avatar;

import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimThread;

/** A queue pair and a completion queue of its own: native RDMA. A message is one request. */
final class OwnConnection extends Connection {
    private static final int POLLED = 16;

    private final Source source;
    private final HostQueuePair qp;
    private final HostCompletionQueue completions;
    private final int signalEvery;
    private long sent;

    /**
     * Creates it.
     *
     * @param source where its messages come from
     * @param signalEvery one of so many requests is signaled, at least 1
     */
    OwnConnection(int number, Source source, HostQueuePair qp, HostCompletionQueue completions, int signalEvery) {
        super(number);
        this.source = source;
        this.qp = qp;
        this.completions = completions;
        this.signalEvery = signalEvery;
    }

    @Override
    void send(SimThread self, int bytes) {
        boolean signaled = ++sent % signalEvery == 0;
        qp.post(
                self,
                source.local(Wire.request(number(), true), number(), 0, bytes).signaled(signaled));
        qp.doorbell(self);
    }

    @Override
    void await(SimThread self) {
        completions.await(self, MAX_SLEEP_NANOS);
    }

    @Override
    void look(SimThread self) {
        completions.poll(
                self,
                completion -> {
                    Wire.checked(completion);
                    finish(signalEvery);
                },
                POLLED);
    }
}
