package io.verbena;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;

/**
 * Inboxes of several tenants that one thread polls, each of which gets its share of what the thread does: where several
 * have messages, by utility and minimum ({@link TurnShares}), message by message; one alone is not held up. Deficit
 * round robin (Shreedhar and Varghese, 1995): what an inbox does not use, the others have at once. No more than {@value
 * #SLICE} messages of one are taken before the others are looked at, so a tenant that sends one message at a time waits
 * for few of its neighbours', however many of them wait.
 *
 * <pre>{@code
 *   InboxShares shares = new InboxShares(List.of(goldInbox, tinInbox), parties, servers, System::nanoTime);
 *   while (running) {
 *       shares.poll(handler, 256);
 *   }
 * }</pre>
 *
 * <p>A message counts as one request, and as more if its handler says so ({@link #charge}). For the thread that polls;
 * the counts are for any.
 */
public final class InboxShares {
    /** Messages of one inbox that are taken before the others are looked at. */
    public static final int SLICE = 8;

    /** The same where nobody else has had messages. */
    private static final int SLICE_ALONE = 32;

    /** Messages of all inboxes in a round, in which each has its part. */
    static final int ROUND = 256;

    /** How long an inbox that had a message is taken for one that will have another. */
    private static final long ACTIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long one that owes something has to be away until it is forgotten. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Inbox> inboxes;
    private final LongSupplier nanoTime;
    private final TurnShares shares;
    private final double[] credit; // requests; below 0 what it has to repay
    private final long[] usedNanos;
    private final boolean[] isUsed; // since the last look at the time
    private final boolean[] wasActive; // at the last look
    private int polled; // whose message is being handled
    private boolean left; // a message, by the last poll
    private int next; // who is looked at first
    private boolean isContended;

    /**
     * Shares a thread's time among inboxes.
     *
     * @param inboxes without callbacks; closed ones are passed by
     * @param parties what each of them is entitled to
     * @param servers on how many threads each party is active, see {@link TurnShares}
     * @param nanoTime the time, such as {@link System#nanoTime}
     * @throws IllegalArgumentException if there are not as many parties as inboxes, or a party is out of its range
     */
    public InboxShares(
            List<Inbox> inboxes, List<TurnShares.Party> parties, AtomicIntegerArray servers, LongSupplier nanoTime) {
        if (inboxes.size() != parties.size()) {
            throw new IllegalArgumentException(parties.size() + " parties for " + inboxes.size() + " inboxes");
        }
        this.inboxes = new ArrayList<>(inboxes);
        this.nanoTime = nanoTime;
        long nowNanos = nanoTime.getAsLong();
        this.shares = new TurnShares(parties, servers, nowNanos);
        this.credit = new double[inboxes.size()];
        this.usedNanos = new long[inboxes.size()];
        this.isUsed = new boolean[inboxes.size()];
        this.wasActive = new boolean[inboxes.size()];
        for (int i = 0; i < usedNanos.length; i++) {
            usedNanos[i] = nowNanos - ACTIVE_NANOS;
        }
    }

    /**
     * Takes messages.
     *
     * @param handler takes each; may {@link #charge}
     * @param limit most messages to take, at least 1
     * @return messages taken
     * @throws IllegalStateException as {@link Inbox#poll} throws it
     */
    public int poll(MessageHandler handler, int limit) {
        if (inboxes.size() == 1) {
            return inboxes.get(0).poll(handler, limit);
        }
        look(nanoTime.getAsLong());
        int taken = 0;
        while (taken < limit) {
            int before = taken;
            for (int i = 0; i < credit.length && taken < limit; i++) {
                taken += pollNext(handler, limit - taken);
            }
            if (taken == before && !beginRounds()) {
                break;
            }
        }
        noteWaiting();
        return taken;
    }

    /**
     * Takes messages of one inbox, the next that has some and whose part is not used up: at most {@value #SLICE} where
     * others have had messages, too. For who has something to do between one tenant's messages and another's.
     *
     * @param handler takes each; may {@link #charge}
     * @return messages taken; 0 if none may be taken
     * @throws IllegalStateException as {@link Inbox#poll} throws it
     */
    public int pollSlice(MessageHandler handler) {
        if (inboxes.size() == 1) {
            return inboxes.get(0).poll(handler, SLICE_ALONE);
        }
        look(nanoTime.getAsLong());
        int taken = 0;
        do {
            for (int i = 0; i < credit.length && taken == 0; i++) {
                taken = pollNext(handler, SLICE_ALONE);
            }
        } while (taken == 0 && beginRounds());
        noteWaiting();
        return taken;
    }

