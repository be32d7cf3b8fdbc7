package io.verbena.papers.avatar;

import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.SimThread;

/** A connection of Avatar as printed (3.1): a block goes into its egress queue, and its eventfd tells the Worker. */
final class PrintedChannel extends Connection {
    private final PrintedSource source;
    private final PrintedSource.Queue queue;
    private final Worker worker;
    private final HostModel host;
    private long seen;

    PrintedChannel(int number, PrintedSource source, Worker worker, HostModel host) {
        super(number);
        this.source = source;
        this.queue = new PrintedSource.Queue(number);
        this.worker = worker;
        this.host = host;
    }

    @Override
    void send(SimThread self, int bytes) {
        self.run(host.postNanos() + host.lineNanos());
        self.systemCalls(worker.tellCalls()).then(() -> {
            source.post(queue, bytes);
            worker.tell(this, Source.segments(bytes));
        });
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
