package io.verbena.bench.check.messages;

import io.verbena.Node;
import io.verbena.NodeContext;
import java.nio.file.Path;

/** How the nodes of a round reach each other. */
public enum FabricName {
    /** In the process. */
    LOCAL,
    /** Shared memory. */
    SHM,
    /** Unix-domain sockets. */
    UDS,
    /** TCP. */
    TCP;

    /** Whether another process can be reached by it. */
    boolean reachesProcesses() {
        return this != LOCAL;
    }

    /**
     * A context of a node that may use it.
     *
     * @param shared directory of shared memory, which nodes that reach each other have in common
     */
    NodeContext context(Path shared) {
        return new NodeContext().sharedMemory(this == SHM).sharedMemoryRoot(shared);
    }

    /** Makes a node reachable. @return the address, to which names are appended */
    String listen(Node node, Path folder) {
        switch (this) {
            case LOCAL:
                return "local:" + node.name();
            case SHM:
                return node.listen("shm:" + node.name());
            case UDS:
                return node.listen("uds:" + folder.resolve(node.name() + ".sock"));
            default:
                return node.listen("tcp://127.0.0.1:0");
        }
    }
}
