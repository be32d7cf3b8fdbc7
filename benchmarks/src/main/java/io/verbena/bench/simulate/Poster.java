package io.verbena.bench.simulate;

import io.verbena.bench.simulate.End.WindowState;
import io.verbena.nic.AddressHandle;
import io.verbena.nic.PostResult;
import io.verbena.nic.QpType;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.wire.BthFlyweight;
import org.agrona.concurrent.UnsafeBuffer;

/** Makes up requests and receives, legal and illegal, and posts them. */
final class Poster {
    private static final Verb[] VERBS = {
        Verb.SEND, Verb.SEND, Verb.SEND_IMMEDIATE, Verb.WRITE, Verb.WRITE, Verb.WRITE, Verb.WRITE_IMMEDIATE,
        Verb.READ, Verb.READ, Verb.FETCH_ADD, Verb.FETCH_ADD, Verb.COMPARE_SWAP, Verb.APPEND, Verb.APPEND,
        Verb.APPEND_IMMEDIATE
    };
    private static final Verb[] DATAGRAM_VERBS = {Verb.SEND, Verb.SEND_IMMEDIATE, Verb.APPEND, Verb.APPEND_IMMEDIATE};
    private static final Flaw[] WRITE_FLAWS = {
        Flaw.LOCAL_KEY,
        Flaw.LOCAL_RANGE,
        Flaw.REMOTE_KEY,
        Flaw.REMOTE_RANGE,
        Flaw.REMOTE_OVERFLOW,
        Flaw.REMOTE_PERMISSION,
        Flaw.REMOTE_DOMAIN,
        Flaw.BOTH_WRITE,
        Flaw.EMPTY_BAD_KEY
    };
    private static final Flaw[] READ_FLAWS = {
        Flaw.LOCAL_KEY,
        Flaw.LOCAL_RANGE,
        Flaw.REMOTE_KEY,
        Flaw.REMOTE_RANGE,
        Flaw.REMOTE_OVERFLOW,
        Flaw.REMOTE_PERMISSION,
        Flaw.REMOTE_DOMAIN,
        Flaw.BOTH_READ,
        Flaw.EMPTY_BAD_KEY
    };
    private static final Flaw[] ATOMIC_FLAWS = {
        Flaw.LOCAL_KEY,
        Flaw.REMOTE_KEY,
        Flaw.REMOTE_RANGE,
        Flaw.REMOTE_PERMISSION,
        Flaw.REMOTE_DOMAIN,
        Flaw.BOTH_READ,
        Flaw.SHORT_RESULT,
        Flaw.MISALIGNED
    };
    private static final Flaw[] SEND_FLAWS = {Flaw.LOCAL_KEY, Flaw.LOCAL_RANGE};
    private static final Flaw[] APPEND_FLAWS = {Flaw.LOCAL_KEY, Flaw.NO_QUEUE, Flaw.QUEUE_KEY, Flaw.TOO_LONG};

    private static final Flaw[] DATAGRAM_FLAWS = {
        Flaw.LOCAL_KEY, Flaw.LOCAL_RANGE, Flaw.QKEY, Flaw.QKEY, Flaw.CLOSED_HANDLE, Flaw.LONG_DATAGRAM
    };

    /** Most bytes of a datagram. */
    private static final int MOST_OF_DATAGRAM = 8192;

    private static final int MOST_UNSIGNALED = 5;
    private static final int BAD_KEY = 1;

    private final WalkPlan plan;
    private final Tally tally;
    private final SendRequest request = new SendRequest();
    private int batched = -1; // requests in the batch that was started; -1: none was
    private final UnsafeBuffer inline = new UnsafeBuffer(new byte[Pair.MAX_INLINE]);

    Poster(WalkPlan plan, Tally tally) {
        this.plan = plan;
        this.tally = tally;
    }

    // ---- sends -------------------------------------------------------------------------------------------------

    /** Posts a legal request that must succeed, if the peer allows its kind. */
    void prove(End end, Verb verb, SimRandom random) {
        int access = end.pair.accessAt(end.pair.peer(end));
        int needed = needed(verb);
        if ((access & needed) == needed && end.pair.offers(verb)) {
            post(end, verb, Flaw.NONE, random);
        }
    }

