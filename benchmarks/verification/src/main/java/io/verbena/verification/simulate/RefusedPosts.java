package io.verbena.verification.simulate;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpType;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.WalkFailure;
import org.agrona.concurrent.UnsafeBuffer;

/** What a queue pair must refuse when it is posted: nothing may come of it. */
final class RefusedPosts {
    private final WalkTally tally;
    private final SendRequest request = new SendRequest();
    private final UnsafeBuffer inline = new UnsafeBuffer(new byte[Pair.MAX_INLINE]);

    RefusedPosts(WalkTally tally) {
        this.tally = tally;
    }

    /** A full queue takes nothing. */
    void toFull(PairEnd end, QueuePair qp) {
        PostResult[] result = new PostResult[1];
        if (end.pair.type == QpType.UD) {
            ModelRequestEncoder.to(end, RequestFlaw.NONE, request.send());
        } else {
            request.write(ModelRequestEncoder.BAD_KEY, 0);
        }
        request.wrId(-1);
        end.host.node.act(() -> {
            if (qp.outstanding() == PairEnd.SLOTS) {
                result[0] = qp.post(request);
            }
        });
        if (result[0] == PostResult.POSTED) {
            throw new WalkFailure(end + ": took a request beyond its " + PairEnd.SLOTS);
        }
        tally.add(Event.QUEUE_FULL, result[0] == null ? 0 : 1);
    }

    /** What UC or UD does not offer is refused at post. */
    void verb(PairEnd end, QueuePair qp, PostedVerb verb) {
        if (verb.isWrite()) {
            request.write(end.host.memory().targetKey(), 0);
        } else if (verb == PostedVerb.READ) {
            request.read(end.host.memory().targetKey(), 0);
        } else {
            request.fetchAdd(end.host.memory().targetKey(), 0, 1);
        }
        if (end.pair.type == QpType.UD) {
            ModelRequestEncoder.to(end, RequestFlaw.NONE, request);
        }
        request.local(end.host.memory().localKey(), 0, Long.BYTES).wrId(-3);
        try {
            qp.postSend(request);
        } catch (IllegalArgumentException | IllegalStateException e) {
            tally.add(Event.REFUSALS);
            return;
        }
        throw new WalkFailure(end + ": " + verb + " was taken on " + end.pair.type);
    }

    /** Posts what can never be executed: each must be refused, and nothing may come of it. */
    void malformed(PairEnd end, SimRandom random) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        int key = end.host.memory().localKey();
        switch (random.nextInt(4)) {
            case 0:
                request.send().inline(new UnsafeBuffer(new byte[Pair.MAX_INLINE + 1]), 0, Pair.MAX_INLINE + 1);
                break;
            case 1:
                request.read(key, 0).inline(inline, 0, 8);
                break;
            case 2:
                request.send();
                for (int i = 0; i <= Pair.MAX_SGE; i++) {
                    request.local(key, 0, 8);
                }
                break;
            default:
                request.send().local(key, 0, Integer.MAX_VALUE).local(key, 0, 8);
                break;
        }
        if (end.pair.type == QpType.UD) {
            if (random.nextInt(4) != 0) {
                ModelRequestEncoder.to(end, RequestFlaw.NONE, request);
            } else {
                request.send(); // to nobody
            }
        }
        request.wrId(-2);
        try {
            qp.postSend(request);
        } catch (IllegalArgumentException e) {
            tally.add(Event.REFUSALS);
            return;
        }
        throw new WalkFailure(end + ": a request that can never be executed was taken");
    }
}
