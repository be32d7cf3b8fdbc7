package io.verbena;

import io.verbena.fabric.shm.LocalFabric;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The nodes of this process by name, and the links between them. Thread-safe. */
final class NodeRegistry {
    private static final Map<String, Node> NODES = new HashMap<>();

    private NodeRegistry() {}

    /** Takes a name; @throws IllegalArgumentException if another node has it. */
    static void add(String name, Node node) {
        synchronized (NODES) {
            if (NODES.putIfAbsent(name, node) != null) {
                throw new IllegalArgumentException(
                        "a node '" + name + "' runs in this process already; close it or choose another name");
            }
        }
    }

    static @Nullable Node find(String name) {
        synchronized (NODES) {
            return NODES.get(name);
        }
    }

    /** Gives a name back. */
    static void remove(String name, Node node) {
        synchronized (NODES) {
            if (NODES.remove(name, node)) {
                for (Node other : NODES.values()) {
                    other.localLinks().remove(node.nicId());
                }
            }
        }
    }

    /** Links two nodes (or a node with itself), once. @return false if one of them is not registered any more */
    static boolean link(Node a, Node b) {
        synchronized (NODES) {
            if (NODES.get(a.name()) != a || NODES.get(b.name()) != b) {
                return false;
            }
            if (a.localLinks().add(b.nicId())) {
                b.localLinks().add(a.nicId());
                int ringLength = ringLength(a, b);
                LocalFabric.connect(a.endpoint(), b.endpoint(), ringLength, NodeContext.maxPacket(ringLength));
            }
            return true;
        }
    }

    /** Bytes of the rings between two nodes: as the one wants them that wants them smaller. */
    static int ringLength(Node a, Node b) {
        return Math.min(a.ringLength(), b.ringLength());
    }
}
