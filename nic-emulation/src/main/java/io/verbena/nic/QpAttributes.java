package io.verbena.nic;

import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import org.jspecify.annotations.Nullable;

/**
 * Attributes for {@link QueuePair#modify} ({@code ibv_modify_qp(3)}). Only the attributes that are given are set. A
 * move to another state needs exactly the attributes of its row in the table, no fewer and no more. Mutable; not
 * thread-safe.
 */
public final class QpAttributes {
    static final int ACCESS = 1;
    static final int PEER_NIC = 1 << 1;
    static final int PATH_MTU = 1 << 2;
    static final int PEER_QP = 1 << 3;
    static final int RECEIVE_PSN = 1 << 4;
    static final int MAX_DEST_RD_ATOMIC = 1 << 5;
    static final int MIN_RNR_TIMER = 1 << 6;
    static final int SEND_PSN = 1 << 7;
    static final int TIMEOUT = 1 << 8;
    static final int RETRY_COUNT = 1 << 9;
    static final int RNR_RETRY = 1 << 10;
    static final int MAX_RD_ATOMIC = 1 << 11;
    static final int QKEY = 1 << 12;
    static final int WEIGHT = 1 << 13;
    static final int TRAFFIC_CLASS = 1 << 14;
    static final int RATE_LIMIT = 1 << 15;
    static final int PEER_GROUP = 1 << 16;

    private static final int SHARE = WEIGHT | TRAFFIC_CLASS | RATE_LIMIT;

    private static final int CONNECTED_RTR = PEER_NIC | PATH_MTU | PEER_QP | RECEIVE_PSN;
    private static final int RELIABLE_RTR = MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER;
    private static final int RELIABLE_RTS = TIMEOUT | RETRY_COUNT | RNR_RETRY | MAX_RD_ATOMIC;
    private static final String[] NAMES = {
        "access",
        "peerNic",
        "pathMtu",
        "peerQp",
        "receivePsn",
        "maxDestRdAtomic",
        "minRnrTimer",
        "sendPsn",
        "timeout",
        "retryCount",
        "rnrRetry",
        "maxRdAtomic",
        "qkey",
        "weight",
        "trafficClass",
        "rateLimit",
        "peerGroup"
    };

    int given;

    @Nullable
    QpState state;

    int access;
    long peerNic;
    int pathMtu;
    int peerQp;
    int receivePsn;
    int peerGroup;
    int maxDestRdAtomic;
    int minRnrTimer;
    int sendPsn;
    int timeout;
    int retryCount;
    int rnrRetry;
    int maxRdAtomic;
    int qkey;
    int weight = 1;
    TrafficClass trafficClass = TrafficClass.BULK;
    RateLimit rateLimit = RateLimit.NONE;

    /** Creates an empty set. */
    public QpAttributes() {}

    /** The state to move to. */
    public QpAttributes state(QpState next) {
        state = next;
        return this;
    }

    /** What the peer may do: {@link io.verbena.nic.memory.Access} flags. */
    public QpAttributes access(int flags) {
        if ((flags & ~Access.ALL) != 0) {
            throw new IllegalArgumentException("access " + flags + " has flags outside " + Access.ALL);
        }
        access = flags;
        return give(ACCESS);
    }

    /** The Q_Key that datagrams to this queue pair must have. */
    public QpAttributes qkey(int key) {
        qkey = key;
        return give(QKEY);
    }

    /** Identity of the peer's NIC. */
    public QpAttributes peerNic(long id) {
        peerNic = id;
        return give(PEER_NIC);
    }

    /** Payload bytes of a full packet, a power of two from 256 to 65536. Both ends must have the same. */
    public QpAttributes pathMtu(int bytes) {
        range("path MTU", bytes, 256, 65536);
        if (Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("path MTU " + bytes + " is not a power of two");
        }
        pathMtu = bytes;
        return give(PATH_MTU);
    }

    /** Number of the peer's queue pair. */
    public QpAttributes peerQp(int number) {
        peerQp = range("peer QP", number, 0, 0xFF_FFFF);
        return give(PEER_QP);
    }

