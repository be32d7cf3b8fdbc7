package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/** A doubly linked list whose links are in its elements: everything in constant time, nothing allocated. */
public final class ShareList<T extends Share> {
    private @Nullable Share head;
    private @Nullable Share tail;
    private int size;

    /** How many stand in it. */
    public int size() {
        return size;
    }

    /** Whether none does. */
    public boolean isEmpty() {
        return head == null;
    }

    /** The first, or null. */
    @SuppressWarnings("unchecked") // only T are added
    public @Nullable T first() {
        return (T) head;
    }

    /** The last, or null. */
    @SuppressWarnings("unchecked")
    public @Nullable T last() {
        return (T) tail;
    }

    /** Adds one that is in no list. */
    public void addFirst(T share) {
        Share before = head;
        share.list = this;
        share.next = before;
        if (before == null) {
            tail = share;
        } else {
            before.previous = share;
        }
        head = share;
        size++;
    }

    /** Adds one that is in no list. */
    public void addLast(T share) {
        Share before = tail;
        share.list = this;
        share.previous = before;
        if (before == null) {
            head = share;
        } else {
            before.next = share;
        }
        tail = share;
        size++;
    }

    /** Takes one out that is in this list. */
    public void remove(Share share) {
        Share before = share.previous;
        Share after = share.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            tail = before;
        } else {
            after.previous = before;
        }
        share.list = null;
        share.next = null;
        share.previous = null;
        size--;
    }

    /** Moves the first to the end. */
    public void rotate() {
        T first = first();
        if (first != null && size > 1) {
            remove(first);
            addLast(first);
        }
    }
}
