package io.verbena.mux;

import io.verbena.MuxScheduler;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.verbs.WcStatus;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Which of the channels that share a queue pair sends next. Those that have something to send take turns whenever the
 * queue pair's ring is empty. That is the work of whoever holds the engine's baton. A long message goes in segments,
 * between which others have their turns ({@link LongMessages}).
 *
 * <p>By the {@link MuxScheduler}, what differs is what is in turn:
 *
 * <pre>
 *   DEFICIT_ROUND_ROBIN      Round, LongMessages    charged bytes                   weights count
 *   ROUND_ROBIN              Round, LongMessages    charged messages and segments   they do not
 *   WEIGHTED_FAIR_QUEUEING   FairRound of all       charged bytes, by tags          weights count
 * </pre>
 *
 * <p>Under the baton, but for {@link #leadsTo} and what says so.
 */
final class EgressScheduler implements SendSource {
    /**
     * Bytes of the longest message that may come between the segments of another: it fits in a chunk of any inbox, and
     * in a packet.
     */
    static final int MAX_SHORT = 16 << 10;

    /** What a message costs beyond its bytes. */
    static final int OVERHEAD = 64;

    /** Least pause, in nanoseconds a byte, before a long message that was refused at its end is sent again. */
    private static final long RESENT = 4;

    private static final int NO_INBOX = -1;
    private static final int SEVERAL = -2; // inboxes

    /**
     * Requests of the queue pair that may be under way, at most. Below that its channels are limited as those are that
     * have a queue pair each: by their own windows, and by the bytes that are on their way to the peer.
     */
    private static final int MAX_UNDER_WAY = 1 << 16;

    /** Bytes of the ring for them, at most. */
    private static final long MAX_MEMORY = 8 << 20;

    /** Bytes that are moved at a time, costs included: no more than need be decided early. */
    private static final int MAX_MOVED = 16 << 10;

    private final QueuePair queuePair;
    private final SendFeed feed;
    private final ReadyList ready = new ReadyList();
    private final int segment;
    private final boolean inMessages; // and segments, not in bytes; weights do not count
    private final boolean cuts; // long messages

    // The rounds of those that have something to send, and who sent what lies in the ring.
    private final Round round;
    private final LongMessages longMessages;
    private final NotReady notReady = new NotReady();
    private final Pieces pieces = new Pieces();
    private int longestShort = MAX_SHORT; // bytes of the longest message that is not cut
    private int weight; // of those that have something outstanding

    private volatile int inbox = NO_INBOX; // to which all channels lead

    EgressScheduler(QueuePair queuePair, int segment, MuxScheduler discipline) {
        this.queuePair = queuePair;
        this.segment = segment;
        this.inMessages = discipline == MuxScheduler.ROUND_ROBIN;
        this.cuts = discipline != MuxScheduler.WEIGHTED_FAIR_QUEUEING;
        int quantum = inMessages ? Round.MESSAGES : Round.BYTES;
        this.round = cuts ? new Round(quantum) : new FairRound();
        this.longMessages = new LongMessages(quantum);
        this.feed = queuePair.feed(this);
    }

    /** Whether the channels' weights count among them. Any thread. */
    boolean weighs() {
        return !inMessages;
    }

    /** How it gets its turns. Any thread. */
    SendFeed feed() {
        return feed;
    }

    /** Where paths say that they have something to send. Any thread. */
    ReadyList ready() {
        return ready;
    }

    /** The inbox of the peer is known that a channel leads to; under the lock of whoever makes channels. */
    void leadsTo(int queueId) {
        if (inbox == NO_INBOX) {
            inbox = queueId;
        } else if (inbox != queueId) {
            inbox = SEVERAL;
        }
    }

    @Override
    public void fill(SendRing ring) {
        longestShort = cuts ? Math.min(MAX_SHORT, feed.packetLength()) : Integer.MAX_VALUE; // once a turn
        takeReady();
        int moved = 0;
        while (moved < MAX_MOVED) {
            EgressQueue queue = turn();
            int slot = queue == null ? -1 : claim(ring);
            if (queue == null || slot < 0) {
                break;
            }
            boolean isLong = queue.isLong || queue.isCut();
            int bytes = queue.move(ring.buffer(), slot, isLong ? longest(queue) : Integer.MAX_VALUE);
            pieces.add(ring, queue, bytes);
            notReady.sent(queue);
            ring.posted();
            int sent = bytes + OVERHEAD;
            int charge = inMessages ? 1 : sent;
            queue.credit -= charge;
            if (isLong) {
                longMessages.credit -= charge;
                longMessages.sent(queue);
            }
            moved += sent;
        }
        if (moved > 0) {
            ring.publish();
        }
    }

    /** A free slot of the ring, where what was sent keeps its own until it is answered; -1 if there is none. */
    private static int claim(SendRing ring) {
        int slot = ring.claim();
        return slot < 0 && mayGrow(ring) && ring.grow() ? ring.claim() : slot;
    }

    /** Whether all of the ring is under way, and it is the queue pair's own. */
    private static boolean mayGrow(SendRing ring) {
        return ring.isFed()
                && ring.number() - ring.head() == ring.capacity()
                && ring.capacity() < MAX_UNDER_WAY
                && 2L * ring.capacity() * ring.slotLength() <= MAX_MEMORY;
    }

    /** The queue that sends next, which has something to send; null if there is none. */
    private @Nullable EgressQueue turn() {
        Round.Member member;
        while ((member = round.turn()) != null) {
            EgressQueue queue = member == longMessages ? longMessages.turn() : (EgressQueue) member;
            if (queue == null) {
                round.removeFirst();
                longMessages.stands(false);
            } else if (member == longMessages && queue.isCut()) {
                return queue; // wherever it stands
            } else if (!queue.hasNext()) {
                remove(queue);
                leave(queue);
            } else if (notReady.holds(queue)) {
                remove(queue);
                hold(queue);
            } else if (queue.isLong != isLong(queue)) {
                remove(queue);
                stand(queue);
            } else {
                return queue;
            }
        }
        return null;
    }

    private boolean isLong(EgressQueue queue) {
        return queue.nextLength() > longestShort;
    }

    /** Bytes of a long message that go next: all if that is one copy. */
    private int longest(EgressQueue queue) {
        return !queue.isCut() && feed.appendsDirectly(queue.nextTarget(), queue.nextLength())
                ? Integer.MAX_VALUE
                : segment;
    }

    /** The queue whose turn it is stands in its round no longer. */
    private void remove(EgressQueue queue) {
        if (queue.isLong) {
            longMessages.removeFirst(queue);
        } else {
            round.removeFirst();
        }
    }

    /** A queue that has something to send stands in the round that this belongs to, at the end. */
    private void stand(EgressQueue queue) {
        if (!isLong(queue)) {
            round.append(queue);
            return;
        }
        longMessages.enter(queue);
        if (!longMessages.stands()) {
            longMessages.stands(true);
            round.append(longMessages);
        }
    }

    /** Lets in those of which something was published since. */
    private void takeReady() {
        int entries = ready.size(); // who comes later rings the doorbell after this turn has heard it
        boolean any = false;
        for (; entries > 0; entries--) {
            ReadyList.Entry entry = ready.take();
            if (entry == null) {
                break;
            }
            EgressQueue queue = ((SharedPath) entry).queue();
            if (!queue.waits && !queue.isHeld()) {
                enter(queue);
            }
            any = true;
        }
        if (any) {
            VarHandle.fullFence(); // whoever sees that a path is here has published before it is looked at
        }
    }

    /** A queue that may have something to send. */
    private void enter(EgressQueue queue) {
        if (!queue.isShut()) { // nobody forgets it again when it is
            pieces.know(queue);
        }
        count(queue);
        queue.credit = round.share(queue);
        round.append(queue); // where its first message belongs is seen when its turn comes
    }

    private void count(EgressQueue queue) {
        queue.waits = true;
        if (!queue.counted) {
            queue.counted = true;
            weight += queue.channelWeight();
        }
    }

    /** One whose next message is for an inbox that is not ready stands in no round. */
    private void hold(EgressQueue queue) {
        queue.waits = false;
        queue.hold(true);
        uncount(queue);
    }

    private void release(EgressQueue queue) {
        queue.hold(false);
        enter(queue);
    }

    /** One that is empty, or closed, stands in no round. */
    private void leave(EgressQueue queue) {
        queue.waits = false;
        uncount(queue);
        EgressQueue other = notReady.leaves(queue);
        if (other != null) {
            release(other);
        }
    }

    @Override
    public void completed(long before) {
        EgressQueue last = null;
        while (pieces.oldest() < before) {
            EgressQueue queue = pieces.owner(pieces.oldest());
            boolean ends = pieces.ends(pieces.oldest());
            pieces.removeOldest();
            if (queue == null) {
                continue;
            }
            if (last != null && last != queue) {
                last.releaseComplete();
            }
            last = queue; // its poster is told once of those in a row
            if (queue.complete(ends)) {
                uncount(queue);
            }
            if (ends && !notReady.isEmpty()) {
                taken(queue);
            }
        }
        if (last != null) {
            last.releaseComplete();
        }
    }

    /** A message was taken: if its queue had tried for others, they go on. */
    private void taken(EgressQueue queue) {
        Queue<EgressQueue> waiting = notReady.taken(queue);
        if (waiting != null) {
            waiting.forEach(this::release);
        }
    }

    // ---- what the peer does not take --------------------------------------------------------------------------------

    @Override
    public boolean takesBack() {
        return true;
    }

    @Override
    public boolean waitsApart() {
        return inbox == SEVERAL;
    }

    @Override
    public void takenBack(long first, long end, @Nullable WcStatus why, long now, long delayNanos, boolean begun) {
        if (first == end) {
            return;
        }
        for (long i = end - 1; i >= first; i--) {
            sender(i).takeBack(pieces.bytes(i), pieces.ends(i));
        }
        EgressQueue oldest = sender(first);
        if (begun) {
            oldest.restart();
        }
        longMessages.takenBack();
        if (why != null) {
            oldest.refused(why);
        } else {
            long again = begun ? oldest.nextLength() * RESENT : 0; // all of it is sent again
            notReady.add(oldest.nextTarget(), now, Math.max(delayNanos, again));
        }
        for (long i = first; i < end; i++) {
            EgressQueue queue = sender(i);
            pieces.remove(i);
            if ((notReady.takenBack(queue) || queue.isCut()) && queue.isHeld()) {
                notReady.remove(queue);
                release(queue);
            } else if (!queue.waits && !queue.isHeld()) {
                enter(queue);
            }
            if (queue.isCut()) {
                resume(queue);
            }
            uncount(queue);
        }
    }

    private EgressQueue sender(long number) {
        EgressQueue queue = pieces.owner(number);
        if (queue == null) {
            throw new IllegalStateException(queuePair + " has a request of nobody's");
        }
        return queue;
    }

    /** A queue's message was begun, and the peer has the first parts of it: it goes on before any other long one. */
    private void resume(EgressQueue queue) {
        longMessages.resume(queue);
        if (!longMessages.stands()) {
            longMessages.stands(true);
            round.append(longMessages);
        }
    }

    @Override
    public long deadline() {
        return notReady.isEmpty() ? Long.MAX_VALUE : notReady.deadline();
    }

    @Override
    public void onTimer(long now) {
        EgressQueue queue;
        while ((queue = notReady.due(now)) != null) {
            release(queue);
        }
    }

    /** A queue may have nothing outstanding any more: then its weight does not count. */
    private void uncount(EgressQueue queue) {
        if (queue.counted && !queue.waits && !queue.isUnderWay()) {
            queue.counted = false;
            weight -= queue.channelWeight();
        }
    }

    @Override
    public int weight() {
        return Math.max(1, Math.min(weight, GroupAttributes.MAX_WEIGHT));
    }

    /** Nothing is under way of a channel's queue, and nothing will be. */
    void forget(EgressQueue queue) {
        pieces.forget(queue.stream());
    }

    /** A queue's weight is about to change. */
    void reweigh(EgressQueue queue, int difference) {
        if (queue.counted) {
            weight += difference;
        }
        if (queue.isLong && weighs()) {
            longMessages.reweigh(difference);
        }
    }
}
