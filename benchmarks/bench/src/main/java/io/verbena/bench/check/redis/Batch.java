package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.List;

/** Commands that are sent without waiting for a reply in between, and the manner in which that is done. */
final class Batch {
    private final List<PlayerRequest> requests = new ArrayList<>();
    private long requestBytes;
    private long replyBytes;
    private Manner manner = Manner.PLAIN;

    /** Adds a command that changes no key of the player's. */
    Batch add(String command, ExpectedReply outcome, Object... arguments) {
        return change(List.of(), command, outcome, arguments);
    }

    /** Adds a command that may change a key. */
    Batch change(Slot slot, String command, ExpectedReply outcome, Object... arguments) {
        return change(List.of(slot), command, outcome, arguments);
    }

    /** Adds a command that may change keys. */
    Batch change(List<Slot> slots, String command, ExpectedReply outcome, Object... arguments) {
        PlayerRequest request = new PlayerRequest(command, outcome, slots, arguments);
        requests.add(request);
        requestBytes += request.length();
        return this;
    }

    /** Notes what the last command's reply may take. */
    Batch replies(long bytes) {
        replyBytes += bytes;
        return this;
    }

    Batch manner(Manner value) {
        manner = value;
        return this;
    }

    Manner manner() {
        return manner;
    }

    List<PlayerRequest> requests() {
        return requests;
    }

    int size() {
        return requests.size();
    }

    long requestBytes() {
        return requestBytes;
    }

    long replyBytes() {
        return replyBytes;
    }
}
