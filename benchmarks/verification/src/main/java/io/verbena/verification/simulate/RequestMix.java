package io.verbena.verification.simulate;

import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpType;

/** Which requests a walk posts: verbs, flaws, lengths and places, by chance. */
final class RequestMix {
    private static final PostedVerb[] VERBS = {
        PostedVerb.SEND, PostedVerb.SEND, PostedVerb.SEND_IMMEDIATE, PostedVerb.WRITE, PostedVerb.WRITE,
                PostedVerb.WRITE, PostedVerb.WRITE_IMMEDIATE,
        PostedVerb.READ, PostedVerb.READ, PostedVerb.FETCH_ADD, PostedVerb.FETCH_ADD, PostedVerb.COMPARE_SWAP,
                PostedVerb.APPEND, PostedVerb.APPEND,
        PostedVerb.APPEND_IMMEDIATE
    };
    private static final PostedVerb[] DATAGRAM_VERBS = {
        PostedVerb.SEND, PostedVerb.SEND_IMMEDIATE, PostedVerb.APPEND, PostedVerb.APPEND_IMMEDIATE
    };
    private static final RequestFlaw[] WRITE_FLAWS = {
        RequestFlaw.LOCAL_KEY,
        RequestFlaw.LOCAL_RANGE,
        RequestFlaw.REMOTE_KEY,
        RequestFlaw.REMOTE_RANGE,
        RequestFlaw.REMOTE_OVERFLOW,
        RequestFlaw.REMOTE_PERMISSION,
        RequestFlaw.REMOTE_DOMAIN,
        RequestFlaw.BOTH_WRITE,
        RequestFlaw.EMPTY_BAD_KEY
    };
    private static final RequestFlaw[] READ_FLAWS = {
        RequestFlaw.LOCAL_KEY,
        RequestFlaw.LOCAL_RANGE,
        RequestFlaw.REMOTE_KEY,
        RequestFlaw.REMOTE_RANGE,
        RequestFlaw.REMOTE_OVERFLOW,
        RequestFlaw.REMOTE_PERMISSION,
        RequestFlaw.REMOTE_DOMAIN,
        RequestFlaw.BOTH_READ,
        RequestFlaw.EMPTY_BAD_KEY
    };
    private static final RequestFlaw[] ATOMIC_FLAWS = {
        RequestFlaw.LOCAL_KEY,
        RequestFlaw.REMOTE_KEY,
        RequestFlaw.REMOTE_RANGE,
        RequestFlaw.REMOTE_PERMISSION,
        RequestFlaw.REMOTE_DOMAIN,
        RequestFlaw.BOTH_READ,
        RequestFlaw.SHORT_RESULT,
        RequestFlaw.MISALIGNED
    };
    private static final RequestFlaw[] SEND_FLAWS = {RequestFlaw.LOCAL_KEY, RequestFlaw.LOCAL_RANGE};
    private static final RequestFlaw[] APPEND_FLAWS = {
        RequestFlaw.LOCAL_KEY, RequestFlaw.NO_QUEUE, RequestFlaw.QUEUE_KEY, RequestFlaw.TOO_LONG
    };

    private static final RequestFlaw[] DATAGRAM_FLAWS = {
        RequestFlaw.LOCAL_KEY,
        RequestFlaw.LOCAL_RANGE,
        RequestFlaw.QKEY,
        RequestFlaw.QKEY,
        RequestFlaw.CLOSED_HANDLE,
        RequestFlaw.LONG_DATAGRAM
    };

    /** Most bytes of a datagram. */
    private static final int MAX_DATAGRAM = 8192;

    private final WalkPlan plan;

    RequestMix(WalkPlan plan) {
        this.plan = plan;
    }

    /** A verb for an end's next request; on a queue pair for datagrams now and then one that it does not offer. */
    PostedVerb verb(boolean datagrams, SimRandom random) {
        PostedVerb[] verbs = datagrams && random.nextInt(16) != 0 ? DATAGRAM_VERBS : VERBS;
        return verbs[random.nextInt(verbs.length)];
    }

    /** What is wrong with the next request, where flaws are wanted. */
    RequestFlaw flaw(boolean datagrams, PostedVerb verb, SimRandom random) {
        if (!plan.has(WalkPlan.Feature.FLAWS) || random.nextInt(25) != 0) {
            return RequestFlaw.NONE;
        }
        boolean ofDatagram = datagrams && random.nextInt(4) != 0;
        return ofDatagram ? DATAGRAM_FLAWS[random.nextInt(DATAGRAM_FLAWS.length)] : flaw(verb, random);
    }

    private static RequestFlaw flaw(PostedVerb verb, SimRandom random) {
        RequestFlaw[] flaws;
        if (verb.isWrite()) {
            flaws = WRITE_FLAWS;
        } else if (verb == PostedVerb.READ) {
            flaws = READ_FLAWS;
        } else if (verb.isAtomic()) {
            flaws = ATOMIC_FLAWS;
        } else {
            flaws = verb.isSend() ? SEND_FLAWS : APPEND_FLAWS;
        }
        return flaws[random.nextInt(flaws.length)];
    }

    /** How long a request is, and where its data lies at both ends. */
    void shape(ModelRequest r, Pair pair, SimRandom random) {
        PostedVerb verb = r.verb;
        if (verb.isAtomic()) {
            r.length = Long.BYTES;
            r.shared = verb == PostedVerb.FETCH_ADD && r.flaw == RequestFlaw.NONE && random.nextInt(3) == 0;
            r.remote = verb == PostedVerb.FETCH_ADD ? DirectionModel.COUNTER : DirectionModel.WORD;
            r.operand = r.shared ? 1 : random.nextLong();
            return;
        }
        int most = verb.isWrite() || verb == PostedVerb.READ ? DirectionModel.DATA : plan.most;
        if (pair.type == QpType.UD) {
            most = Math.min(most, MAX_DATAGRAM);
        }
        if (verb.isAppend()) {
            most = Math.min(most, plan.maxMessage);
            most = pair.type == QpType.UC ? Math.min(most, pair.mtu) : most;
        }
        r.length = length(random, pair.mtu, most);
        if (r.flaw == RequestFlaw.EMPTY_BAD_KEY) {
            r.length = 0;
        } else if (r.flaw == RequestFlaw.TOO_LONG) {
            r.length = plan.maxMessage + 1 + random.nextInt(100);
        } else if (r.flaw == RequestFlaw.LONG_DATAGRAM) {
            r.length = MAX_DATAGRAM + 1 + random.nextInt(100);
            return; // from here and the next slot: nothing of it is read
        } else if (r.flaw != RequestFlaw.NONE) {
            r.length = Math.max(1, r.length);
        }
        if (verb.isWrite() || verb == PostedVerb.READ) {
            r.remote = random.nextInt(DirectionModel.DATA - r.length + 1);
        }
        r.inline = verb != PostedVerb.READ
                && r.length <= Pair.MAX_INLINE
                && r.flaw != RequestFlaw.LOCAL_KEY
                && r.flaw != RequestFlaw.LOCAL_RANGE
                && r.flaw != RequestFlaw.BOTH_WRITE
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
}
