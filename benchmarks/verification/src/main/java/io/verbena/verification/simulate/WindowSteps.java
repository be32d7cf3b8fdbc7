package io.verbena.verification.simulate;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.sim.SimRandom;
import io.verbena.verification.simulate.End.WindowState;

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
    void next(End end, SimRandom random) {
        Pair pair = end.pair;
        End peer = pair.peer(end);
        if (!pair.reliable || !hasRoom(end) || !hasRoom(peer) || end.isInError() || peer.isInError()) {
            return;
        }
        switch (end.windowState) {
            case NONE:
                end.window = end.host
                        .memory()
                        .pd()
                        .allocateWindow(random.nextInt(3) == 0 ? MemoryWindow.Type.TYPE_1 : MemoryWindow.Type.TYPE_2);
                end.windowState = WindowState.UNBOUND;
                break;
            case UNBOUND:
                boolean flawed = plan.has(WalkPlan.Feature.FLAWS) && random.nextInt(8) == 0;
                bind(end, flawed ? Flaw.BIND : Flaw.NONE, random);
                break;
            case BOUND:
                boolean used = end.incoming() instanceof ReliableChannel channel && channel.usesWindow();
                if (end.isWindowBoundByCall()) {
                    if (!used) {
                        bind(end, Flaw.NONE, random); // anew, or to nothing: the present key is void
                    }
                } else if (used) {
                    if (random.nextInt(2) == 0) {
                        invalidate(
                                peer, Verb.SEND_INVALIDATE, Flaw.NONE, end, random); // behind all that goes through it
                    }
                } else {
                    boolean none = plan.has(WalkPlan.Feature.FLAWS) && random.nextInt(8) == 0;
                    invalidate(end, Verb.LOCAL_INVALIDATE, none ? Flaw.NO_WINDOW : Flaw.NONE, end, random);
                }
                break;
            default:
                break; // under way
        }
    }

    private static boolean hasRoom(End end) {
        QueuePair qp = end.qp;
        return qp != null
                && end.isPresent()
                && qp.outstanding() < End.SLOTS
                && end.outgoing().outstanding.size() < End.SLOTS;
    }

    private void bind(End end, Flaw flaw, SimRandom random) {
        MemoryWindow window = end.window;
        if (window == null) {
            return;
        }
        Request r = new Request(Verb.BIND_WINDOW, flaw, end.nextSend++, 0, random.nextLong());
        if (end.isWindowBoundByCall()) {
            r.formerKey = end.windowState == WindowState.BOUND ? end.windowKey : 0;
            r.unbinds = flaw == Flaw.NONE && random.nextInt(3) == 0;
        } else {
            r.windowKey = window.nextKey();
        }
        end.windowState = WindowState.BINDING;
        poster.submit(end, r, random);
    }

    private void invalidate(End by, Verb verb, Flaw flaw, End owner, SimRandom random) {
        Request r = new Request(verb, flaw, by.nextSend++, 0, random.nextLong());
        r.windowKey = flaw == Flaw.NONE ? owner.windowKey : RequestEncoder.BAD_KEY;
        if (verb.isSend()) {
            r.length = random.nextInt(200);
        }
        owner.windowState = WindowState.VOIDING;
        poster.submit(by, r, random);
    }

    /** Posts a request to bind by the verbs' own call. */
    static PostResult bindByCall(End end, QueuePair qp, Request r) {
        MemoryWindow window = end.window;
        if (window == null) {
            throw new IllegalStateException(end + " has no window");
        }
        PostResult result = qp.bindWindow(
                window,
                r.flaw == Flaw.BIND
                        ? end.host.memory().readOnlyRegion()
                        : end.host.memory().targetRegion(),
                r.flaw == Flaw.BIND ? 0 : end.slice(),
                r.unbinds ? 0 : Channel.SLICE,
                Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC,
                (long) end.number() << 32 | r.sequence);
        r.windowKey = window.key();
        return result;
    }
}
