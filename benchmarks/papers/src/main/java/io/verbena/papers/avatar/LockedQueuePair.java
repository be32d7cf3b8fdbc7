package io.verbena.papers.avatar;

import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimLock;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue pair and its completion queue that several threads use behind a lock, as FaRM and LITE do. Whoever polls
 * takes what is complete for all.
 */
final class LockedQueuePair {
    private static final int POLLED = 32; // LITE's batch

    private final Source source;
    private final HostQueuePair qp;
    private final HostCompletionQueue completions;
    private final SimLock lock;
    private final int signalEvery;
    private final List<Member> members = new ArrayList<>();

    /**
     * Creates it, with no connection.
     *
     * @param signalEvery one of so many requests of a connection is signaled, at least 1
     */
    LockedQueuePair(Source source, HostQueuePair qp, HostCompletionQueue completions, SimLock lock, int signalEvery) {
        this.source = source;
        this.qp = qp;
        this.completions = completions;
        this.lock = lock;
        this.signalEvery = signalEvery;
    }

    /** Another connection on it. */
    Connection join(int number) {
        Member member = new Member(number);
        members.add(member);
        return member;
    }

    private void tell(int number) {
        for (Member member : members) {
            if (member.number() == number) {
                member.finish(signalEvery);
                return;
            }
        }
        throw new IllegalStateException("a completion of connection " + number + ", which is not here");
    }

    private final class Member extends Connection {
        private long sent;

        Member(int number) {
            super(number);
        }

        @Override
        void send(SimThread self, int bytes) {
            boolean signaled = ++sent % signalEvery == 0;
            self.acquire(lock);
            qp.post(
                    self,
                    source.local(Wire.request(number(), true), number(), 0, bytes)
                            .signaled(signaled));
            qp.doorbell(self);
            self.release(lock);
        }

        @Override
        void look(SimThread self) {
            if (completions.queue().isEmpty()) {
                self.run(AvatarWorld.LOOK_NANOS);
                return;
            }
            self.acquire(lock).then(() -> {
                completions.poll(
                        self, c -> tell(Wire.connection((int) Wire.checked(c).wrId())), POLLED);
                self.release(lock);
            });
        }
    }
}
