package io.verbena.papers.drum;

import io.verbena.nic.Completion;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimLock;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * DRUM's SHARE: threads post into one queue pair behind a mutex, which is held for a batch and its doorbell. Whoever
 * finds completions takes them behind a spinning lock, for all that share; a look at an empty queue needs no lock.
 */
final class LockedQueuePair {
    /** Of the send queue: what was posted, what was rung, and a slot, as in a driver. */
    private static final int SEND_LINES = 3;

    /** Of the completion queue: what was consumed. */
    private static final int COMPLETION_LINES = 1;

    private static final int LIMIT = 16;

    private final HostQueuePair qp;
    private final HostCompletionQueue completions;
    private final HostModel host;
    private final SimLock sendLock;
    private final SimLock completionLock;
    private final List<Member> members = new ArrayList<>();

    LockedQueuePair(HostQueuePair qp, HostCompletionQueue completions, SimCores cores) {
        this.qp = qp;
        this.completions = completions;
        this.host = cores.model();
        sendLock = cores.lock(SimLock.Kind.MUTEX, SEND_LINES);
        completionLock = cores.lock(SimLock.Kind.SPIN, COMPLETION_LINES);
    }

    /** Another connection; its requests are made by their bytes. */
    Connection join(IntFunction<SendRequest> requests) {
        Member member = new Member(members.size(), requests);
        members.add(member);
        return member;
    }

    /** Connections that share it. */
    int members() {
        return members.size();
    }

    private void deliver(Completion completion) {
        OwnQueuePair.check(completion);
        members.get((int) completion.wrId()).arrived++;
    }

    private final class Member implements Connection {
        private final int index;
        private final IntFunction<SendRequest> requests;
        private int arrived;

        Member(int index, IntFunction<SendRequest> requests) {
            this.index = index;
            this.requests = requests;
        }

        @Override
        public void post(SimThread self, int[] bytes) {
            self.acquire(sendLock);
            for (int i = 0; i < bytes.length; i++) {
                qp.post(self, requests.apply(bytes[i]).wrId(index).signaled(i == bytes.length - 1));
            }
            qp.doorbell(self);
            self.release(sendLock);
        }

        @Override
        public void poll(SimThread self, Runnable completed) {
            if (arrived > 0) {
                arrived--;
                self.run(host.lineNanos()).then(completed);
            } else if (completions.queue().isEmpty()) {
                self.run(host.pollNanos());
            } else {
                self.acquire(completionLock).then(() -> {
                    completions.poll(self, LockedQueuePair.this::deliver, LIMIT);
                    self.release(completionLock);
                });
            }
        }
    }
}
