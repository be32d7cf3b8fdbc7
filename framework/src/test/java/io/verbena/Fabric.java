package io.verbena;

import java.util.concurrent.atomic.AtomicInteger;

/** How the two nodes of a test reach each other. */
enum Fabric {
    LOCAL {
        @Override
        String listen(Node node) {
            return "local:" + node.name();
        }
    },
    TCP {
        @Override
        String listen(Node node) {
            return node.listen("tcp://127.0.0.1:0");
        }
    },
    UDS {
        @Override
        String listen(Node node) {
            return node.listen("uds:" + System.getProperty("java.io.tmpdir") + "/verbena-test-"
                    + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet() + ".sock");
        }
    },
    SHM {
        @Override
        String listen(Node node) {
            return node.listen(
                    "shm:" + node.name() + "-" + ProcessHandle.current().pid());
        }
    };

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Makes a node reachable. */
    abstract String listen(Node node);

    /** A context for a node that may use this fabric. */
    NodeContext context(NodeMode mode) {
        return new NodeContext().mode(mode).sharedMemory(this == SHM);
    }
}
