package io.verbena.papers.avatar;

import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayList;
import java.util.List;

/**
 * A thread that keeps so many messages under way on each of its connections, in turn, and looks at them in a loop.
 */
final class MessageLoop implements SimTask {
    private final List<Flow> flows = new ArrayList<>();
    private final int bytes;
    private final int depth;
    private int next;
    private long sent;

    private static final class Flow {
        final Connection connection;
        long sent;

        Flow(Connection connection) {
            this.connection = connection;
        }
    }

    /**
     * A loop that has not started.
     *
     * @param connections of this thread alone, at least one
     * @param bytes of a message
     * @param depth messages of a connection under way, at least 1
     */
    MessageLoop(List<Connection> connections, int bytes, int depth) {
        this.bytes = bytes;
        this.depth = depth;
        connections.forEach(each -> flows.add(new Flow(each)));
    }

    @Override
    public void step(SimThread self) {
        for (int i = 0; i < flows.size(); i++) {
            Flow flow = flows.get(next);
            next = next + 1 == flows.size() ? 0 : next + 1;
            if (flow.sent - flow.connection.finished() < depth) {
                flow.sent++;
                sent++;
                flow.connection.send(self, bytes);
                return;
            }
        }
        for (int i = 0; i < flows.size(); i++) {
            flows.get(i).connection.look(self);
        }
        self.run(AvatarWorld.LOOK_NANOS);
    }

    /** Messages sent. */
    long sent() {
        return sent;
    }
}
