package io.verbena.mux;

import org.jspecify.annotations.Nullable;

/**
 * Deficit round robin: a member sends while it has credit, may end below zero, and gets a share by its weight with each
 * round. It is in bytes, or in messages and segments: the quantum says what is charged. Constant time a turn, and no
 * allocation: the links are the members' own, so one is in one round at a time.
 *
 * <p>Under the engine's baton.
 */
class Round {
    /** Bytes that a member of weight 1 may send in a round, where bytes count. */
    static final int BYTES = 16 << 10;

    /** Where messages count, and segments. */
    static final int MESSAGES = 1;

    /** Keeps what the engine writes off the lines of others. */
    @SuppressWarnings("unused")
    abstract static class Before {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }

    /** What takes turns. */
    abstract static class Member extends Before {
        private @Nullable Member next;

        /** What it may still send in this round; below zero it owes. */
        long credit;

        Member() {}

        /** Its weight, at least 1. */
        abstract int weight();

        /** Whether it has something to send. */
        abstract boolean hasNext();
    }

    private final int quantum;

    private @Nullable Member first;
    private @Nullable Member last;
    private int size;

    /**
     * Creates one without members.
     *
     * @param quantum what a member of weight 1 may send in a round
     */
    Round(int quantum) {
        this.quantum = quantum;
    }

    /** What a member may send in a round. */
    final long share(Member member) {
        return (long) quantum * member.weight();
    }

    /** Whether it has no members. */
    boolean isEmpty() {
        return first == null;
    }

    /** Adds one at the end, with the credit that it has. */
    void append(Member member) {
        member.next = null;
        Member before = last;
        if (before == null) {
            first = member;
        } else {
            before.next = member;
        }
        last = member;
        size++;
    }

    /** Takes the first out. */
    void removeFirst() {
        Member member = first;
        if (member != null) {
            first = member.next;
            member.next = null;
            size--;
            if (first == null) {
                last = null;
            }
        }
    }

    /** The member whose turn it is, which is the first: it has credit, or nothing to send; null if there are none. */
    @Nullable
    Member turn() {
        int passed = 0;
        Member member = first;
        while (member != null && member.credit <= 0 && member.hasNext()) {
            next(member);
            if (++passed >= size) {
                skip();
                passed = 0;
            }
            member = first;
        }
        return member;
    }

    /** The first has had its share: it is the last now, and owes nothing if it is alone. */
    private void next(Member member) {
        if (member == last) {
            member.credit = share(member);
        } else {
            member.credit += share(member);
            removeFirst();
            append(member);
        }
    }

    /** All owe more than a round gives, after long messages: the rounds in which none could send are given at once. */
    private void skip() {
        long rounds = Long.MAX_VALUE;
        for (Member member = first; member != null; member = member.next) {
            rounds = Math.min(rounds, -member.credit / share(member));
        }
        if (rounds > 0) {
            for (Member member = first; member != null; member = member.next) {
                member.credit += rounds * share(member);
            }
        }
    }
}
