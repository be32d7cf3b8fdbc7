package io.verbena.nic;

import io.verbena.nic.memory.Access;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;

/** What {@link QueuePair#connect} sets, with defaults that suit a JVM. Mutable; not thread-safe. */
public final class ConnectAttributes {
    /** Payload bytes of a full packet, unless said otherwise. */
    public static final int DEFAULT_MTU = 8192;

    int access = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
    int pathMtu = DEFAULT_MTU;
    int sendPsn;
    int receivePsn;
    int timeout = 18;
    int retryCount = 7;
    int rnrRetry = 7;
    int minRnrTimer = 2;
    int maxRdAtomic = 16;
    int peerGroup;

    /** Creates the defaults. */
    public ConnectAttributes() {}

    /** As {@link QpAttributes#access}. */
    public ConnectAttributes access(int flags) {
        access = flags;
        return this;
    }

    /** As {@link QpAttributes#pathMtu}. */
    public ConnectAttributes pathMtu(int bytes) {
        pathMtu = bytes;
        return this;
    }

    /** As {@link QpAttributes#sendPsn}. */
    public ConnectAttributes sendPsn(int psn) {
        sendPsn = psn;
        return this;
    }

    /** As {@link QpAttributes#receivePsn}. */
    public ConnectAttributes receivePsn(int psn) {
        receivePsn = psn;
        return this;
    }

    /** As {@link QpAttributes#timeout}. */
    public ConnectAttributes timeout(int code) {
        timeout = code;
        return this;
    }

    /** As {@link QpAttributes#retryCount}. */
    public ConnectAttributes retryCount(int count) {
        retryCount = count;
        return this;
    }

    /** As {@link QpAttributes#rnrRetry}. */
    public ConnectAttributes rnrRetry(int count) {
        rnrRetry = count;
        return this;
    }

    /** As {@link QpAttributes#minRnrTimer}. */
    public ConnectAttributes minRnrTimer(int code) {
        minRnrTimer = code;
        return this;
    }

    /** As {@link QpAttributes#peerGroup}; not for UD. */
    public ConnectAttributes peerGroup(int number) {
        peerGroup = number;
        return this;
    }

    /** Sets both {@link QpAttributes#maxRdAtomic} and {@link QpAttributes#maxDestRdAtomic}. */
    public ConnectAttributes maxRdAtomic(int count) {
        maxRdAtomic = count;
        return this;
    }

    /** The move from RESET to INIT. */
    QpAttributes toInit() {
        return new QpAttributes().state(QpState.INIT).access(access);
    }

    /** The move from INIT to RTR. */
    QpAttributes toReceive(QpType type, long peerNic, int peerQp) {
        QpAttributes receive = new QpAttributes()
                .state(QpState.RTR)
                .peerNic(peerNic)
                .peerQp(peerQp)
                .pathMtu(pathMtu)
                .receivePsn(receivePsn);
        if (peerGroup != 0) {
            receive.peerGroup(peerGroup);
        }
        return type == QpType.RC ? receive.maxDestRdAtomic(maxRdAtomic).minRnrTimer(minRnrTimer) : receive;
    }

    /** The move from RTR to RTS. */
    QpAttributes toSend(QpType type) {
        QpAttributes send = new QpAttributes().state(QpState.RTS).sendPsn(sendPsn);
        return type == QpType.RC
                ? send.timeout(timeout)
                        .retryCount(retryCount)
                        .rnrRetry(rnrRetry)
                        .maxRdAtomic(maxRdAtomic)
                : send;
    }
}
