package io.verbena.redis;

import java.util.ArrayDeque;

/**
 * Who of a worker's clients may go on to send a large command that has to be received whole: together these have half
 * of the worker's share of {@code maxmemory-clients}. Whoever finds no room is not read from until its turn comes,
 * instead of taking memory until the largest client is closed for it.
 *
 * <pre>
 *   needs room ─┬─ there is some, or nobody else has any ──▶ goes on ──▶ executed: room for the next in line
 *               └─ else ──▶ waits in line, with what it has ──▶ its turn, at the latest after {@link #MAX_WAIT_NANOS}
 * </pre>
 *
 * <p>One that stops in the middle of its command so holds the others up for a bounded time; then memory may be
 * exceeded, and {@link ClientMemory#enforce} decides. For one worker's thread.
 */
final class InputMemory {
    /** How long the first in line waits at most. */
    static final long MAX_WAIT_NANOS = 5_000_000_000L;

    /** A client's part. */
    static final class Share {
        private final Runnable turn;
        private long held;
        private long wanted;
        private boolean waits;

        /**
         * Makes a part of no bytes.
         *
         * @param turn is run when the client may go on
         */
        Share(Runnable turn) {
            this.turn = turn;
        }
    }

    private final Settings settings;
    private final ArrayDeque<Share> line = new ArrayDeque<>();
    private long held;
    private long heldByWaiting;
    private long firstSince;

    InputMemory(Settings settings) {
        this.settings = settings;
    }

    /**
     * Changes a client's part, to 0 when its command is executed or it is gone.
     *
     * @param wanted bytes that it takes from now on
     * @return false if there is no room: it waits, with as much as it had, and its turn comes
     */
    boolean reserve(Share share, long wanted, long nowNanos) {
        if (wanted <= share.held || (isNext(share) && fits(share, wanted))) {
            grant(share, wanted, nowNanos);
            return true;
        }
        share.wanted = wanted;
        if (!share.waits) {
            share.waits = true;
            heldByWaiting += share.held;
            if (line.isEmpty()) {
                firstSince = nowNanos;
            }
            line.addLast(share);
        }
        return false;
    }

    /** Lets those go on, first come first served, for whom there is room now. */
    void goOn(long nowNanos) {
        for (Share first = line.peekFirst(); first != null; first = line.peekFirst()) {
            if (!fits(first, first.wanted) && nowNanos - firstSince < MAX_WAIT_NANOS) {
                return;
            }
            grant(first, first.wanted, nowNanos);
            first.turn.run();
        }
    }

    /** Who has begun goes on before those who wait. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isNext(Share share) {
        return line.isEmpty() || line.peekFirst() == share || (share.held > 0 && !share.waits);
    }

    private boolean fits(Share share, long wanted) {
        long limit = settings.maxMemoryClients();
        long others = held - heldByWaiting - (share.waits ? 0 : share.held);
        return limit == 0
                || others == 0
                || held - share.held + wanted <= limit / settings.context().workers() / 2;
    }

    @SuppressWarnings("ReferenceEquality")
    private void grant(Share share, long wanted, long nowNanos) {
        if (share.waits) {
            share.waits = false;
            heldByWaiting -= share.held;
            if (line.peekFirst() == share) {
                firstSince = nowNanos;
            }
            line.remove(share);
        }
        held += wanted - share.held;
        share.held = wanted;
    }
}
