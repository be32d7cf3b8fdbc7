package io.verbena.verification.simulate;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.simulate.PairWindow.State;

/**
 * The life of the memory window on an end's slice: it is bound by request or by call, and made void, here or by the
 * peer.
 */
final class WindowSteps {
    private final WalkPlan plan;
    private final Poster poster;

    WindowSteps(WalkPlan plan, Poster poster) {
        this.plan = plan;
        this.poster = poster;
    }

    /** Does what comes next with an end's window. */
    void next(PairEnd end, SimRandom random) {
        Pair pair = end.pair;
        PairEnd peer = pair.peer(end);
        if (!pair.reliable || !hasRoom(end) || !hasRoom(peer) || end.isInError() || peer.isInError()) {
            return;
        }
        switch (end.window.state) {
            case NONE:
                end.window.memoryWindow = end.host
                        .memory()
                        .pd()
                        .allocateWindow(random.nextInt(3) == 0 ? MemoryWindow.Type.TYPE_1 : MemoryWindow.Type.TYPE_2);
                end.window.state = State.UNBOUND;
                break;
            case UNBOUND:
                boolean flawed = plan.has(WalkPlan.Feature.FLAWS) && random.nextInt(8) == 0;
                bind(end, flawed ? RequestFlaw.BIND : RequestFlaw.NONE, random);
                break;
            case BOUND:
                boolean used = end.incoming() instanceof ReliableChannel channel && channel.usesWindow();
                if (end.window.isBoundByCall()) {
                    if (!used) {
                        bind(end, RequestFlaw.NONE, random); // anew, or to nothing: the present key is void
                    }
                } else if (used) {
                    if (random.nextInt(2) == 0) {
                        invalidate(
                                peer,
                                PostedVerb.SEND_INVALIDATE,
                                RequestFlaw.NONE,
                                end,
                                random); // behind all that goes through it
                    }
                } else {
                    boolean none = plan.has(WalkPlan.Feature.FLAWS) && random.nextInt(8) == 0;
                    invalidate(
                            end,
                            PostedVerb.LOCAL_INVALIDATE,
                            none ? RequestFlaw.NO_WINDOW : RequestFlaw.NONE,
                            end,
                            random);
                }
                break;
            default:
                break; // under way
        }
    }

    private static boolean hasRoom(PairEnd end) {
        QueuePair qp = end.qp;
        return qp != null
                && end.isPresent()
                && qp.outstanding() < PairEnd.SLOTS
                && end.outgoing().outstanding.size() < PairEnd.SLOTS;
    }

    private void bind(PairEnd end, RequestFlaw flaw, SimRandom random) {
        MemoryWindow window = end.window.memoryWindow;
        if (window == null) {
            return;
        }
        ModelRequest r = new ModelRequest(PostedVerb.BIND_WINDOW, flaw, end.nextSend++, 0, random.nextLong());
        if (end.window.isBoundByCall()) {
            r.binding.formerKey = end.window.state == State.BOUND ? end.window.key : 0;
            r.binding.unbinds = flaw == RequestFlaw.NONE && random.nextInt(3) == 0;
        } else {
            r.binding.key = window.nextKey();
        }
        end.window.state = State.BINDING;
        poster.submit(end, r, random);
    }

    private void invalidate(PairEnd by, PostedVerb verb, RequestFlaw flaw, PairEnd owner, SimRandom random) {
        ModelRequest r = new ModelRequest(verb, flaw, by.nextSend++, 0, random.nextLong());
        r.binding.key = flaw == RequestFlaw.NONE ? owner.window.key : ModelRequestEncoder.BAD_KEY;
        if (verb.isSend()) {
            r.length = random.nextInt(200);
        }
        owner.window.state = State.VOIDING;
        poster.submit(by, r, random);
    }

    /** Posts a request to bind by the verbs' own call. */
    static PostResult bindByCall(PairEnd end, QueuePair qp, ModelRequest r) {
        MemoryWindow window = end.window.memoryWindow;
        if (window == null) {
            throw new IllegalStateException(end + " has no window");
        }
        PostResult result = qp.bindWindow(
                window,
                r.flaw == RequestFlaw.BIND
                        ? end.host.memory().readOnlyRegion()
                        : end.host.memory().targetRegion(),
                r.flaw == RequestFlaw.BIND ? 0 : end.slice(),
                r.binding.unbinds ? 0 : DirectionModel.SLICE,
                Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC,
                (long) end.number() << 32 | r.sequence);
        r.binding.key = window.key();
        return result;
    }
}