    private static int needed(Verb verb) {
        if (verb.isWrite()) {
            return Access.REMOTE_WRITE;
        }
        return verb == Verb.READ ? Access.REMOTE_READ : verb.isAtomic() ? Access.REMOTE_ATOMIC : 0;
    }

    /** Posts a random request if there is a place for it. */
    void post(End end, SimRandom random) {
        boolean datagrams = end.pair.type == QpType.UD;
        Verb[] verbs = datagrams && random.nextInt(16) != 0 ? DATAGRAM_VERBS : VERBS;
        Verb verb = verbs[random.nextInt(verbs.length)];
        Flaw flaw = Flaw.NONE;
        if (plan.has(WalkPlan.Feature.FLAWS) && random.nextInt(25) == 0) {
            boolean ofDatagram = datagrams && random.nextInt(4) != 0;
            flaw = ofDatagram ? DATAGRAM_FLAWS[random.nextInt(DATAGRAM_FLAWS.length)] : flaw(verb, random);
        }
        post(end, verb, flaw, random);
    }

    private static Flaw flaw(Verb verb, SimRandom random) {
        Flaw[] flaws;
        if (verb.isWrite()) {
            flaws = WRITE_FLAWS;
        } else if (verb == Verb.READ) {
            flaws = READ_FLAWS;
        } else if (verb.isAtomic()) {
            flaws = ATOMIC_FLAWS;
        } else {
            flaws = verb.isSend() ? SEND_FLAWS : APPEND_FLAWS;
        }
        return flaws[random.nextInt(flaws.length)];
    }

    void post(End end, Verb verb, Flaw wantedFlaw, SimRandom random) {
        QueuePair qp = end.qp;
        Pair pair = end.pair;
        if (qp == null || !end.isPresent() || !pair.peer(end).isPresent()) {
            return;
        }
        if (!pair.offers(verb)) {
            if (batched < 0) {
                refusedVerb(end, qp, verb);
            }
            return;
        }
        Channel channel = end.outgoing();
        if (batched >= 0 && qp.outstanding() + batched >= End.SLOTS) {
            return;
        }
        if (qp.outstanding() == End.SLOTS) {
            postToFull(end, qp);
            return;
        }
        if (channel.outstanding.size() >= End.SLOTS) {
            return; // completed, but the application has not looked yet: its memory is still in use
        }
        Flaw flaw = wantedFlaw;
        int access = pair.accessAt(pair.peer(end));
        if (flaw.reachesPeer() || !flaw.fails() || (verb.reads() && flaw != Flaw.SHORT_RESULT)) {
            int needed = needed(verb);
            if ((access & needed) != needed) {
                if (random.nextInt(8) != 0) {
                    return;
                }
                flaw = Flaw.FORBIDDEN;
            }
        }
        if (flaw == Flaw.TOO_LONG && (plan.maxMessage >= plan.most || !pair.reliable)) {
            flaw = Flaw.NO_QUEUE;
        }
        End peer = pair.peer(end);
        boolean windowed = verb.isWrite() || verb.reads();
        if (windowed && flaw == Flaw.REMOTE_KEY && pair.reliable) {
            if (peer.windowState == WindowState.BOUND && random.nextInt(2) == 0) {
                flaw = Flaw.WINDOW_RANGE;
            } else if (peer.voidKey != 0) {
                flaw = Flaw.VOID_KEY;
            }
        }
        int sequence = end.nextSend++;
        long identity = random.nextLong();
        Request r = new Request(verb, flaw, sequence, peer.number(), identity);
        shape(r, pair, random);
        r.window = windowed
                && peer.windowState == WindowState.BOUND
                && (flaw == Flaw.WINDOW_RANGE || (flaw == Flaw.NONE && !r.shared && random.nextInt(3) != 0));
        submit(end, r, random);
    }

