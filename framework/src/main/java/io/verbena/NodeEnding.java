package io.verbena;

import io.verbena.connection.Connections;
import io.verbena.connection.NodeRegistry;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Ends a node: its connections are closed in order, what they had to send arrives, and then its parts are closed.
 * Within a callback the end is only requested.
 *
 * <p>Thread-safe.
 */
final class NodeEnding {
    private static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long DRIVER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Node node;
    private final boolean invoker;
    private final long lingerNanos;
    private final NodeRuntime runtime;
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile boolean asked;
    private volatile boolean closing;

    NodeEnding(Node node, boolean invoker, long lingerNanos, NodeRuntime runtime) {
        this.node = node;
        this.invoker = invoker;
        this.lingerNanos = lingerNanos;
        this.runtime = runtime;
    }

    /** Whether the node closes, or is closed. */
    boolean isClosing() {
        return closing;
    }

    /** Closes the node; within a callback of it, has another thread do so. */
    void close() {
        if (node.driver().isInCallback()) {
            closeLater();
        } else {
            closeNow();
        }
    }

    private void closeLater() {
        if (asked) {
            return;
        }
        asked = true;
        if (!invoker) {
            new Thread(this::closeNow, "verbena-close-" + node.name()).start();
        }
    }

    /** Closes the node if a callback requested it. */
    void closeIfAsked() {
        if (asked && !closing) {
            closeNow();
        }
    }

    private void closeNow() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        try {
            end();
        } finally {
            Shutdown.remove(node);
            end.countDown();
        }
    }

    private void end() {
        Connections connections = node.connections();
        node.closeAdmin();
        node.tenants().close();
        NodeRegistry.remove(node.self());
        connections.closeAll();
        work(lingerNanos, connections::isDrained);
        work(GOODBYE_NANOS, connections::isQuiet);
        node.driver().end();
        node.turns().end();
        connections.shutDown();
        node.closeLinks();
    }

    /** Does the node's work, or lets its thread do it, until a condition holds or the time is over. */
    private void work(long nanos, BooleanSupplier done) {
        long begin = node.clock().nanoTime();
        while (!done.getAsBoolean() && node.clock().nanoTime() - begin < nanos) {
            int work = 0;
            if (invoker) {
                long now = node.clock().nanoTime();
                work = node.driver().progress()
                        + node.connections().doWork(now)
                        + node.turns().doAgentsWork(now);
            } else {
                node.wake();
            }
            if (work == 0) {
                runtime.idle().run();
            }
        }
    }

    /** Called when the JVM ends: closes the node, or waits for the thread that closes it. */
    void shutDown() {
        if (invoker) {
            asked = true;
            node.wake();
            awaitEnd(DRIVER_NANOS);
        }
        closeNow();
        awaitEnd(lingerNanos + END_NANOS);
    }

    private void awaitEnd(long nanos) {
        try {
            end.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
