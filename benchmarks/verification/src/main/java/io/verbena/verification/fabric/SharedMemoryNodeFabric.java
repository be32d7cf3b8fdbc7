package io.verbena.verification.fabric;

import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.shm.SharedMemoryContext;
import io.verbena.fabric.shm.SharedMemoryFabric;
import io.verbena.fabric.shm.SharedMemoryProvider;
import io.verbena.nic.NicContext;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.verification.RunException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;

/** Shared memory of two processes on this host. */
final class SharedMemoryNodeFabric extends ListeningFabric<SharedMemoryFabric> {
    private final EventLoopWaiter waiter = new EventLoopWaiter();

    @Override
    public NicContext configure(NicContext context) {
        long id = new SecureRandom().nextLong() | 1;
        try {
            return context.waiters(waiter).id(id).memory(new SharedMemoryProvider(id));
        } catch (IllegalStateException e) {
            waiter.close();
            throw new RunException(String.valueOf(e.getMessage()), e); // no /dev/shm, or not one for this user
        }
    }

    @Override
    public void bind(LinkEndpoint endpoint) {
        fabric = new SharedMemoryFabric(endpoint, new SharedMemoryContext(), waiter);
    }

    @Override
    public String listen(InetAddress local) {
        SocketDirectory made = newDirectory();
        bound().listen(made.socket());
        return made.socket().toString();
    }

    @Override
    public void connect(InetAddress host, String address, long timeoutNanos) {
        connecting = bound().connect(Path.of(address), Duration.ofNanos(timeoutNanos));
    }

    @Override
    void end(SharedMemoryFabric made) {
        made.close();
    }
}
