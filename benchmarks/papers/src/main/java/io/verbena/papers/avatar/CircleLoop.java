package io.verbena.papers.avatar;

import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import io.verbena.papers.figures.Samples;

/**
 * A thread that sends circles: so many messages, of which so many are under way at a time, and how long each circle
 * takes from the first call that sends to the sight of its last completion. After each it may rest for a random time,
 * so that it meets others at all their phases.
 */
final class CircleLoop implements SimTask {
    private final AvatarWorld world;
    private final Connection connection;
    private final int bytes;
    private final int messages;
    private final int ahead;
    private final long restNanos;
    private final SimRandom random;
    private final Samples samples = new Samples();
    private int sent;
    private long finishedBefore;
    private long startedAt;
    private long resumeAt;

    /**
     * A loop that has not started.
     *
     * @param bytes of a message
     * @param messages of a circle, at least 1
     * @param ahead messages under way, at least 1
     * @param restNanos most to rest after a circle; 0: none
     */
    CircleLoop(AvatarWorld world, Connection connection, int bytes, int messages, int ahead, long restNanos) {
        this.world = world;
        this.connection = connection;
        this.bytes = bytes;
        this.messages = messages;
        this.ahead = ahead;
        this.restNanos = restNanos;
        random = world.simulation.newRandom();
    }

    @Override
    public void step(SimThread self) {
        if (world.now() < resumeAt) {
            self.run(resumeAt - world.now());
            return;
        }
        if (sent == 0) {
            startedAt = world.now();
        }
        if (sent < messages && sent - finished() < ahead) {
            sent++;
            connection.send(self, bytes);
            return;
        }
        connection.look(self);
        self.run(AvatarWorld.LOOK_NANOS).then(this::take);
    }

    private int finished() {
        return (int) (connection.finished() - finishedBefore);
    }

    private void take() {
        if (finished() == messages) {
            samples.add(world.now() - startedAt);
            finishedBefore = connection.finished();
            sent = 0;
            resumeAt = restNanos == 0 ? 0 : world.now() + random.nextLong(restNanos + 1);
        }
    }

    /** Counts from now on. */
    void record() {
        samples.clear();
    }

    /** Of circles. */
    Samples samples() {
        return samples;
    }
}
