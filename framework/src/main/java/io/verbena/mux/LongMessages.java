package io.verbena.mux;

import org.jspecify.annotations.Nullable;

/**
 * The queues of a shared queue pair whose next message is long. They have a round of their own, in messages, and take
 * part together in that of the short ones, in segments, with the weight of all of them. So one long message is on its
 * way at a time, others' short ones come between its segments, and over some messages each channel has its weight's
 * part of the bytes.
 *
 * <pre>
 *   round of all   [short] [short] [long messages] [short] ...
 *                                     │ a segment
 *   round of long ones             [ A ] [ B ] [ C ]
 *                                   its message is sent to its end
 * </pre>
 *
 * <p>Under the engine's baton.
 */
final class LongMessages extends Round.Member {
    private final Round queues;
    private @Nullable EgressQueue current; // whose message is sent in part
    private int weight;
    private boolean stands; // in the round of all

    /**
     * Creates it, without queues.
     *
     * @param quantum of the rounds
     */
    LongMessages(int quantum) {
        queues = new Round(quantum);
    }

    /** A queue's next message is long. */
    void enter(EgressQueue queue) {
        queue.isLong = true;
        weight += queue.weight();
        queues.append(queue);
    }

    /** Whether it stands in the round of all. */
    boolean stands() {
        return stands;
    }

    /** It stands in the round of all from here on, with a share, or no longer. */
    void stands(boolean there) {
        stands = there;
        credit = queues.share(this);
    }

    /** The queue whose turn it is; null if there are none. */
    @Nullable
    EgressQueue turn() {
        EgressQueue going = current;
        return going != null ? going : (EgressQueue) queues.turn();
    }

    /**
     * Requests were taken back, perhaps all that was begun of a message. One of which the peer has some parts goes on,
     * also if none of them was among those requests.
     */
    void takenBack() {
        EgressQueue going = current;
        if (going != null && !going.isCut()) {
            current = null;
        }
    }

    /** A queue's message was begun: it goes on to its end before any other, wherever the queue stands. */
    void resume(EgressQueue queue) {
        current = queue;
    }

    /** The queue whose turn it is has sent something. */
    void sent(EgressQueue queue) {
        current = queue.isCut() ? queue : null;
    }

    /** The queue whose turn it is has no long message any more. */
    void removeFirst(EgressQueue queue) {
        queues.removeFirst();
        queue.isLong = false;
        weight -= queue.weight();
    }

    /** A queue that is here gets another weight. */
    void reweigh(int difference) {
        weight += difference;
    }

    @Override
    int weight() {
        return Math.max(1, weight);
    }

    @Override
    boolean hasNext() {
        return current != null || !queues.isEmpty();
    }
}
