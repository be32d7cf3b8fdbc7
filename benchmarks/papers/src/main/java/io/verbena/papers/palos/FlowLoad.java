package io.verbena.papers.palos;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.Actor;
import java.util.ArrayList;
import java.util.List;

/** Keeps flows backlogged: posts WRITEs again as soon as half of what may be outstanding is done. */
final class FlowLoad implements Actor {
    private final List<Source> sources = new ArrayList<>();
    private final SendRequest request = new SendRequest();

    private static final class Source {
        final QueuePair qp;
        final int[] sizes;
        final int depth;
        final int localKey;
        final int remoteKey;
        int next;

        Source(QueuePair qp, int[] sizes, int depth, int localKey, int remoteKey) {
            this.qp = qp;
            this.sizes = sizes;
            this.depth = depth;
            this.localKey = localKey;
            this.remoteKey = remoteKey;
        }
    }

    /**
     * Adds a flow.
     *
     * @param qp connected
     * @param sizes of its messages, in turn
     * @param depth messages to keep outstanding
     * @param localKey of memory that holds the largest
     * @param remoteKey of memory for it
     */
    void add(QueuePair qp, int[] sizes, int depth, int localKey, int remoteKey) {
        sources.add(new Source(qp, sizes.clone(), depth, localKey, remoteKey));
    }

    @Override
    public int step() {
        int posted = 0;
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            int outstanding = source.qp.outstanding();
            if (outstanding <= source.depth / 2) {
                posted += post(source, source.depth - outstanding);
            }
        }
        return posted;
    }

    private int post(Source source, int count) {
        for (int i = 0; i < count; i++) {
            int size = source.sizes[source.next];
            source.next = (source.next + 1) % source.sizes.length;
            request.write(source.remoteKey, 0).local(source.localKey, 0, size).signaled(false);
            if (source.qp.post(request) != PostResult.POSTED) {
                throw new IllegalStateException("no room with " + source.qp.outstanding() + " outstanding");
            }
        }
        source.qp.doorbell();
        return count;
    }

    @Override
    public long nextDeadlineNanos() {
        return NO_DEADLINE;
    }
}
