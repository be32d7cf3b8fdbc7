package io.verbena.nic.transport;

import io.verbena.nic.port.Link;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import io.verbena.nic.wire.SkipEthFlyweight;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests back when the peer does not take the oldest, where many send by one queue pair: so a full queue holds
 * up those who send to it, and a closed one ends them, and no others.
 *
 * <pre>
 *   requester                                 responder, which expects X
 *     │ ── X  X+1 .. Y-1 ────────────────────▶ │
 *     │ ◀──────────────────── X: not taken ─── │   throws away what is behind it
 *     │ ── SKIP from X; Y+1 is next ─────────▶ │   expects Y+1
 *     │ ◀─────────────────────────────── Y ─── │
 *     X .. Y-1 leave the ring; others take it
 * </pre>
 *
 * <p>The PSNs are not used again: a copy of a request that is still on its way would be taken for another. If such a
 * copy is taken before the skip comes, that is behind, and does nothing; the answer then is of a PSN before Y, and
 * everything is as if nothing had been refused.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class TakeBack {
    private final QpContext qp;
    private final TransportServices services;
    private final PsnWindow psns;
    private final SendRing ring;
    private final UnsafeBuffer wqes;

    private boolean pending;
    private boolean due; // it is to be sent, for the first time or again
    private int refused; // the PSN that was not taken
    private int own; // that of the skip
    private @Nullable WcStatus why;
    private long delay;
    private boolean begun;

    TakeBack(QpContext qp, TransportServices services, PsnWindow psns) {
        this.qp = qp;
        this.services = services;
        this.psns = psns;
        this.ring = qp.requests();
        this.wqes = ring.buffer();
    }

    /** Nothing is to be taken back. */
    void clear() {
        pending = false;
        due = false;
    }

    /** Whether the peer has not answered yet: nothing else is sent. */
    boolean isPending() {
        return pending;
    }

    /** Whether the skip is to be sent. */
    boolean isDue() {
        return due;
    }

    /** The PSN that was not taken. */
    int refused() {
        return refused;
    }

    /**
     * The oldest request was not taken; it has been sent, and others perhaps.
     *
     * @param psn that the peer names, one of the request's
     * @param status null if its receiver is not ready
     * @param delayNanos as {@link io.verbena.nic.queue.SendSource#takenBack} has it
     */
    void begin(int psn, @Nullable WcStatus status, long delayNanos) {
        int slot = ring.slot(ring.head());
        boolean continues = (wqes.getByte(slot + SendWqeDescriptor.FLAGS) & SendWqeDescriptor.CONTINUES) != 0;
        pending = true;
        due = true;
        refused = psn;
        own = psns.skip();
        why = status;
        delay = delayNanos;
        begun = continues || psn != wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN);
        services.nothingUnderWay(qp);
    }

    /** No answer has come in time. */
    void again() {
        due = true;
    }

    /** Sends the skip. @return false if the link has no room */
    boolean transmit(Path path) {
        Link link = path.link();
        if (link == null || link.state() != Link.State.UP) {
            return false;
        }
        int at = link.claim(Opcode.SKIP.headerLength());
        if (at == Link.NO_ROOM) {
            return false;
        }
        int next = Psn.next(own);
        BthFlyweight.encode(
                link.buffer(), at, Opcode.SKIP.code(), BthFlyweight.ACK_REQUEST, qp.peerQp(), refused, qp.number());
        SkipEthFlyweight.encode(link.buffer(), at + Opcode.SKIP.skipEthOffset(), next, begun);
        link.commit();
        services.touch(path);
        psns.sent(next, true);
        due = false;
        return true;
    }

    /** Whether an answer to a PSN says that the peer has skipped. */
    boolean isAnswered(int psn) {
        return pending && !Psn.before(psn, own);
    }

    /** The peer expects what comes behind the skip. @return the PSN of the skip */
    int done() {
        clear();
        psns.skipped(begun);
        giveBack(why, delay, begun);
        return own;
    }

    /** The peer has taken what it had not: the skip comes to nothing. */
    void cancel() {
        clear();
        psns.unskip(own);
    }

    /** The oldest request was not taken by the receiver's mapped memory, and nothing is sent that is not answered. */
    void here(long delayNanos) {
        psns.noneAssigned();
        giveBack(null, delayNanos, false);
    }

    private void giveBack(@Nullable WcStatus status, long delayNanos, boolean partly) {
        services.count(NicCounter.TAKEN_BACK);
        ring.takeBack(status, services.now(), delayNanos, partly);
        if (ring.deadline() != Long.MAX_VALUE) {
            services.arm(qp, ring.deadline());
        }
    }
}
