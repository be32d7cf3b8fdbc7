package io.verbena.connection;

import io.verbena.fabric.shm.LocalFabric;
import io.verbena.link.Links;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The nodes of this process by name, and the links between them. Thread-safe. */
public final class NodeRegistry {
    private static final Map<String, LocalNode> NODES = new HashMap<>();

    private NodeRegistry() {}

    /** Takes a name; @throws IllegalArgumentException if another node has it. */
    public static void add(LocalNode node) {
        synchronized (NODES) {
            if (NODES.putIfAbsent(node.name(), node) != null) {
                throw new IllegalArgumentException(
                        "a node '" + node.name() + "' runs in this process already; close it or choose another name");
            }
        }
    }

    /** The node of a name, or null. */
    public static @Nullable LocalNode find(String name) {
        synchronized (NODES) {
            return NODES.get(name);
        }
    }

    /** Gives a name back. */
    public static void remove(LocalNode node) {
        synchronized (NODES) {
            if (NODES.get(node.name()) == node) {
                NODES.remove(node.name());
                for (LocalNode other : NODES.values()) {
                    other.links().remove(node.nicId());
                }
            }
        }
    }

    /** Links two nodes (or a node with itself), once. @return false if one of them is not registered any more */
    public static boolean link(LocalNode a, LocalNode b) {
        synchronized (NODES) {
            if (NODES.get(a.name()) != a || NODES.get(b.name()) != b) {
                return false;
            }
            if (a.links().add(b.nicId())) {
                b.links().add(a.nicId());
                int ringLength = ringLength(a, b);
                LocalFabric.connect(a.endpoint(), b.endpoint(), ringLength, Links.maxPacket(ringLength));
            }
            return true;
        }
    }

    /** Bytes of the rings between two nodes: as the one wants them that wants them smaller. */
    public static int ringLength(LocalNode a, LocalNode b) {
        return Math.min(a.ringLength(), b.ringLength());
    }
}
