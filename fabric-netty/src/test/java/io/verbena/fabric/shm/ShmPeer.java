package io.verbena.fabric.shm;

import io.verbena.fabric.TestNode;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.nic.port.Link;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A node with the shared memory fabric; as a program, the other process of a test. */
final class ShmPeer implements AutoCloseable {
    final SharedMemoryProvider memory;
    final EventLoopWaiter waiter;
    final TestNode node;
    final SharedMemoryFabric fabric;

    ShmPeer(Path root, long nicId, SharedMemoryContext context) {
        memory = new SharedMemoryProvider(root, nicId, Long.MAX_VALUE);
        memory.allocateControl(4096).putLong(0, nicId);
        waiter = new EventLoopWaiter();
        node = new TestNode(nicId, waiter, memory);
        fabric = new SharedMemoryFabric(node.endpoint, context, waiter);
        node.start();
    }

    @Override
    public void close() {
        fabric.close();
        node.close();
        memory.close();
    }

    /** Connects, echoes or sends without end until it is killed: root, socket, NIC id. */
    public static void main(String[] args) throws Exception {
        try (ShmPeer peer = new ShmPeer(Path.of(args[0]), Long.parseLong(args[2]), new SharedMemoryContext())) {
            peer.memory.allocate(8192).buffer().putLong(0, 4711);
            Link link = peer.fabric
                    .connect(Path.of(args[1]), Duration.ofSeconds(20))
                    .get(20, TimeUnit.SECONDS);
            System.out.println("connected " + link.peerNic());
            peer.node.send(link, Long.MAX_VALUE);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (link.state() == Link.State.UP && System.nanoTime() < deadline) {
                Thread.sleep(5);
            }
        }
    }
}