    /**
     * Which of the peer's groups sends, 0 by default: any number by which its queue pairs of one group are known from
     * those of another. In an append queue that is full for several, the groups of a peer share by their weights. May
     * be given with the move to RTR.
     */
    public QpAttributes peerGroup(int number) {
        peerGroup = range("peer group", number, 0, 0xFFFF);
        return give(PEER_GROUP);
    }

    /** The first PSN to be received, 0 to 2^24 - 1. */
    public QpAttributes receivePsn(int psn) {
        receivePsn = range("receive PSN", psn, 0, 0xFF_FFFF);
        return give(RECEIVE_PSN);
    }

    /** READs and atomics that the peer may have outstanding here, 0 to 128. */
    public QpAttributes maxDestRdAtomic(int count) {
        maxDestRdAtomic = range("max_dest_rd_atomic", count, 0, 128);
        return give(MAX_DEST_RD_ATOMIC);
    }

    /** Delay that is requested of a peer when nothing is ready to receive; a code of the RNR timer table, 0 to 31. */
    public QpAttributes minRnrTimer(int code) {
        minRnrTimer = range("min_rnr_timer", code, 0, 31);
        return give(MIN_RNR_TIMER);
    }

    /** The first PSN to be sent, 0 to 2^24 - 1. */
    public QpAttributes sendPsn(int psn) {
        sendPsn = range("send PSN", psn, 0, 0xFF_FFFF);
        return give(SEND_PSN);
    }

    /** Acknowledgement timeout: 4.096 us times 2 to this, or none if 0; 0 to 31. */
    public QpAttributes timeout(int code) {
        timeout = range("timeout", code, 0, 31);
        return give(TIMEOUT);
    }

    /** Retries after a timeout, 0 to 7; seven means seven. */
    public QpAttributes retryCount(int count) {
        retryCount = range("retry_cnt", count, 0, 7);
        return give(RETRY_COUNT);
    }

    /** Retries after "receiver not ready", 0 to 7; seven means without limit. */
    public QpAttributes rnrRetry(int count) {
        rnrRetry = range("rnr_retry", count, 0, 7);
        return give(RNR_RETRY);
    }

    /** READs and atomics to have outstanding at the peer, 0 to 128. */
    public QpAttributes maxRdAtomic(int count) {
        maxRdAtomic = range("max_rd_atomic", count, 0, 128);
        return give(MAX_RD_ATOMIC);
    }

    /**
     * Weight among the queue pairs of the group, 1 to {@value GroupAttributes#MAX_WEIGHT}, and at most what the group
     * allows ({@link GroupAttributes#maxQueuePairWeight}). 1 by default and after RESET. May be given at any time
     * between RESET and an error, also by itself.
     */
    public QpAttributes weight(int value) {
        weight = range("weight", value, 1, GroupAttributes.MAX_WEIGHT);
        return give(WEIGHT);
    }

    /**
     * How soon it is served: BULK by default and after RESET. May be given whenever {@link #weight} may. Messages of an
     * URGENT queue pair are bounded ({@link GroupAttributes#urgentLimit}).
     */
    public QpAttributes trafficClass(TrafficClass value) {
        trafficClass = value;
        return give(TRAFFIC_CLASS);
    }

    /**
     * Its rate limit ({@code ibv_modify_qp_rate_limit(3)}): {@link RateLimit#NONE} by default and after RESET. May be
     * given whenever {@link #weight} may, also while other threads post. Takes effect at the next visit; what the queue
     * pair has saved up or owes at the old rate counts at the new one. Needs the discipline CHUNKS; others refuse it.
     */
    public QpAttributes rateLimit(RateLimit value) {
        rateLimit = value;
        return give(RATE_LIMIT);
    }

    /** Whether weight, class or rate limit is given. */
    boolean hasShare() {
        return (given & SHARE) != 0;
    }

    /** Whether nothing but weight, class or rate limit is given; the state table does not apply then. */
    boolean isShareOnly() {
        return state == null && hasShare() && (given & ~SHARE) == 0;
    }

