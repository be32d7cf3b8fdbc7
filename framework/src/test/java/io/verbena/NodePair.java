package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A client and a server, and the drive that they need in the mode INVOKER. */
final class NodePair implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final Duration NAP = Duration.ofMillis(20);

    final Node server;
    final Node client;
    final String address;
    private final Thread serverThread;
    private volatile boolean stopped;
    private volatile boolean paused;
    private volatile boolean resting; // the server's thread has seen that it is paused

    NodePair(Fabric fabric, NodeMode mode) {
        this(fabric, fabric.context(mode), fabric.context(mode));
    }

    /** A server that is driven by a thread of the test in the mode INVOKER, and a client driven by the test's own. */
    NodePair(Fabric fabric, NodeContext serverContext, NodeContext clientContext) {

        server = Node.launch(serverContext);
        client = Node.launch(clientContext);
        address = fabric.listen(server) + "/";
        serverThread = new Thread(this::driveServer, "test-server");
        if (server.mode() == NodeMode.INVOKER) {
            serverThread.start();
        }
    }

    private void driveServer() {
        while (!stopped) {
            resting = paused;
            if (resting) {
                Thread.yield();
            } else if (server.doWork() == 0) {
                server.await(NAP);
            }
        }
        server.close(); // by the thread that owns its sockets
    }

    /** Drives the client until a condition holds. */
    void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("condition within " + TIMEOUT).isLessThan(deadline);
            if (client.doWork() == 0) {
                Thread.yield();
            }
        }
    }

    @Override
    public void close() {
        client.close();
        closeServer();
    }

    /** Nobody does the server's work from now on, or its thread does again; in the mode INVOKER. */
    void pauseServer(boolean wanted) {
        paused = wanted;
        server.wake();
        await(() -> resting == wanted);
    }

    void closeServer() {
        stopped = true;
        server.wake();
        if (server.mode() == NodeMode.INVOKER) {
            try {
                serverThread.join(TIMEOUT.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        server.close();
    }
}
