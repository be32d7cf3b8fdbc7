package io.verbena.papers.avatar;

/**
 * What it takes to send so many messages of 1 MiB, one at a time, on one connection.
 *
 * @param realNanos from the first to the end of the last
 * @param busyNanos of the sender's cores meanwhile
 * @param kernelNanos of these, in the kernel: system calls, switches and interrupts
 */
record Transfer(long realNanos, long busyNanos, long kernelNanos) {
    private static final int BYTES = 1 << 20;
    private static final int CORES = 2; // the thread's and the Worker's
    private static final long STEP_NANOS = 10_000;
    private static final long MOST_NANOS_A_MESSAGE = 1_000_000;

    /** In user space. */
    long userNanos() {
        return busyNanos - kernelNanos;
    }

    /**
     * Sends.
     *
     * @param way how the connection gets at a queue pair: natively its thread polls, or sleeps if it is by events; a
     *     Worker's connection sleeps
     */
    static Transfer run(Way way, int messages, long seed) {
        AvatarWorld world = new AvatarWorld(seed, CORES, 1, BYTES, way.isShared());
        Sharing sharing = new Sharing(world, way, 1);
        Connection connection = sharing.connect(false);
        sharing.start();
        world.simulation.runFor(STEP_NANOS);
        long begin = world.now();
        long busy = world.cores.busyNanos();
        long kernel = world.cores.kernelNanos();
        TransferLoop loop = new TransferLoop(world, connection, BYTES, messages, way != Way.OWN);
        world.cores.start("sender", loop);
        while (!loop.hasEnded()) {
            if (world.now() - begin > messages * MOST_NANOS_A_MESSAGE) {
                throw new IllegalStateException(
                        way.title() + ": " + connection.finished() + " of " + messages + " messages are complete");
            }
            world.simulation.runFor(STEP_NANOS);
        }
        return new Transfer(loop.endedAt() - begin, world.cores.busyNanos() - busy, world.cores.kernelNanos() - kernel);
    }
}