    private int pollNext(MessageHandler handler, int limit) {
        int inbox = next;
        next = next + 1 == credit.length ? 0 : next + 1;
        return poll(inbox, handler, limit);
    }

    private void look(long nowNanos) {
        int active = 0;
        for (int i = 0; i < credit.length; i++) {
            if (isUsed[i]) {
                isUsed[i] = false;
                usedNanos[i] = nowNanos;
            }
            boolean isActive = !inboxes.get(i).isEmpty() || nowNanos - usedNanos[i] < ACTIVE_NANOS;
            active += isActive ? 1 : 0;
            shares.active(i, isActive);
        }
        shares.turn(nowNanos, left);
        boolean begins = !isContended && active > 1;
        isContended = active > 1;
        for (int i = 0; i < credit.length; i++) {
            boolean isActive = shares.part(i) > 0;
            if (begins || (isActive && !wasActive[i] && mayForget(i, nowNanos))) {
                credit[i] = ROUND * shares.part(i); // what was used while alone is not owed
            }
            wasActive[i] = isActive;
        }
    }

    /** Whether one that comes has no debt, or has been away for so long that it is forgotten. */
    private boolean mayForget(int inbox, long nowNanos) {
        return credit[inbox] >= 0 || nowNanos - usedNanos[inbox] > FORGET_NANOS;
    }

    private int poll(int inbox, MessageHandler handler, int limit) {
        if (isContended && credit[inbox] <= 0 && shares.part(inbox) > 0) {
            return 0; // who was not there when the turn began may go on
        }
        polled = inbox;
        int taken = inboxes.get(inbox).poll(handler, Math.min(limit, isContended ? SLICE : SLICE_ALONE));
        if (taken > 0) {
            isUsed[inbox] = true;
            pay(inbox, taken);
        }
        return taken;
    }

    private void pay(int inbox, double requests) {
        shares.used(inbox, requests);
        credit[inbox] -= requests;
    }

    /**
     * Who has messages has had its part: as many rounds begin as it takes until one of them may go on.
     *
     * @return whether one may
     */
    private boolean beginRounds() {
        double fewest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < credit.length; i++) {
            double part = ROUND * shares.part(i);
            if (credit[i] <= 0 && part > 0 && !inboxes.get(i).isEmpty()) {
                fewest = Math.min(fewest, Math.floor(-credit[i] / part) + 1);
            }
        }
        if (!isContended || fewest == Double.POSITIVE_INFINITY) {
            return false;
        }
        for (int i = 0; i < credit.length; i++) {
            double part = ROUND * shares.part(i);
            credit[i] =
                    Math.min(credit[i] + fewest * part, part); // who did not use its part saves up no more than that
        }
        return true;
    }

    private void noteWaiting() {
        left = false;
        for (int i = 0; i < credit.length; i++) {
            if (!inboxes.get(i).isEmpty()) {
                shares.held(i);
                left = true;
            }
        }
    }

    /**
     * What is being handled counts as more than one request. Within the handler.
     *
     * @param requests above 0, beside the one that each message counts as
     */
    public void charge(double requests) {
        charge(polled, requests);
    }

    /**
     * What was done later for a message of an inbox counts as so many requests.
     *
     * @param inbox number of the inbox
     * @param requests above 0
     */
    public void charge(int inbox, double requests) {
        if (credit.length > 1) {
            pay(inbox, requests);
        }
    }

    /** Number of the inbox whose message is being handled. Within the handler. */
    public int polled() {
        return polled;
    }

    /** Whether several inboxes have had messages in the last milliseconds: then turns are to be short. */
    public boolean isContended() {
        return isContended;
    }

    /**
     * Whether one of them has no message now. Any thread.
     *
     * @param inbox number of the inbox
     */
    public boolean isEmpty(int inbox) {
        return inboxes.get(inbox).isEmpty();
    }

    /** Whether there is no message now. Any thread. */
    public boolean isEmpty() {
        for (Inbox inbox : inboxes) {
            if (!inbox.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Requests a second that an inbox is entitled to; 0 if nobody sends to it. Any thread. */
    public long rate(int inbox) {
        return shares.rate(inbox);
    }

    /** The thread ends. */
    public void end() {
        shares.end();
    }
}
