package io.verbena;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Closes the nodes that are still open when the JVM ends in an orderly way: by SIGTERM, SIGINT, {@link System#exit}, or
 * with its last thread. Thread-safe.
 */
final class Shutdown {
    private static final Set<Node> NODES = new LinkedHashSet<>();
    private static boolean hooked;

    private Shutdown() {}

    /** Adds a node that is to be closed. */
    static void add(Node node) {
        synchronized (NODES) {
            NODES.add(node);
            if (!hooked) {
                try {
                    Runtime.getRuntime().addShutdownHook(new Thread(Shutdown::closeAll, "verbena-shutdown"));
                } catch (IllegalStateException e) {
                    NODES.remove(node); // the JVM is ending
                }
                hooked = true;
            }
        }
    }

    /** Removes a node that was closed. */
    static void remove(Node node) {
        synchronized (NODES) {
            NODES.remove(node);
        }
    }

    private static void closeAll() {
        List<Thread> closers = new ArrayList<>();
        synchronized (NODES) {
            for (Node node : NODES) {
                closers.add(new Thread(node::shutDown, "verbena-shutdown-" + node.name()));
            }
        }
        closers.forEach(Thread::start);
        for (Thread closer : closers) {
            try {
                closer.join(); // each one's waits are bounded
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