    private void submit(End end, Request r, SimRandom random) {
        QueuePair qp = end.qp;
        if (qp == null) {
            return;
        }
        Pair pair = end.pair;
        Verb verb = r.verb;
        Channel channel = end.outgoing();
        r.signaled = (end.isWindowBoundByCall() && verb == Verb.BIND_WINDOW)
                || end.unsignaled >= MOST_UNSIGNALED
                || random.nextInt(4) != 0;
        end.unsignaled = r.signaled ? 0 : end.unsignaled + 1;
        boolean maybe = random.nextInt(6) == 0 && pair.reliable && !verb.isLocal();
        // The answer to a READ is read when it is sent: who makes its key void behind it waits for it.
        r.fenced = maybe || verb == Verb.SEND_INVALIDATE;
        r.immediate = random.nextInt(Integer.MAX_VALUE);
        if (!r.verb.isLocal()) {
            prepare(end, r);
        }
        encode(end, pair.peer(end), r, random);
        channel.posted(r);
        tally.posted[verb.ordinal()]++;
        end.host.node.note("post qp=" + end.number() + ' ' + r);
        PostResult[] result = new PostResult[1];
        if (verb == Verb.BIND_WINDOW && end.isWindowBoundByCall()) {
            end.host.node.act(() -> result[0] = bindByCall(end, qp, r));
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

    private static PostResult bindByCall(End end, QueuePair qp, Request r) {
        MemoryWindow window = end.window;
        if (window == null) {
            throw new IllegalStateException(end + " has no window");
        }
        PostResult result = qp.bindWindow(
                window,
                r.flaw == Flaw.BIND ? end.host.readOnlyRegion() : end.host.targetRegion(),
                r.flaw == Flaw.BIND ? 0 : end.slice(),
                r.unbinds ? 0 : Channel.SLICE,
                Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC,
                (long) end.number() << 32 | r.sequence);
        r.windowKey = window.key();
        return result;
    }

    /** Does what comes next with the window on an end's slice: binds it, or makes it void, here or by the peer. */
    void window(End end, SimRandom random) {
        Pair pair = end.pair;
        End peer = pair.peer(end);
        if (!pair.reliable || !hasRoom(end) || !hasRoom(peer) || end.isInError() || peer.isInError()) {
            return;
        }
        switch (end.windowState) {
            case NONE:
                end.window = end.host
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
        submit(end, r, random);
    }

    private void invalidate(End poster, Verb verb, Flaw flaw, End owner, SimRandom random) {
        Request r = new Request(verb, flaw, poster.nextSend++, 0, random.nextLong());
        r.windowKey = flaw == Flaw.NONE ? owner.windowKey : BAD_KEY;
        if (verb.isSend()) {
            r.length = random.nextInt(200);
        }
        owner.windowState = WindowState.VOIDING;
        submit(poster, r, random);
    }

    /** Posts some requests as one: the NIC sees all of them at once. */
    void postBatch(End end, int requests, SimRandom random) {
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
        tally.batches++;
    }

    /** Starts a batch, and forgets it: nothing may come of it. */
    void abortBatch(End end, int requests) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        qp.start();
        for (int i = 0; i < requests; i++) {
            qp.post(request.write(BAD_KEY, 0).local(BAD_KEY, 0, 8).wrId(-4));
        }
        qp.abort();
        tally.aborts++;
    }

    /** A full queue takes nothing. */
    private void postToFull(End end, QueuePair qp) {
        PostResult[] result = new PostResult[1];
        if (end.pair.type == QpType.UD) {
            to(end, Flaw.NONE, request.send());
        } else {
            request.write(BAD_KEY, 0);
        }
        request.wrId(-1);
        end.host.node.act(() -> {
            if (qp.outstanding() == End.SLOTS) {
                result[0] = qp.post(request);
            }
        });
        if (result[0] == PostResult.POSTED) {
            throw new WalkFailure(end + ": took a request beyond its " + End.SLOTS);
        }
        tally.queueFull += result[0] == null ? 0 : 1;
    }

    /** What UC or UD does not offer is refused at post. */
    private void refusedVerb(End end, QueuePair qp, Verb verb) {
        if (verb.isWrite()) {
            request.write(end.host.targetKey(), 0);
        } else if (verb == Verb.READ) {
            request.read(end.host.targetKey(), 0);
        } else {
            request.fetchAdd(end.host.targetKey(), 0, 1);
        }
        if (end.pair.type == QpType.UD) {
            to(end, Flaw.NONE, request);
        }
        request.local(end.host.localKey(), 0, Long.BYTES).wrId(-3);
        try {
            qp.postSend(request);
        } catch (IllegalArgumentException | IllegalStateException e) {
            tally.refusals++;
            return;
        }
        throw new WalkFailure(end + ": " + verb + " was taken on " + end.pair.type);
    }

    private void shape(Request r, Pair pair, SimRandom random) {
        Verb verb = r.verb;
        if (verb.isAtomic()) {
            r.length = Long.BYTES;
            r.shared = verb == Verb.FETCH_ADD && r.flaw == Flaw.NONE && random.nextInt(3) == 0;
            r.remote = verb == Verb.FETCH_ADD ? Channel.COUNTER : Channel.WORD;
            r.operand = r.shared ? 1 : random.nextLong();
            return;
        }
        int most = verb.isWrite() || verb == Verb.READ ? Channel.DATA : plan.most;
        if (pair.type == QpType.UD) {
            most = Math.min(most, MOST_OF_DATAGRAM);
        }
        if (verb.isAppend()) {
            most = Math.min(most, plan.maxMessage);
            most = pair.type == QpType.UC ? Math.min(most, pair.mtu) : most;
        }
        r.length = length(random, pair.mtu, most);
        if (r.flaw == Flaw.EMPTY_BAD_KEY) {
            r.length = 0;
        } else if (r.flaw == Flaw.TOO_LONG) {
            r.length = plan.maxMessage + 1 + random.nextInt(100);
        } else if (r.flaw == Flaw.LONG_DATAGRAM) {
            r.length = MOST_OF_DATAGRAM + 1 + random.nextInt(100);
            return; // from here and the next slot: nothing of it is read
        } else if (r.flaw != Flaw.NONE) {
            r.length = Math.max(1, r.length);
        }
        if (verb.isWrite() || verb == Verb.READ) {
            r.remote = random.nextInt(Channel.DATA - r.length + 1);
        }
        r.inline = verb != Verb.READ
                && r.length <= Pair.MAX_INLINE
                && r.flaw != Flaw.LOCAL_KEY
                && r.flaw != Flaw.LOCAL_RANGE
                && r.flaw != Flaw.BOTH_WRITE
                && random.nextInt(2) == 0;
        if (!r.inline) {
            r.local = random.nextInt(8);
            r.split = r.length > 1 && random.nextInt(3) == 0 ? 1 + random.nextInt(r.length - 1) : 0;
        }
    }

    private int length(SimRandom random, int mtu, int most) {
        int length;
        if (plan.isLarge() && random.nextInt(4) == 0) {
            return Math.min(most, random.nextInt(4) == 0 ? plan.most : random.nextInt(plan.most));
        }
        switch (random.nextInt(10)) {
            case 0:
                length = 0;
                break;
            case 1:
            case 2:
            case 3:
            case 4:
                length = 1 + random.nextInt(64);
                break;
            case 5:
            case 6:
                length = 1 + random.nextInt(600);
                break;
            case 7:
            case 8:
                length = mtu * (1 + random.nextInt(3)) - 1 + random.nextInt(3);
                break;
            default:
                length = random.nextInt(plan.most);
                break;
        }
        return Math.min(length, most);
    }

    /** Puts the message into its place, or makes the place ready for what is read. */
    private void prepare(End end, Request r) {
        if (r.inline) {
            Pattern.fill(inline, 0, r.identity, 0, r.length);
        } else if (r.flaw == Flaw.LONG_DATAGRAM) {
            return;
        } else if (r.verb.reads()) {
            int slot = end.sendSlot(r);
            Pattern.guard(end.host.local(), slot, r.local + r.length + End.GUARD);
        } else {
            r.fillSource(end.host.local(), end.sendSlot(r) + r.local);
        }
    }

    private void encode(End end, End peer, Request r, SimRandom random) {
        int rkey = remoteKey(peer, r);
        long remote = (r.shared ? 0L : peer.slice()) + r.remote;
        if (r.shared) {
            remote = 0;
        } else if (r.flaw == Flaw.WINDOW_RANGE) {
            remote = Channel.SLICE - r.length + 8L; // in the region still
        } else if (r.window) {
            remote = r.remote;
        } else if (r.flaw == Flaw.REMOTE_RANGE) {
            remote = peer.host.target().capacity() - r.length + 8L;
        } else if (r.flaw == Flaw.REMOTE_OVERFLOW) {
            remote = Long.MAX_VALUE - r.length + 1 + random.nextInt(r.length);
        } else if (r.flaw == Flaw.REMOTE_DOMAIN || r.flaw == Flaw.REMOTE_PERMISSION) {
            remote = 0;
        } else if (r.flaw == Flaw.MISALIGNED) {
            remote += 1 + random.nextInt(7);
        }
        switch (r.verb) {
            case BIND_WINDOW:
                if (end.isWindowBoundByCall()) {
                    return; // posted by the call itself
                }
                MemoryWindow window = end.window;
                if (window != null) {
                    request.bind(
                            window,
                            r.windowKey,
                            r.flaw == Flaw.BIND ? end.host.readOnlyRegion() : end.host.targetRegion(),
                            r.flaw == Flaw.BIND ? 0 : end.slice(),
                            Channel.SLICE,
                            Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC);
                }
                break;
            case LOCAL_INVALIDATE:
                request.localInvalidate(r.windowKey);
                break;
            case SEND_INVALIDATE:
                request.sendInvalidate(r.windowKey);
                break;
            case SEND:
                request.send();
                break;
            case SEND_IMMEDIATE:
                request.sendImmediate(r.immediate);
                break;
            case WRITE:
                request.write(rkey, remote);
                break;
            case WRITE_IMMEDIATE:
                request.writeImmediate(rkey, remote, r.immediate);
                break;
            case READ:
                request.read(rkey, remote);
                break;
            case FETCH_ADD:
                request.fetchAdd(rkey, remote, r.operand);
                break;
            case COMPARE_SWAP:
                long word = end.outgoing().expectedWord();
                r.compare = random.nextInt(3) == 0 ? word + 1 : word;
                request.compareSwap(rkey, remote, r.compare, r.operand);
                break;
            case APPEND:
                request.append(queueId(peer, r), queueKey(peer, r));
                break;
            default:
                request.appendImmediate(queueId(peer, r), queueKey(peer, r), r.immediate);
                break;
        }
        request.wrId((long) end.number() << 32 | r.sequence).signaled(r.signaled);
        if (end.pair.type == QpType.UD) {
            to(end, r.flaw, request);
        }
        if (r.fenced) {
            request.fence();
        }
        if (random.nextInt(5) == 0) {
            request.solicited();
        }
        if (!r.verb.isLocal()) {
            entries(end, r, random);
        }
    }

    /** Gives a datagram its address. */
    private static void to(End end, Flaw flaw, SendRequest request) {
        End peer = end.pair.peer(end);
        AddressHandle handle = flaw == Flaw.CLOSED_HANDLE ? end.closedHandle : end.handle;
        if (handle == null) {
            throw new IllegalStateException(end + " has no address handle");
        }
        request.to(handle, peer.number(), flaw == Flaw.QKEY ? ~peer.qkey : peer.qkey);
    }

    /** Closes the handle of the peer's address, requests that name it or not, and makes another. */
    void reopen(End end) {
        AddressHandle handle = end.handle;
        if (handle == null || !end.isPresent()) {
            return;
        }
        for (Request r : end.outgoing().outstanding) {
            r.stale = true;
        }
        handle.close();
        end.openHandles();
    }

    private void entries(End end, Request r, SimRandom random) {
        if (r.inline) {
            request.inline(inline, 0, r.length);
            return;
        }
        int key = end.host.localKey();
        long slot = end.sendSlot(r) + (long) r.local;
        if (r.flaw == Flaw.LOCAL_KEY || r.flaw == Flaw.BOTH_WRITE || r.flaw == Flaw.BOTH_READ) {
            key = random.nextInt(2) == 0 ? BAD_KEY : end.host.otherKey();
        } else if (r.flaw == Flaw.LOCAL_RANGE) {
            slot = end.host.local().capacity() - r.length + 1L;
            request.local(key, slot, r.length);
            return;
        } else if (r.flaw == Flaw.SHORT_RESULT) {
            request.local(key, slot, Integer.BYTES);
            return;
        } else if (r.flaw == Flaw.EMPTY_BAD_KEY && random.nextInt(2) == 0) {
            return;
        }
        if (r.split > 0) {
            request.local(key, slot + r.length - r.split, r.split);
        }
        request.local(key, slot, r.length - r.split);
    }

    private static int remoteKey(End peer, Request r) {
        if (r.window) {
            return peer.windowKey;
        }
        switch (r.flaw) {
            case REMOTE_KEY:
            case BOTH_WRITE:
            case BOTH_READ:
            case EMPTY_BAD_KEY:
                return peer.host.targetKey() ^ 0x4000_0000;
            case VOID_KEY:
                return peer.voidKey;
            case REMOTE_DOMAIN:
                return peer.host.otherKey();
            case REMOTE_PERMISSION:
                return r.verb == Verb.READ ? peer.host.localKey() : peer.host.readOnlyKey();
            default:
                return peer.host.targetKey();
        }
    }

    private static int queueId(End peer, Request r) {
        return peer.host.appends().id() + (r.flaw == Flaw.NO_QUEUE ? 5 : 0);
    }

    private static int queueKey(End peer, Request r) {
        return peer.host.appends().key() ^ (r.flaw == Flaw.QUEUE_KEY ? BthFlyweight.LENGTH : 0);
    }

    // ---- receives ----------------------------------------------------------------------------------------------

    /** Posts a receive: mostly long enough; some are short or bad where flaws are wanted. */
    void postReceive(End end, SimRandom random, boolean plain) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        if (end.shares) {
            if (random.nextInt(10) == 0) {
                refusedReceive(end, qp);
            }
            boolean trap = !plain && plan.has(WalkPlan.Feature.FLAWS) && random.nextInt(60) == 0;
            end.host.shared().post(trap ? random.nextInt(600) : end.host.slot, trap && random.nextInt(3) == 0);
            return;
        }
        Channel channel = end.incoming();
        if (channel.receives.size() >= End.SLOTS) {
            return; // its slot may be in use
        }
        int sequence = end.nextReceive;
        int slot = sequence % End.SLOTS;
        boolean flaws = !plain && plan.has(WalkPlan.Feature.FLAWS);
        boolean bad = flaws && random.nextInt(150) == 0;
        int length = flaws && random.nextInt(40) == 0 ? random.nextInt(600) : end.host.slot;
        int at = end.receiveSlot(slot);
        Pattern.guard(end.host.local(), at, end.host.slot);
        Channel.Receive v = Channel.Receive.of(end.host, sequence, at, length, bad && length > 0);
        int key = v.bad() ? BAD_KEY : end.host.localKey();
        end.nextReceive++;
        channel.posted(v);
        PostResult[] result = new PostResult[1];
        end.host.node.act(() -> result[0] = qp.postReceive((long) end.number() << 32 | sequence, key, at, length));
        if (result[0] == PostResult.QUEUE_FULL) {
            throw new WalkFailure(end + ": receive queue full with " + channel.receives.size() + " posted");
        }
    }

    /** A queue pair on a shared receive queue refuses receives of its own. */
    private void refusedReceive(End end, QueuePair qp) {
        try {
            qp.postReceive(-5, end.host.localKey(), 0, 8);
        } catch (IllegalStateException e) {
            tally.refusals++;
            return;
        }
        throw new WalkFailure(end + ": took a receive of its own, beside its shared queue");
    }

    // ---- what is refused at post -------------------------------------------------------------------------------

    /** Posts what can never be executed: each must be refused, and nothing may come of it. */
    void refused(End end, SimRandom random) {
        QueuePair qp = end.qp;
        if (qp == null || !end.isPresent()) {
            return;
        }
        int key = end.host.localKey();
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
                to(end, Flaw.NONE, request);
            } else {
                request.send(); // to nobody
            }
        }
        request.wrId(-2);
        try {
            qp.postSend(request);
        } catch (IllegalArgumentException e) {
            tally.refusals++;
            return;
        }
        throw new WalkFailure(end + ": a request that can never be executed was taken");
    }
}
