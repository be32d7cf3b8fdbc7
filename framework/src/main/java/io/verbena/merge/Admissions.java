package io.verbena.merge;

import java.util.HashMap;
import java.util.Map;

/** The accounts of a tenant's bytes in flight, one for each node that its merging regions lead to. Thread-safe. */
public final class Admissions {
    private final Map<Long, Admission> byNic = new HashMap<>();

    /** Creates them, without any. */
    public Admissions() {}

    /** The account for a node, of which the queue is a part from now on. */
    synchronized Admission join(long peerNic, MergeQueue queue) {
        Admission account = byNic.computeIfAbsent(peerNic, nic -> new Admission());
        account.add(queue);
        return account;
    }

    /** The queue is no part of it any more. */
    synchronized void leave(long peerNic, MergeQueue queue) {
        Admission account = byNic.get(peerNic);
        if (account != null && account.remove(queue)) {
            byNic.remove(peerNic);
        }
    }

    /** Nodes that there is an account for. */
    synchronized int size() {
        return byNic.size();
    }
}
