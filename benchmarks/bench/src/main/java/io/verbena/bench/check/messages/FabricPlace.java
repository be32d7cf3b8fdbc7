package io.verbena.bench.check.messages;

import io.verbena.Node;
import io.verbena.NodeContext;
import java.nio.file.Path;

/**
 * A fabric, and the folders that nodes use on it.
 *
 * @param fabric of the nodes
 * @param folder where sockets lie
 * @param shared where shared memory lies
 */
record FabricPlace(FabricName fabric, Path folder, Path shared) {
    /** The context of a node. */
    NodeContext context() {
        return fabric.context(shared);
    }

    /** Lets a node listen. Returns its address. */
    String listen(Node node) {
        return fabric.listen(node, folder);
    }
}
