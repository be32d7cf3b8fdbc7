package io.verbena.nic;

import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;

/**
 * The state and attributes of a queue pair ({@code ibv_query_qp(3)}). What was not given since RESET is 0.
 *
 * @param type the transport
 * @param state the state
 * @param qkey the Q_Key that datagrams to it must have
 * @param access what the peer may do, {@link Access} flags
 * @param peerNic identity of the peer's NIC
 * @param peerQp number of the peer's queue pair
 * @param pathMtu payload bytes of a full packet
 * @param receivePsn the first PSN to be received
 * @param sendPsn the first PSN to be sent
 * @param maxDestRdAtomic READs and atomics that the peer may have outstanding here
 * @param maxRdAtomic READs and atomics that may be outstanding at the peer
 * @param minRnrTimer code of the delay that is requested of a peer
 * @param timeout code of the acknowledgement timeout
 * @param retryCount retries after a timeout
 * @param rnrRetry retries after "receiver not ready"
 * @param maxSend sends that may be outstanding
 * @param maxReceive receives that may be outstanding, those of a shared queue if it has one
 * @param maxSge scatter/gather entries of a send
 * @param maxInline bytes of inline data
 * @param weight among the queue pairs of its group
 * @param trafficClass how soon it is served
 * @param rateLimit its rate limit
 */
public record QueuePairStatus(
        QpType type,
        QpState state,
        int qkey,
        int access,
        long peerNic,
        int peerQp,
        int pathMtu,
        int receivePsn,
        int sendPsn,
        int maxDestRdAtomic,
        int maxRdAtomic,
        int minRnrTimer,
        int timeout,
        int retryCount,
        int rnrRetry,
        int maxSend,
        int maxReceive,
        int maxSge,
        int maxInline,
        int weight,
        TrafficClass trafficClass,
        RateLimit rateLimit) {
    /** State and attributes as they are now. Under the engine's baton. */
    static QueuePairStatus of(QpContext context, QpAttributes given) {
        return new QueuePairStatus(
                context.type(),
                context.state(),
                given.qkey,
                given.access,
                given.peerNic,
                given.peerQp,
                given.pathMtu,
                given.receivePsn,
                given.sendPsn,
                given.maxDestRdAtomic,
                given.maxRdAtomic,
                given.minRnrTimer,
                given.timeout,
                given.retryCount,
                given.rnrRetry,
                context.sendRing().capacity(),
                context.receiveRing().capacity(),
                context.sendRing().maxSge(),
                context.sendRing().maxInline(),
                given.weight,
                given.trafficClass,
                given.rateLimit);
    }
}
