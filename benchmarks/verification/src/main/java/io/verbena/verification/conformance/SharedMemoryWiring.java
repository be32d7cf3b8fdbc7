package io.verbena.verification.conformance;

import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.shm.SharedMemoryContext;
import io.verbena.fabric.shm.SharedMemoryFabric;
import io.verbena.fabric.shm.SharedMemoryProvider;
import io.verbena.nic.NicContext;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.verification.fabric.SocketDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The fabric of two processes, both of its ends in this one: files, rings, doorbell sockets, mapped memory. */
final class SharedMemoryWiring extends Wiring {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final EventLoopWaiter[] waiters = {new EventLoopWaiter(), new EventLoopWaiter()};
    private final SocketDirectory directory = new SocketDirectory();
    private final List<SharedMemoryFabric> fabrics = new ArrayList<>();

    @Override
    NicContext configure(int side, long nicId, NicContext context) {
        return context.waiters(waiters[side]).memory(new SharedMemoryProvider(nicId));
    }

    @Override
    void connect(LinkEndpoint a, LinkEndpoint b) {
        SharedMemoryFabric fabricA = new SharedMemoryFabric(a, new SharedMemoryContext(), waiters[0]);
        SharedMemoryFabric fabricB = new SharedMemoryFabric(b, new SharedMemoryContext(), waiters[1]);
        fabrics.add(fabricA);
        fabrics.add(fabricB);
        fabricB.listen(directory.socket());
        fabricA.connect(directory.socket(), TIMEOUT);
    }

    @Override
    void drive(int side) {
        waiters[side].poll();
    }

    @Override
    void kill(int side) {
        fabrics.get(side).close();
    }

    @Override
    public void close() {
        fabrics.forEach(SharedMemoryFabric::close);
        directory.close();
    }
}
