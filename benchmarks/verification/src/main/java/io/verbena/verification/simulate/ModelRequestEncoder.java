package io.verbena.verification.simulate;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.verification.walk.Pattern;
import org.agrona.concurrent.UnsafeBuffer;

/** Says to the NIC what a request is: keys, addresses and entries, with the mistake that its flaw stands for. */
final class ModelRequestEncoder {
    /** A key that nobody has. */
    static final int BAD_KEY = 1;

    private final SendRequest request = new SendRequest();
    private final UnsafeBuffer inline = new UnsafeBuffer(new byte[Pair.MAX_INLINE]);

    /** Puts the message into its place, or makes the place ready for what is read. */
    void prepare(PairEnd end, ModelRequest r) {
        if (r.inline) {
            Pattern.fill(inline, 0, r.identity, 0, r.length);
        } else if (r.flaw == RequestFlaw.LONG_DATAGRAM) {
            return;
        } else if (r.verb.reads()) {
            int slot = end.sendSlot(r);
            Pattern.guard(end.host.memory().local(), slot, r.local + r.length + PairEnd.GUARD);
        } else {
            r.fillSource(end.host.memory().local(), end.sendSlot(r) + r.local);
        }
    }

    /**
     * Encodes a request.
     *
     * @return valid until the next call; not what is to be posted if the window's own call binds it
     */
    SendRequest encode(PairEnd end, ModelRequest r, SimRandom random) {
        PairEnd peer = end.pair.peer(end);
        long remote = remoteAddress(peer, r, random);
        if (r.verb == PostedVerb.BIND_WINDOW) {
            if (end.window.isBoundByCall()) {
                return request; // posted by the call itself
            }
            bind(end, r);
        } else {
            verb(end, r, remote, random);
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
        return request;
    }

    private static long remoteAddress(PairEnd peer, ModelRequest r, SimRandom random) {
        if (r.shared) {
            return 0;
        }
        if (r.flaw == RequestFlaw.WINDOW_RANGE) {
            return DirectionModel.SLICE - r.length + 8L; // in the region still
        }
        if (r.window) {
            return r.remote;
        }
        long remote = (long) peer.slice() + r.remote;
        return switch (r.flaw) {
            case REMOTE_RANGE -> peer.host.memory().target().capacity() - r.length + 8L;
            case REMOTE_OVERFLOW -> Long.MAX_VALUE - r.length + 1 + random.nextInt(r.length);
            case REMOTE_DOMAIN, REMOTE_PERMISSION -> 0;
            case MISALIGNED -> remote + 1 + random.nextInt(7);
            default -> remote;
        };
    }

    private void bind(PairEnd end, ModelRequest r) {
        MemoryWindow window = end.window.memoryWindow;
        if (window == null) {
            return;
        }
        boolean flawed = r.flaw == RequestFlaw.BIND;
        request.bind(
                window,
                r.binding.key,
                flawed ? end.host.memory().readOnlyRegion() : end.host.memory().targetRegion(),
                flawed ? 0 : end.slice(),
                DirectionModel.SLICE,
                Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC);
    }

    private void verb(PairEnd end, ModelRequest r, long remote, SimRandom random) {
        PairEnd peer = end.pair.peer(end);
        int rkey = remoteKey(peer, r);
        switch (r.verb) {
            case LOCAL_INVALIDATE:
                request.localInvalidate(r.binding.key);
                break;
            case SEND_INVALIDATE:
                request.sendInvalidate(r.binding.key);
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
    }

    /** Gives a datagram its address. */
    static void to(PairEnd end, RequestFlaw flaw, SendRequest request) {
        PairEnd peer = end.pair.peer(end);
        AddressHandle handle = flaw == RequestFlaw.CLOSED_HANDLE ? end.closedHandle : end.handle;
        if (handle == null) {
            throw new IllegalStateException(end + " has no address handle");
        }
        request.to(handle, peer.number(), flaw == RequestFlaw.QKEY ? ~peer.qkey : peer.qkey);
    }

    private void entries(PairEnd end, ModelRequest r, SimRandom random) {
        if (r.inline) {
            request.inline(inline, 0, r.length);
            return;
        }
        int key = end.host.memory().localKey();
        long slot = end.sendSlot(r) + (long) r.local;
        if (r.flaw == RequestFlaw.LOCAL_KEY || r.flaw == RequestFlaw.BOTH_WRITE || r.flaw == RequestFlaw.BOTH_READ) {
            key = random.nextInt(2) == 0 ? BAD_KEY : end.host.memory().otherKey();
        } else if (r.flaw == RequestFlaw.LOCAL_RANGE) {
            slot = end.host.memory().local().capacity() - r.length + 1L;
            request.local(key, slot, r.length);
            return;
        } else if (r.flaw == RequestFlaw.SHORT_RESULT) {
            request.local(key, slot, Integer.BYTES);
            return;
        } else if (r.flaw == RequestFlaw.EMPTY_BAD_KEY && random.nextInt(2) == 0) {
            return;
        }
        if (r.split > 0) {
            request.local(key, slot + r.length - r.split, r.split);
        }
        request.local(key, slot, r.length - r.split);
    }

    private static int remoteKey(PairEnd peer, ModelRequest r) {
        if (r.window) {
            return peer.window.key;
        }
        switch (r.flaw) {
            case REMOTE_KEY:
            case BOTH_WRITE:
            case BOTH_READ:
            case EMPTY_BAD_KEY:
                return peer.host.memory().targetKey() ^ 0x4000_0000;
            case VOID_KEY:
                return peer.window.voidKey;
            case REMOTE_DOMAIN:
                return peer.host.memory().otherKey();
            case REMOTE_PERMISSION:
                return r.verb == PostedVerb.READ
                        ? peer.host.memory().localKey()
                        : peer.host.memory().readOnlyKey();
            default:
                return peer.host.memory().targetKey();
        }
    }

    private static int queueId(PairEnd peer, ModelRequest r) {
        return peer.host.appends().id() + (r.flaw == RequestFlaw.NO_QUEUE ? 5 : 0);
    }

    private static int queueKey(PairEnd peer, ModelRequest r) {
        return peer.host.appends().key() ^ (r.flaw == RequestFlaw.QUEUE_KEY ? BthFlyweight.LENGTH : 0);
    }
}
