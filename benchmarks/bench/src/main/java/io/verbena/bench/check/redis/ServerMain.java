package io.verbena.bench.check.redis;

import io.verbena.bench.trial.ParentWatch;
import io.verbena.redis.Serve;

/** The server of a check, in a process that does not outlive it. */
public final class ServerMain {
    private ServerMain() {}

    /**
     * Serves.
     *
     * @param args as of {@code verbena serve}
     */
    public static void main(String[] args) {
        ParentWatch.start();
        Serve.main(args);
    }
}
