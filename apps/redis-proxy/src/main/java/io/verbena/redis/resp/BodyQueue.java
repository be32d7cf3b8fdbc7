package io.verbena.redis.resp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bodies in the order in which they are sent, each with the position in a writer's buffer at which it belongs. */
final class BodyQueue {
    private final List<@Nullable StreamedBody> bodies = new ArrayList<>(0);
    private int[] positions = {};
    private int first;

    boolean isEmpty() {
        return first == bodies.size();
    }

    int size() {
        return bodies.size() - first;
    }

    /** Where the first one belongs. */
    int position() {
        return positions[first];
    }

    void add(int position, StreamedBody body) {
        if (bodies.size() == positions.length) {
            positions = Arrays.copyOf(positions, Math.max(4, 2 * positions.length));
        }
        positions[bodies.size()] = position;
        bodies.add(body);
    }

    /** Removes the first one; null if there is none. */
    @Nullable
    StreamedBody remove() {
        if (isEmpty()) {
            return null;
        }
        StreamedBody body = bodies.set(first++, null);
        reset();
        return body;
    }

    /** Closes those behind a position. */
    void closeBehind(int position) {
        for (int i = bodies.size() - 1; i >= first && positions[i] > position; i--) {
            StreamedBody body = bodies.remove(i);
            if (body != null) {
                body.close();
            }
        }
        reset();
    }

    /**
     * Takes over the bodies of a part of another writer's buffer, which is copied; parts are taken in order, so those
     * that come first.
     *
     * @param other queue of that writer
     * @param offset first byte of the part there
     * @param length bytes of the part
     * @param to where the part begins here
     */
    void takeFrom(BodyQueue other, int offset, int length, int to) {
        while (!other.isEmpty() && other.position() <= offset + length) {
            int at = other.position();
            StreamedBody body = other.remove();
            if (body != null && at > offset) {
                add(to + at - offset, body);
            } else if (body != null) {
                body.close(); // of a part that was left out
            }
        }
    }

    /** The buffer has lost this many bytes at its start. */
    void shift(int bytes) {
        for (int i = first; i < bodies.size(); i++) {
            positions[i] -= bytes;
        }
    }

    private void reset() {
        if (isEmpty()) {
            bodies.clear();
            first = 0;
        }
    }
}
