package io.verbena.verification.fabric;

import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.NicContext;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.verification.RunException;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Both ends in one process: the client finds the server's endpoint in a table. */
final class LocalNodeFabric implements NodeFabric {
    private static final Map<String, LinkEndpoint> LISTENING = new ConcurrentHashMap<>();

    private @Nullable LinkEndpoint endpoint;
    private @Nullable String name;

    @Override
    public NicContext configure(NicContext context) {
        return context;
    }

    @Override
    public void bind(LinkEndpoint nicEndpoint) {
        endpoint = nicEndpoint;
    }

    @Override
    public String listen(InetAddress local) {
        LinkEndpoint own = bound();
        String made = Long.toHexString(own.nicId());
        LISTENING.put(made, own);
        name = made;
        return made;
    }

    @Override
    public void connect(InetAddress host, String address, long timeoutNanos) {
        LinkEndpoint other = LISTENING.get(address);
        if (other == null) {
            throw new RunException("the other side is in another process; use --fabric shm");
        }
        LocalFabric.connect(bound(), other);
    }

    private LinkEndpoint bound() {
        LinkEndpoint own = endpoint;
        if (own == null) {
            throw new IllegalStateException("not bound to a NIC yet");
        }
        return own;
    }

    @Override
    public void close() {
        String made = name;
        if (made != null) {
            LISTENING.remove(made);
        }
    }
}
