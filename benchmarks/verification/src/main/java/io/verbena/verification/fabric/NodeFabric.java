package io.verbena.verification.fabric;

import java.net.InetAddress;

/** One side's way to links: made before its NIC, bound to the NIC's engine, and closed before it. */
interface NodeFabric extends AutoCloseable {
    /** Prepares the context that the NIC is opened with. */
    io.verbena.nic.NicContext configure(io.verbena.nic.NicContext context);

    /** Takes the endpoint of the NIC that was opened. */
    void bind(io.verbena.nic.port.LinkEndpoint endpoint);

    /** Server: gets ready for a link. @return what the client needs to reach it */
    String listen(InetAddress local);

    /** Client: asks for a link; it comes to the NIC while its engine is driven. */
    void connect(InetAddress host, String address, long timeoutNanos);

    /** Client: throws if the link that was asked for has failed. */
    default void checkConnecting() {}

    @Override
    void close();
}
