package io.verbena.papers.drum;

import io.verbena.nic.Completion;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimThread;
import java.util.function.IntFunction;

/** DRUM's RAW: a connection with a queue pair and a completion queue of its own. */
final class OwnQueuePair implements Connection {
    private final HostQueuePair qp;
    private final HostCompletionQueue completions;
    private final IntFunction<SendRequest> requests;

    /**
     * A connection.
     *
     * @param completions of this queue pair alone
     * @param requests makes one of so many bytes
     */
    OwnQueuePair(HostQueuePair qp, HostCompletionQueue completions, IntFunction<SendRequest> requests) {
        this.qp = qp;
        this.completions = completions;
        this.requests = requests;
    }

    @Override
    public void post(SimThread self, int[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            qp.post(self, requests.apply(bytes[i]).signaled(i == bytes.length - 1));
        }
        qp.doorbell(self);
    }

    @Override
    public void poll(SimThread self, Runnable completed) {
        completions.poll(
                self,
                each -> {
                    check(each);
                    completed.run();
                },
                1);
    }

    static void check(Completion completion) {
        if (!completion.isSuccess()) {
            throw new IllegalStateException("a request failed: " + completion.status());
        }
    }
}
