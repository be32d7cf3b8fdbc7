package io.verbena.bench.check.channels;

import io.verbena.mux.SharedQueuePair;
import io.verbena.nic.QueuePair;
import io.verbena.nic.append.SenderQuota;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.List;

/** A queue pair that channels share, and the peer's. */
final class SharedPair {
    final SharedQueuePair shared;
    final QueuePair peer;
    final SenderQuota quota;
    private final List<SharedChannel> byStream = new ArrayList<>();

    SharedPair(SharedQueuePair shared, QueuePair peer, SenderQuota quota) {
        this.shared = shared;
        this.peer = peer;
        this.quota = quota;
    }

    /** A channel has joined. */
    void add(SharedChannel channel) {
        byStream.add(channel);
        if (channel.path.stream() != byStream.size()) {
            throw new WalkFailure(channel + " has stream " + channel.path.stream() + " of " + byStream.size());
        }
    }

    /** The channel of a stream. */
    SharedChannel channel(int stream) {
        if (stream < 1 || stream > byStream.size()) {
            throw new WalkFailure("stream " + stream + " of " + byStream.size() + " of " + shared);
        }
        return byStream.get(stream - 1);
    }
}