    /** Takes over the attributes of a move; the move to RESET forgets everything. */
    void take(QpAttributes a, QpState now) {
        if (now == QpState.RESET) {
            given = 0;
        }
        given |= a.given;
        access = pick(ACCESS, a.given, a.access, access);
        pathMtu = pick(PATH_MTU, a.given, a.pathMtu, pathMtu);
        peerQp = pick(PEER_QP, a.given, a.peerQp, peerQp);
        peerGroup = pick(PEER_GROUP, a.given, a.peerGroup, peerGroup);
        receivePsn = pick(RECEIVE_PSN, a.given, a.receivePsn, receivePsn);
        maxDestRdAtomic = pick(MAX_DEST_RD_ATOMIC, a.given, a.maxDestRdAtomic, maxDestRdAtomic);
        minRnrTimer = pick(MIN_RNR_TIMER, a.given, a.minRnrTimer, minRnrTimer);
        sendPsn = pick(SEND_PSN, a.given, a.sendPsn, sendPsn);
        timeout = pick(TIMEOUT, a.given, a.timeout, timeout);
        retryCount = pick(RETRY_COUNT, a.given, a.retryCount, retryCount);
        rnrRetry = pick(RNR_RETRY, a.given, a.rnrRetry, rnrRetry);
        qkey = pick(QKEY, a.given, a.qkey, qkey);
        maxRdAtomic = pick(MAX_RD_ATOMIC, a.given, a.maxRdAtomic, maxRdAtomic);
        weight = (a.given & WEIGHT) != 0 ? a.weight : now == QpState.RESET ? 1 : weight;
        if (now == QpState.RESET || a.has(TRAFFIC_CLASS)) {
            trafficClass = a.has(TRAFFIC_CLASS) ? a.trafficClass : TrafficClass.BULK;
        }
        if (now == QpState.RESET || a.has(RATE_LIMIT)) {
            rateLimit = a.has(RATE_LIMIT) ? a.rateLimit : RateLimit.NONE;
        }
        peerNic = (a.given & PEER_NIC) != 0 ? a.peerNic : (given & PEER_NIC) != 0 ? peerNic : 0;
    }

    private int pick(int attribute, int now, int fresh, int old) {
        return (now & attribute) != 0 ? fresh : (given & attribute) != 0 ? old : 0;
    }

    /** Whether an attribute is given. */
    boolean has(int attribute) {
        return (given & attribute) != 0;
    }

    /** Refuses a move whose attributes are not those of the table. */
    void check(QpType type, QpState from, QpState to) {
        boolean reliable = type == QpType.RC;
        int key = type == QpType.UD ? QKEY : ACCESS;
        int required = 0;
        int allowed = key | SHARE;
        if (to == QpState.RESET || to == QpState.ERR) {
            allowed = 0;
        } else if (from == QpState.RESET && to == QpState.INIT) {
            required = key;
        } else if (from == QpState.INIT && to == QpState.RTR) {
            required = (type == QpType.UD ? 0 : CONNECTED_RTR) | (reliable ? RELIABLE_RTR : 0);
            allowed |= type == QpType.UD ? 0 : PEER_GROUP;
        } else if (from == QpState.RTR && to == QpState.RTS) {
            required = SEND_PSN | (reliable ? RELIABLE_RTS : 0);
            allowed |= reliable ? MIN_RNR_TIMER : 0;
        } else if (reliable && from == QpState.SQD) {
            allowed |= RELIABLE_RTS | MIN_RNR_TIMER;
        } else if (reliable && from == QpState.RTS) {
            allowed |= MIN_RNR_TIMER;
        }
        int missing = required & ~given;
        int extra = given & ~(required | allowed);
        if (missing != 0 || extra != 0) {
            throw new IllegalArgumentException(from + " to " + to
                    + (missing != 0 ? " lacks " + names(missing) : "")
                    + (missing != 0 && extra != 0 ? " and" : "")
                    + (extra != 0 ? " does not take " + names(extra) : ""));
        }
    }

    private static String names(int bits) {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < NAMES.length; i++) {
            if ((bits & 1 << i) != 0) {
                names.append(names.length() == 0 ? "" : ", ").append(NAMES[i]);
            }
        }
        return names.toString();
    }

    private static int range(String name, int value, int minimum, int maximum) {
        if (value < minimum || value > maximum) {
            throw new IllegalArgumentException(name + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }

    private QpAttributes give(int attribute) {
        given |= attribute;
        return this;
    }
}
