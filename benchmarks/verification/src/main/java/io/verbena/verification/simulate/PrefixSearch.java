package io.verbena.verification.simulate;

import io.verbena.verification.walk.Pattern;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;

/** At the end of an epoch: looks for the prefix of what is not known to be done that explains the target's memory. */
final class PrefixSearch {
    private final ReliableChannel channel;
    private final AtomicBuffer memory;
    private final int slice;

    PrefixSearch(ReliableChannel channel) {
        this.channel = channel;
        this.memory = channel.target.host.memory().target();
        this.slice = channel.target.slice();
    }

    /** Finds how many of the doubtful requests were done; the next may have been done in part. */
    void explain(List<ModelRequest> doubtful, TargetArrivals arrivals) {
        int least = 0;
        int most = doubtful.size();
        for (int i = doubtful.size() - 1; i >= 0; i--) {
            ModelRequest r = doubtful.get(i);
            if (least == 0 && arrivals.isKnown(r)) {
                least = i + 1;
            }
            if (r.flaw.fails() && !r.isRefusedLate()) {
                most = i;
            }
        }
        if (least > most) {
            throw channel.wrong(
                    doubtful.get(least - 1) + " was done although " + doubtful.get(most) + " before it failed");
        }
        for (int done = 0; ; done++) {
            if (done >= least && matches(0, DirectionModel.SLICE)) {
                break;
            }
            if (done == most) {
                throw channel.wrong("no prefix of " + doubtful + " explains the target's memory, which differs at "
                        + firstDifference() + "; between " + least + " and " + most + " are done");
            }
            ModelRequest next = doubtful.get(done);
            if (done >= least && next.succeeds() && next.verb.isWrite() && isPart(next)) {
                break;
            }
            if (next.flaw == RequestFlaw.NONE || next.isRefusedLate()) {
                channel.apply(next);
            }
        }
        channel.model.putBytes(0, memory, slice, DirectionModel.SLICE);
    }

    private boolean isPart(ModelRequest next) {
        int done = Pattern.mismatch(memory, slice + next.remote, next.identity, 0, next.length);
        int end = next.remote + next.length;
        return done >= 0
                && matches(0, next.remote)
                && matches(next.remote + done, end)
                && matches(end, DirectionModel.SLICE);
    }

    private boolean matches(int from, int to) {
        for (int i = from; i < to; i++) {
            if (memory.getByte(slice + i) != channel.model.getByte(i)) {
                return false;
            }
        }
        return true;
    }

    private int firstDifference() {
        int i = 0;
        while (i < DirectionModel.SLICE && memory.getByte(slice + i) == channel.model.getByte(i)) {
            i++;
        }
        return i;
    }
}
