package io.verbena.rate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator of DRUM's two-sided rates, without a coordinator: each node keeps its part of the problem of {@link
 * PeerCoupling}, and tells its peers what concerns them.
 *
 * <pre>
 *   node l, what it sends                               node i, what it takes
 *   request step  x, by the prices of all peers ──▶ report: sum p x, curvature, sum p, minimum
 *        ▲                                                    │ of all that send to i
 *        └── price, weight, grant ◀── completion step  z, v; grants: together at most c
 * </pre>
 *
 * <p><b>Time.</b> A request step is made when all peers have priced the last report, a completion step when all have
 * reported anew: so either end of a flow waits for the other, and never both, since prices say which report they are
 * for. Where an answer is lost or late, a step is made after a bounded wait with what was said before. Each round
 * everything is said again, with a new number: what comes twice, or late, is counted and ignored.
 *
 * <p><b>Conservation.</b> Of what a node takes, it never grants more than there is, at no instant and whatever is lost:
 * a grant that falls is given to others when the peer has said that it keeps it, or when the lease of the one before
 * is over. A lease begins when the report was sent that the grant answers, so it ends for the peer before it does here,
 * without a common clock; they have to run equally fast.
 *
 * <p><b>Death.</b> A peer that is silent for a lease leaves the problem. Its own lease is over by then, and what is
 * sent to it is bounded by its sender alone: the one-sided answer. So it is with peers that never answer.
 *
 * <p><b>Trust.</b> What peers report are claims. Rates count up to the capacity, minimum rates up to an equal share,
 * and each peer that reports has at least {@link HostProblem#DEFAULT_FLOOR} of an equal share whatever others say;
 * beyond that, one that claims a large weight has what such a weight entitles to. A peer can slow down who sends to it,
 * and nobody else.
 *
 * <p>No thread, no clock, no chance; nothing is allocated but where peers or sources are added. For one thread. The
 * same messages at the same times give the same answers to the last bit.
 */
public final class PriceExchange {
    /** Most that parts to a target may come to. */
    static final double MAX_SHARE = 1 << 16;

    /** Part of a capacity that sums of rounded numbers may be off by. */
    static final double ROUNDING = 1e-9;

    /** Every so many rounds a peer is told that has never answered: it may share by itself. */
    private static final int ROUNDS_OF_SILENCE = 16;

    private static final ExchangePeer[] NONE = {};

    private final ExchangeTimes times;
    private final ExchangeSources sources = new ExchangeSources();
    private final ExchangeTargets targets;
    private final ExchangeCounts counts;
    private final RateMessage message = new RateMessage();
    private ExchangePeer[] peers = NONE; // gone ones included
    private long epochs; // of all peers together
    private long rounds;
    private long nextRound;
    private long requestsSince; // last request step, completions likewise
    private long completionsSince;

    /** Takes messages to peers. */
    @FunctionalInterface
    public interface Network {
        /**
         * Sends a message, which may be lost, or come late, twice, or not in order.
         *
         * @param peer identity
         * @param message not to be kept
         * @return false if there is no way to the peer
         */
        boolean send(long peer, RateMessage message);
    }

    /**
     * Begins without peers.
     *
     * @param times of rounds
     * @param targets what is taken
     * @param counts of messages
     * @param now from which rounds are counted
     */
    public PriceExchange(ExchangeTimes times, ExchangeTargets targets, ExchangeCounts counts, long now) {
        this.times = times;
        this.targets = targets;
        this.counts = counts;
        this.nextRound = now;
        this.requestsSince = now;
        this.completionsSince = now;
    }

    // ---- who takes part ---------------------------------------------------------------------------------------------

    /**
     * Says what is sent. Where the number of sources changes, what is sent to whom is to be said anew.
     *
     * @param count of sources
     * @param perSecond what they may send together
     * @return the sources, each to be set
     */
    public ExchangeSources sources(int count, double perSecond) {
        boolean isOther = count != sources.count();
        sources.begin(count, perSecond);
        for (ExchangePeer peer : peers) {
            if (isOther) {
                peer.outflow.resize(count);
                settle(peer);
            }
        }
        return sources;
    }

    /** What is sent, as it was said last. */
    public ExchangeSources sources() {
        return sources;
    }

    /**
     * A connection leads to a peer: what it says counts from here on.
     *
     * @param id of the peer
     * @param itsTargets number of its targets
     */
    public ExchangePeer add(long id, int itsTargets) {
        ExchangePeer known = find(id);
        if (known == null) {
            known = new ExchangePeer(id, ++epochs, sources.count(), targets.count(), itsTargets);
            peers = Arrays.copyOf(peers, peers.length + 1);
            peers[peers.length - 1] = known;
        } else if (known.isGone) {
            known.revive(++epochs);
        }
        return known;
    }

    /** No connection leads to a peer any more. What it may be using is free when its lease is over. */
    public void remove(long id) {
        ExchangePeer peer = find(id);
        if (peer != null) {
            peer.isGone = true;
            peer.inflow.isReporting = false;
            peer.outflow.forget();
        }
    }

    /** A peer to which a connection leads, or null. */
    public @Nullable ExchangePeer peer(long id) {
        ExchangePeer peer = find(id);
        return peer == null || peer.isGone ? null : peer;
    }

    private @Nullable ExchangePeer find(long id) {
        for (ExchangePeer peer : peers) {
            if (peer.id == id) {
                return peer;
            }
        }
        return null;
    }

    /** What is sent to whom has been set. */
    public void settle() {
        for (ExchangePeer peer : peers) {
            settle(peer);
        }
    }

    private static void settle(ExchangePeer peer) {
        boolean wasUsed = peer.outflow.isUsed;
        peer.outflow.settle();
        peer.isDirty |= wasUsed && !peer.outflow.isUsed; // it has what was granted for others at once
    }

    // ---- what comes -------------------------------------------------------------------------------------------------

    /** Takes a message of a peer. */
    public void receive(long from, RateMessage m, long now) {
        ExchangePeer peer = peer(from);
        if (peer == null) {
            counts.increment(ExchangeCount.NOT_CONNECTED);
        } else if (!m.isPlausible() || (m.answeredEpoch == peer.epoch && m.answered > peer.sequence)) {
            counts.increment(ExchangeCount.IMPLAUSIBLE);
        } else if (m.epoch == peer.itsEpoch && m.sequence == peer.heard) {
            counts.increment(ExchangeCount.DUPLICATE);
        } else if (m.epoch < peer.itsEpoch || (m.epoch == peer.itsEpoch && m.sequence < peer.heard)) {
            counts.increment(ExchangeCount.STALE);
        } else {
            counts.increment(ExchangeCount.RECEIVED);
            believe(peer, m, now);
        }
    }

    private void believe(ExchangePeer peer, RateMessage m, long now) {
        if (m.epoch > peer.itsEpoch) {
            peer.begins(m.epoch);
        }
        peer.heard = m.sequence;
        peer.lastHeard = now;
        boolean isAnswer = m.answeredEpoch == peer.epoch;
        if (isAnswer) {
            peer.inflow.confirm(m.answered);
        }
        peer.inflow.hear(m, targets.capacity());
        if (isAnswer && peer.wasSent(m.answered)) {
            long end = peer.sentAt(m.answered) + times.lease();
            if (end - now > 0) {
                peer.outflow.hear(m, end);
            }
        }
    }

    // ---- what is done -----------------------------------------------------------------------------------------------

    /**
     * Makes the steps that are due, and computes the bounds that hold now. They are to be kept before {@link #send}.
     *
     * @return whether bounds may have changed
     */
    public boolean turn(long now) {
        boolean isChanged = end(now);
        if (areCompletionsDue(now)) {
            completions(now);
        }
        boolean isRound = now - nextRound >= 0;
        if (isRound) {
            nextRound = now + times.round();
            rounds++;
            for (ExchangePeer peer : peers) {
                boolean isOf = peer.outflow.isUsed || peer.inflow.isReporting || peer.inflow.unconfirmed > 0;
                boolean isSilent = peer.itsEpoch == 0 && peer.sequence >= ROUNDS_OF_SILENCE;
                peer.isDirty |= isOf && (!isSilent || rounds % ROUNDS_OF_SILENCE == 0);
            }
            if (sources.count() > 0 && areRequestsDue(now)) {
                requests(now);
            }
        }
        boolean isMore = keepsMore();
        isChanged |= isRound || isMore;
        if (isChanged) {
            sources.keep(peers);
        }
        return isChanged;
    }

    /** Whether something was heard that bounds are not computed by yet. */
    private boolean keepsMore() {
        boolean isMore = false;
        for (ExchangePeer peer : peers) {
            isMore |= peer.heard != peer.kept;
            peer.kept = peer.heard;
        }
        return isMore;
    }

    /** Ends what was not renewed. */
    private boolean end(long now) {
        boolean isAny = false;
        for (ExchangePeer peer : peers) {
            if (peer.outflow.isGoverned && now - peer.outflow.leaseEnd >= 0) {
                peer.outflow.end();
                counts.increment(ExchangeCount.LEASES_ENDED);
                isAny = true;
            }
            boolean isSilent = peer.itsEpoch > 0 && now - peer.lastHeard >= times.lease();
            if (isSilent && peer.inflow.isReporting) {
                counts.increment(ExchangeCount.PEERS_LOST);
            }
            if (isSilent) {
                peer.inflow.release();
            } else if (peer.hasLapsed(now, times.lease())) {
                peer.inflow.confirm(peer.inflow.unconfirmed);
            }
        }
        for (int i = peers.length - 1; i >= 0; i--) {
            if (peers[i].isGone && peers[i].inflow.heldTogether() == 0) {
                drop(i);
            }
        }
        return isAny;
    }

    private void drop(int index) {
        ExchangePeer[] fewer = Arrays.copyOf(peers, peers.length - 1);
        System.arraycopy(peers, index + 1, fewer, index, fewer.length - index);
        peers = fewer;
    }

    private boolean areCompletionsDue(long now) {
        boolean isAny = false;
        boolean isAll = true;
        for (ExchangePeer peer : peers) {
            if (peer.inflow.isReporting) {
                isAny |= peer.inflow.isNew();
                isAll &= peer.inflow.isNew();
            }
        }
        if (isAny && !isAll && now - completionsSince >= times.patience()) {
            counts.increment(ExchangeCount.STEPS_WITHOUT_ANSWER);
            return true;
        }
        return isAny && isAll;
    }

    private void completions(long now) {
        completionsSince = now;
        targets.step(peers);
        targets.grant(peers);
        for (ExchangePeer peer : peers) {
            peer.inflow.used = peer.inflow.step;
            peer.isDirty |= peer.inflow.isReporting;
        }
        counts.increment(ExchangeCount.COMPLETION_STEPS);
    }

    private boolean areRequestsDue(long now) {
        boolean isAny = false;
        boolean isGoverned = false;
        boolean isAll = true;
        for (ExchangePeer peer : peers) {
            if (peer.outflow.isGoverned) {
                isGoverned = true;
                isAny |= peer.outflow.isNew();
                isAll &= peer.outflow.answers(sources.step);
            }
        }
        if (isAny && !isAll && now - requestsSince >= times.patience()) {
            counts.increment(ExchangeCount.STEPS_WITHOUT_ANSWER);
            return true;
        }
        return !isGoverned || (isAny && isAll);
    }

    private void requests(long now) {
        requestsSince = now;
        sources.step(peers);
        for (ExchangePeer peer : peers) {
            peer.outflow.used = peer.outflow.step;
        }
        counts.increment(ExchangeCount.REQUEST_STEPS);
    }

    // ---- what goes --------------------------------------------------------------------------------------------------

    /** Says what there is to be said; the bounds of the last {@link #turn} are kept. @return messages */
    public int send(long now, Network network) {
        int sent = 0;
        for (ExchangePeer peer : peers) {
            if (peer.isDirty && !peer.isGone) {
                peer.send(now);
                fill(peer);
                boolean isSent = network.send(peer.id, message);
                counts.increment(isSent ? ExchangeCount.SENT : ExchangeCount.NOT_SENT);
                sent += isSent ? 1 : 0;
            }
        }
        return sent;
    }

    private void fill(ExchangePeer peer) {
        message.epoch = peer.epoch;
        message.sequence = peer.sequence;
        message.answeredEpoch = peer.itsEpoch;
        message.answered = peer.kept;
        message.reports = 0;
        message.reportStep = 0;
        message.prices = 0;
        message.priceStep = 0;
        message.pricedAt = 0;
        if (peer.outflow.isUsed && sources.step > 0) {
            sources.report(peer.outflow, message);
        }
        if (peer.inflow.isReporting && peer.inflow.used > 0) {
            targets.price(peer.inflow, message);
        }
    }

    // ---- what holds -------------------------------------------------------------------------------------------------

    /** How a source's rate comes about. */
    public enum Basis {
        /** It sends to no peer, or to none that shares with this node. */
        ALONE,
        /** All peers that it sends to have granted what it may send. */
        AGREED,
        /** A peer that it sends to has not answered yet. */
        NOT_ANSWERED,
        /** A peer that it sends to has not answered for a lease. */
        LOST
    }

    /** How the rate of a source comes about now. */
    public Basis basis(int source) {
        Basis basis = Basis.ALONE;
        for (ExchangePeer peer : peers) {
            PeerOutflow out = peer.outflow;
            for (int t = 0; out.isUsed && t < out.targets; t++) {
                if (out.part(source, t) > 0) {
                    Basis here = out.isGoverned && out.grant[t] > 0
                            ? Basis.AGREED
                            : out.wasGoverned && !out.isGoverned ? Basis.LOST : Basis.NOT_ANSWERED;
                    basis = here.compareTo(basis) > 0 ? here : basis;
                }
            }
        }
        return basis;
    }

    /** Peers that govern what is sent, or are governed. */
    public int activePeers() {
        int count = 0;
        for (ExchangePeer peer : peers) {
            count += peer.outflow.isGoverned || peer.inflow.isReporting ? 1 : 0;
        }
        return count;
    }

    /** Whether nothing is sent to peers or reported by them: then no round is needed. */
    public boolean isIdle() {
        for (ExchangePeer peer : peers) {
            if (peer.outflow.isUsed || peer.inflow.isReporting || peer.isGone || peer.isDirty) {
                return false;
            }
        }
        return true;
    }

    /** When {@link #turn} is needed at the latest; meaningless while {@link #isIdle}. */
    public long nextDeadline() {
        long next = nextRound;
        for (ExchangePeer peer : peers) {
            if (peer.outflow.isGoverned && peer.outflow.leaseEnd - next < 0) {
                next = peer.outflow.leaseEnd;
            }
        }
        return next;
    }
}
