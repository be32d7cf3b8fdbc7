package io.verbena.papers.drum;

import io.verbena.nic.Completion;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * DRUM's agent (IV): one thread takes requests out of the connections' rings in turn, cuts long ones, and posts them to
 * the queue pairs that connections share; another polls the one completion queue of the host. Both are alone with what
 * they write, so no lock is needed; what an application and the agent hand each other is a cache line.
 *
 * <pre>
 *   connections ─ ring ─▶                                    ┌─▶ queue pair: takes one where fewer than 16 requests
 *   connections ─ ring ─▶ scheduler: 16 requests a turn each ┤        and 64 KiB are under way; rates: arbiter
 *   connections ─ ring ─▶                                    └─▶ queue pair
 *        ▲──────────────── poller ◀── completion queue of all
 * </pre>
 */
final class DrumAgent {
    /** Its threads. */
    static final int THREADS = 2;

    /** Requests that a connection may post before others have their turn. */
    private static final int TURN = 16;

    /** Requests of a queue pair that the NIC has at a time, pieces included: what its send queue needs room for. */
    static final int MAX_REQUESTS = 16;

    /** Bytes of a queue pair at the NIC with which nothing more is taken; the last piece may have passed them. */
    private static final int MAX_BYTES = 64 << 10;

    /** Longer requests are cut to this: no connection waits for more of another on the same queue pair. */
    static final int PIECE = 16 << 10;

    private static final int LIMIT = 64;

    private final HostModel host;
    private final HostCompletionQueue completions;
    private final List<Shared> queuePairs = new ArrayList<>();
    private final ArrayDeque<Member> ready = new ArrayDeque<>();
    private boolean woke; // the poller has made connections ready

    DrumAgent(DrumWorld world, HostCompletionQueue completions) {
        this.host = world.cores.model();
        this.completions = completions;
        start(world.cores);
    }

    private void start(SimCores cores) {
        cores.start("scheduler", this::schedule);
        cores.start("poller", this::poll);
    }

    /** The completion queue of all queue pairs. */
    HostCompletionQueue completions() {
        return completions;
    }

    /** Lets connections share a queue pair whose completion queue is {@link #completions}. */
    Shared share(HostQueuePair qp) {
        Shared shared = new Shared(qp, queuePairs.size());
        queuePairs.add(shared);
        return shared;
    }

    // ---- the scheduler -------------------------------------------------------------------------------------------

    private void schedule(SimThread self) {
        if (ready.isEmpty()) {
            self.run(host.pollNanos());
            return;
        }
        self.run(host.lineNanos()); // the list of those that are ready
        List<Shared> touched = new ArrayList<>();
        for (int i = ready.size(); i > 0; i--) {
            Member member = ready.remove();
            Shared shared = member.shared;
            for (int moved = 0; moved < TURN && member.hasNext() && shared.hasRoom(); moved++) {
                if (shared.turn.isEmpty()) {
                    touched.add(shared);
                }
                shared.take(self, member);
            }
            if (!member.hasNext()) {
                member.isListed = false;
            } else if (shared.hasRoom()) {
                ready.add(member);
            } else {
                shared.held++;
                shared.waiting.add(member);
            }
        }
        touched.forEach(shared -> shared.post(self));
    }

    // ---- the poller ----------------------------------------------------------------------------------------------

    private void poll(SimThread self) {
        completions.poll(self, this::completed, LIMIT);
        if (woke) {
            woke = false;
            self.run(host.lineNanos());
        }
    }

    private void completed(Completion completion) {
        OwnQueuePair.check(completion);
        queuePairs.get((int) completion.wrId()).completed();
    }

    /** A request, or a piece of one, that the NIC has. */
    private record Piece(Member member, int bytes, boolean endsBatch, boolean signaled) {}

    /** A queue pair that connections share. */
    final class Shared {
        private final HostQueuePair qp;
        private final int index;
        private final ArrayDeque<Member> waiting = new ArrayDeque<>();
        private final ArrayDeque<Piece> turn = new ArrayDeque<>(); // taken and not posted
        private final ArrayDeque<Piece> underWay = new ArrayDeque<>();
        private int members;
        private int requests; // taken and not complete
        private int bytes;
        private long held;

        Shared(HostQueuePair qp, int index) {
            this.qp = qp;
            this.index = index;
        }

        /** Connections that share it. */
        int members() {
            return members;
        }

        /** How often somebody had to wait for it. */
        long held() {
            return held;
        }

        /** Another connection; its requests are made by their bytes. */
        Connection join(IntFunction<SendRequest> made) {
            members++;
            return new Member(this, made);
        }

        private boolean hasRoom() {
            return requests < MAX_REQUESTS && bytes < MAX_BYTES;
        }

        private void take(SimThread self, Member member) {
            if (member.isWhole()) {
                self.run(host.lineNanos());
            }
            Piece piece = member.next();
            turn.add(piece);
            requests++;
            bytes += piece.bytes;
        }

        private void post(SimThread self) {
            while (!turn.isEmpty()) {
                Piece piece = turn.remove();
                boolean signaled = turn.isEmpty() || piece.endsBatch;
                underWay.add(new Piece(piece.member, piece.bytes, piece.endsBatch, signaled));
                qp.post(self, piece.member.made.apply(piece.bytes).wrId(index).signaled(signaled));
            }
            qp.doorbell(self);
        }

        private void completed() {
            Piece piece;
            do {
                piece = underWay.remove();
                requests--;
                bytes -= piece.bytes;
                if (piece.endsBatch) {
                    piece.member.arrived++;
                }
            } while (!piece.signaled);
            woke |= !waiting.isEmpty();
            ready.addAll(waiting);
            waiting.clear();
        }
    }

    private final class Member implements Connection {
        private final Shared shared;
        private final IntFunction<SendRequest> made;
        private final ArrayDeque<int[]> ring = new ArrayDeque<>();
        private int at; // request of the first batch
        private int sent; // bytes of that request
        private boolean isListed;
        private int arrived;

        Member(Shared shared, IntFunction<SendRequest> made) {
            this.shared = shared;
            this.made = made;
        }

        boolean hasNext() {
            return !ring.isEmpty();
        }

        boolean isWhole() {
            return sent == 0;
        }

        Piece next() {
            int[] batch = ring.element();
            int length = Math.min(PIECE, batch[at] - sent);
            sent += length;
            boolean ends = false;
            if (sent == batch[at]) {
                sent = 0;
                if (++at == batch.length) {
                    at = 0;
                    ring.remove();
                    ends = true;
                }
            }
            return new Piece(this, length, ends, false);
        }

        @Override
        public void post(SimThread self, int[] bytes) {
            self.run(bytes.length * host.postNanos()).then(() -> {
                ring.add(bytes);
                if (!isListed) {
                    isListed = true;
                    ready.add(this);
                }
            });
        }

        @Override
        public void poll(SimThread self, Runnable completed) {
            if (arrived > 0) {
                arrived--;
                self.run(host.lineNanos()).then(completed);
            } else {
                self.run(host.pollNanos());
            }
        }
    }
}
