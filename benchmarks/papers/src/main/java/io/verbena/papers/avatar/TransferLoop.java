package io.verbena.papers.avatar;

import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;

/** A thread that sends so many messages, one at a time, looks or sleeps until each is complete, and ends. */
final class TransferLoop implements SimTask {
    private final AvatarWorld world;
    private final Connection connection;
    private final int bytes;
    private final int messages;
    private final boolean sleeps;
    private int sent;
    private long endedAt;

    /**
     * A loop that has not started.
     *
     * @param bytes of a message
     * @param messages that it sends
     * @param sleeps whether it sleeps while it waits
     */
    TransferLoop(AvatarWorld world, Connection connection, int bytes, int messages, boolean sleeps) {
        this.world = world;
        this.connection = connection;
        this.bytes = bytes;
        this.messages = messages;
        this.sleeps = sleeps;
    }

    @Override
    public void step(SimThread self) {
        if (sent > connection.finished()) {
            if (sleeps) {
                connection.await(self);
            } else {
                self.run(AvatarWorld.LOOK_NANOS);
            }
            self.then(() -> connection.look(self));
        } else if (sent < messages) {
            sent++;
            connection.send(self, bytes);
        } else {
            endedAt = world.now();
            self.end();
        }
    }

    /** Whether all are complete. */
    boolean hasEnded() {
        return endedAt > 0;
    }

    /** When. */
    long endedAt() {
        return endedAt;
    }
}
