package io.verbena.papers.rdmabox;

import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A file in a peer's memory that is read or written from its begin to its end, record by record, through a file system
 * in user space as FUSE makes one: threads of its daemon take the records in order. A record costs the daemon two
 * system calls and a copy from or to the kernel besides what it costs to move it; the thread sleeps meanwhile.
 */
final class FileRun {
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);
    private static final int BLOCK = 128 << 10;
    private static final int CALLS = 2; // to get a request, and to answer it

    private final BoxWorld world;
    private final List<? extends RemoteAccess> ways;
    private final boolean reads;
    private final int record;
    private final int records;
    private int next;
    private int done;

    /**
     * A run that has not begun.
     *
     * @param ways to the peer's memory, which have blocks of 128 KiB in turn
     * @param record bytes of one, which divides a block
     * @param records that the file has; its blocks have the peer's memory in turn
     */
    FileRun(BoxWorld world, List<? extends RemoteAccess> ways, boolean reads, int record, int records) {
        this.world = world;
        this.ways = List.copyOf(ways);
        this.reads = reads;
        this.record = record;
        this.records = records;
    }

    /** Starts a thread of the daemon. */
    void start(String name) {
        world.cores.start(name, new Daemon());
    }

    /** Bytes a nanosecond, of the whole file. */
    double run() {
        long begin = world.now();
        world.simulation.runUntil(() -> done == records, LONGEST);
        return (double) record * records / (world.now() - begin);
    }

    /** A thread of the daemon. */
    private final class Daemon implements SimTask {
        private boolean waits;

        @Override
        public void step(SimThread self) {
            if (waits) {
                self.park(LONGEST);
            } else if (next == records) {
                self.end();
            } else {
                waits = true;
                long offset = (long) next++ * record;
                self.systemCalls(CALLS).run(world.model().copyNanos(record));
                ways.get((int) (offset / BLOCK % ways.size()))
                        .move(self, reads, offset % world.bytes(), record, 1, by -> {
                            waits = false;
                            done++;
                            self.wake();
                        });
            }
        }
    }
}
