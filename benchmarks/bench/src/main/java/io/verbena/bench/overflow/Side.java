package io.verbena.bench.overflow;

import io.verbena.Node;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** One way to keep more data than memory: a server, and the load that it answers. */
final class Side {
    private static final Duration NAP = Duration.ofMillis(1);

    private final String name;
    private final LimitedServer server;
    private final OverflowLoad load;

    Side(String name, LimitedServer server, OverflowLoad load) {
        this.name = name;
        this.server = server;
        this.load = load;
    }

    String name() {
        return name;
    }

    OverflowLoad load() {
        return load;
    }

    LimitedServer server() {
        return server;
    }

    /** Operations for some time. @return operations a second */
    double run(int writes, double seconds) {
        try {
            return load.run(writes, seconds);
        } catch (RunException e) {
            throw explained(e);
        }
    }

    /** Operations for some time, in the middle of which something happens. */
    void run(int writes, double seconds, Runnable event) {
        explaining(() -> load.run(writes, seconds, event));
    }

    /** Reads all keys. */
    void readAll() {
        explaining(load::readAll);
    }

    private void explaining(Runnable action) {
        try {
            action.run();
        } catch (RunException e) {
            throw explained(e);
        }
    }

    private RunException explained(RunException failure) {
        return server.wasKilled()
                ? new RunException(name + ": the kernel ended the server, which needed more than its limit", failure)
                : failure;
    }

    /** Does what may take long, while a node goes on to answer its peers: they would give it up. */
    static void whileServing(Node node, Runnable action) {
        CompletableFuture<Void> done = CompletableFuture.runAsync(action);
        while (!done.isDone()) {
            if (node.doWork() == 0) {
                node.await(NAP);
            }
        }
        try {
            done.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RunException failure ? failure : e;
        }
    }
}
