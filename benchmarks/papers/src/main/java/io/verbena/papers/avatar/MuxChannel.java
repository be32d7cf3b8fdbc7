package io.verbena.papers.avatar;

import io.verbena.mux.SharedPath;
import io.verbena.nic.PostResult;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.SimThread;

/**
 * A channel that shares a queue pair as the product's do: its segments go into its own egress queue, and deficit round
 * robin in bytes decides which channel's is next.
 */
final class MuxChannel extends Connection {
    /** Requests of an egress queue: two messages of 1 MiB. */
    static final int DEPTH = 128;

    private final Source source;
    private final SharedPath path;
    private final Worker worker;
    private final HostModel host;
    private long seen;

    MuxChannel(int number, Source source, SharedPath path, Worker worker, HostModel host) {
        super(number);
        this.source = source;
        this.path = path;
        this.worker = worker;
        this.host = host;
    }

    /**
     * A descriptor a segment, the line of the flag that says that it is listed, and two to list it if it is not: at
     * most, since one of the last that were emptied is listed still.
     */
    @Override
    void send(SimThread self, int bytes) {
        int segments = Source.segments(bytes);
        int lines = path.outstanding() == 0 ? 3 : 1;
        self.run(segments * host.postNanos() + lines * host.lineNanos());
        self.systemCalls(worker.tellCalls()).then(() -> post(bytes, segments));
    }

    private void post(int bytes, int segments) {
        for (int i = 0; i < segments; i++) {
            int at = i * Source.SEGMENT;
            boolean last = i == segments - 1;
            PostResult result = path.enqueue(
                    source.local(Wire.request(number(), last), number(), at, Math.min(Source.SEGMENT, bytes - at)));
            if (result != PostResult.POSTED) {
                throw new IllegalStateException(result + " with " + path.outstanding() + " outstanding");
            }
        }
        path.flush();
        worker.tell(this, segments);
    }

    /** The Worker has written the line. */
    @Override
    void look(SimThread self) {
        if (finished() != seen) {
            seen = finished();
            self.run(host.lineNanos());
        }
    }
}
