package io.verbena.verification.simulate;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpType;
import io.verbena.verification.simulate.PairWindow.State;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.WalkFailure;

/** Makes up requests, legal and illegal, and posts them, one by one or in batches. */
final class Poster {
    private static final int MAX_UNSIGNALED = 5;

    private final WalkPlan plan;
    private final WalkTally tally;
    private final RequestMix mix;
    private final RefusedPosts refused;
    private final ModelRequestEncoder encoder = new ModelRequestEncoder();
    private final SendRequest forgotten = new SendRequest();
    private int batched = -1; // requests in the batch that was started; -1: none was

    Poster(WalkPlan plan, WalkTally tally) {
        this.plan = plan;
        this.tally = tally;
        this.mix = new RequestMix(plan);
        this.refused = new RefusedPosts(tally);
    }

    /** Posts a legal request that must succeed, if the peer allows its kind. */
    void prove(PairEnd end, PostedVerb verb, SimRandom random) {
        int access = end.pair.accessAt(end.pair.peer(end));
        int needed = needed(verb);
        if ((access & needed) == needed && end.pair.offers(verb)) {
            post(end, verb, RequestFlaw.NONE, random);
        }
    }

    private static int needed(PostedVerb verb) {
        if (verb.isWrite()) {
            return Access.REMOTE_WRITE;
        }
        return verb == PostedVerb.READ ? Access.REMOTE_READ : verb.isAtomic() ? Access.REMOTE_ATOMIC : 0;
    }

    /** Posts a random request if there is a place for it. */
    void post(PairEnd end, SimRandom random) {
        boolean datagrams = end.pair.type == QpType.UD;
        PostedVerb verb = mix.verb(datagrams, random);
        post(end, verb, mix.flaw(datagrams, verb, random), random);
    }

    void post(PairEnd end, PostedVerb verb, RequestFlaw wantedFlaw, SimRandom random) {
        QueuePair qp = end.qp;
        Pair pair = end.pair;
        if (qp == null || !end.isPresent() || !pair.peer(end).isPresent()) {
            return;
        }
        if (!pair.offers(verb)) {
            if (batched < 0) {
                refused.verb(end, qp, verb);
            }
            return;
        }
        DirectionModel channel = end.outgoing();
        if (batched >= 0 && qp.outstanding() + batched >= PairEnd.SLOTS) {
            return;
        }
        if (qp.outstanding() == PairEnd.SLOTS) {
            refused.toFull(end, qp);
            return;
        }
        if (channel.outstanding.size() >= PairEnd.SLOTS) {
            return; // completed, but the application has not looked yet: its memory is still in use
        }
        RequestFlaw flaw = wantedFlaw;
        int access = pair.accessAt(pair.peer(end));
        if (flaw.reachesPeer() || !flaw.fails() || (verb.reads() && flaw != RequestFlaw.SHORT_RESULT)) {
            int needed = needed(verb);
            if ((access & needed) != needed) {
                if (random.nextInt(8) != 0) {
                    return;
                }
                flaw = RequestFlaw.FORBIDDEN;
            }
        }
        if (flaw == RequestFlaw.TOO_LONG && (plan.maxMessage >= plan.most || !pair.reliable)) {
            flaw = RequestFlaw.NO_QUEUE;
        }
        PairEnd peer = pair.peer(end);
        boolean windowed = verb.isWrite() || verb.reads();
        if (windowed && flaw == RequestFlaw.REMOTE_KEY && pair.reliable) {
            if (peer.window.state == State.BOUND && random.nextInt(2) == 0) {
                flaw = RequestFlaw.WINDOW_RANGE;
            } else if (peer.window.voidKey != 0) {
                flaw = RequestFlaw.VOID_KEY;
            }
        }
        int sequence = end.nextSend++;
        long identity = random.nextLong();
        ModelRequest r = new ModelRequest(verb, flaw, sequence, peer.number(), identity);
        mix.shape(r, pair, random);
        r.window = windowed
                && peer.window.state == State.BOUND
                && (flaw == RequestFlaw.WINDOW_RANGE
                        || (flaw == RequestFlaw.NONE && !r.shared && random.nextInt(3) != 0));
        submit(end, r, random);
    }

    /** Posts a request that has been made up. */
    void submit(PairEnd end, ModelRequest r, SimRandom random) {
        QueuePair qp = end.qp;
        if (qp == null) {
            return;
        }
        Pair pair = end.pair;
        PostedVerb verb = r.verb;
        DirectionModel channel = end.outgoing();
        r.signaled = (end.window.isBoundByCall() && verb == PostedVerb.BIND_WINDOW)
                || end.unsignaled >= MAX_UNSIGNALED
                || random.nextInt(4) != 0;
        end.unsignaled = r.signaled ? 0 : end.unsignaled + 1;
        boolean maybe = random.nextInt(6) == 0 && pair.reliable && !verb.isLocal();
        // The answer to a READ is read when it is sent: who makes its key void behind it waits for it.
        r.fenced = maybe || verb == PostedVerb.SEND_INVALIDATE;
        r.immediate = random.nextInt(Integer.MAX_VALUE);
        if (!r.verb.isLocal()) {
            encoder.prepare(end, r);
        }
        SendRequest request = encoder.encode(end, r, random);
        channel.posted(r);
        tally.posted[verb.ordinal()]++;
        end.host.node.note("post qp=" + end.number() + ' ' + r);
        PostResult[] result = new PostResult[1];
        if (verb == PostedVerb.BIND_WINDOW && end.window.isBoundByCall()) {
            end.host.node.act(() -> result[0] = WindowSteps.bindByCall(end, qp, r));
        } else if (batched >= 0) {
            batched++;
            result[0] = qp.post(request);
        } else {
            end.host.node.act(() -> result[0] = qp.postSend(request));
        }
        if (result[0] == PostResult.QUEUE_FULL) {
            throw new WalkFailure(channel + ": queue full with " + channel.outstanding.size() + " outstanding");
        }
    }

    /** Posts some requests as one: the NIC sees all of them at once. */
    void postBatch(PairEnd end, int requests, SimRandom random) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        batched = 0;
        qp.start();
        for (int i = 0; i < requests; i++) {
            post(end, random);
        }
        batched = -1;
        PostResult[] result = {PostResult.POSTED};
        end.host.node.act(() -> result[0] = qp.complete());
        if (result[0] != PostResult.POSTED) {
            throw new WalkFailure(end + ": batch of " + requests + " was not posted: " + result[0]);
        }
        tally.add(Event.BATCHES);
    }

    /** Starts a batch, and forgets it: nothing may come of it. */
    void abortBatch(PairEnd end, int requests) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        qp.start();
        for (int i = 0; i < requests; i++) {
            qp.post(forgotten
                    .write(ModelRequestEncoder.BAD_KEY, 0)
                    .local(ModelRequestEncoder.BAD_KEY, 0, 8)
                    .wrId(-4));
        }
        qp.abort();
        tally.add(Event.ABORTS);
    }
}
