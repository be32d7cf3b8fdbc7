package io.verbena.verification.simulate;

import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpType;

/** Which requests a walk posts: verbs, flaws, lengths and places, by chance. */
final class RequestMix {
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

    private final WalkPlan plan;

    RequestMix(WalkPlan plan) {
        this.plan = plan;
    }

    /** A verb for an end's next request; on a queue pair for datagrams now and then one that it does not offer. */
    Verb verb(boolean datagrams, SimRandom random) {
        Verb[] verbs = datagrams && random.nextInt(16) != 0 ? DATAGRAM_VERBS : VERBS;
        return verbs[random.nextInt(verbs.length)];
    }

    /** What is wrong with the next request, where flaws are wanted. */
    Flaw flaw(boolean datagrams, Verb verb, SimRandom random) {
        if (!plan.has(WalkPlan.Feature.FLAWS) || random.nextInt(25) != 0) {
            return Flaw.NONE;
        }
        boolean ofDatagram = datagrams && random.nextInt(4) != 0;
        return ofDatagram ? DATAGRAM_FLAWS[random.nextInt(DATAGRAM_FLAWS.length)] : flaw(verb, random);
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

    /** How long a request is, and where its data lies at both ends. */
    void shape(Request r, Pair pair, SimRandom random) {
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
}
