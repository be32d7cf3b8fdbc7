package io.verbena.redis;

import io.verbena.SendResult;
import java.util.ArrayDeque;

/** Requests of a client's last command that go to the shards in pieces, as far as they are not sent. */
final class UnsentRequests {
    private final Dispatcher dispatcher;
    private final ArrayDeque<LargeRequest> requests = new ArrayDeque<>(0);

    UnsentRequests(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    void add(LargeRequest request) {
        requests.addLast(request);
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** Bytes of all of them. */
    long bytes() {
        long bytes = 0;
        for (LargeRequest request : requests) {
            bytes += request.length();
        }
        return bytes;
    }

    /** Sends as much as there is room for; true if nothing is left. */
    boolean send() {
        for (LargeRequest request = requests.peekFirst(); request != null; request = requests.peekFirst()) {
            SendResult sent = dispatcher.sender().send(request);
            if (sent == SendResult.BACK_PRESSURED) {
                return false;
            }
            requests.removeFirst();
            if (sent == SendResult.CLOSED) {
                dispatcher.replies().abandon(request); // the shard's other requests fail with it
            }
        }
        return true;
    }

    /** The client has gone. */
    void abandon() {
        for (LargeRequest request = requests.pollFirst(); request != null; request = requests.pollFirst()) {
            dispatcher.replies().abandon(request);
        }
    }
}
