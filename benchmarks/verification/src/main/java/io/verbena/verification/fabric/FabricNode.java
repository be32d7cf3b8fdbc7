package io.verbena.verification.fabric;

import io.verbena.fabric.netty.SocketTransport;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.transport.Path;
import io.verbena.nic.verbs.EngineMode;
import java.net.InetAddress;

/** One side's NIC on its fabric. For one thread, which drives the engine where the mode says so. */
public final class FabricNode implements AutoCloseable {
    private final NodeFabric fabric;
    private final Nic nic;
    private final Engine engine;

    private FabricNode(NodeFabric fabric, Nic nic) {
        this.fabric = fabric;
        this.nic = nic;
        this.engine = nic.engine(0);
    }

    /**
     * Opens a NIC on a fabric.
     *
     * @param kind the fabric
     * @param mode who runs the engine
     */
    public static FabricNode open(FabricKind kind, EngineMode mode) {
        return open(kind, mode, LinkSecurity.NONE);
    }

    /**
     * Opens a NIC on a fabric.
     *
     * @param kind the fabric
     * @param mode who runs the engine
     * @param security of links over sockets
     */
    public static FabricNode open(FabricKind kind, EngineMode mode, LinkSecurity security) {
        return open(kind, new NicContext().mode(mode), security);
    }

    /**
     * Opens a NIC on a fabric.
     *
     * @param kind the fabric
     * @param given what the NIC is opened with, besides what the fabric needs; it is the NIC's from now on
     */
    public static FabricNode open(FabricKind kind, NicContext given) {
        return open(kind, given, LinkSecurity.NONE);
    }

    private static FabricNode open(FabricKind kind, NicContext given, LinkSecurity security) {
        NodeFabric fabric = fabric(kind, security);
        try {
            NicContext context = fabric.configure(given);
            Nic nic = Nic.open(context);
            fabric.bind(nic.engine(0).endpoint());
            return new FabricNode(fabric, nic);
        } catch (RuntimeException e) {
            fabric.close();
            throw e;
        }
    }

    private static NodeFabric fabric(FabricKind kind, LinkSecurity security) {
        switch (kind) {
            case LOCAL:
                return new LocalNodeFabric();
            case SHM:
                return new SharedMemoryNodeFabric();
            case NIO_TCP:
                return new SocketNodeFabric(SocketNodeFabric.transport(SocketNodeFabric.NIO), false);
            case URING_TCP:
                return new SocketNodeFabric(SocketNodeFabric.transport(SocketNodeFabric.IO_URING), false);
            case TLS_TCP:
                return new SocketNodeFabric(
                        SocketTransport.best(), false, new LinkSecurity(LocalTls.credentials(), null));
            default:
                return new SocketNodeFabric(SocketTransport.best(), kind == FabricKind.UDS, security);
        }
    }

    /** The NIC. */
    public Nic nic() {
        return nic;
    }

    /** Its only engine. */
    public Engine engine() {
        return engine;
    }

    /** Server: gets ready for a link. @return what the client needs to reach it */
    public String listen(InetAddress local) {
        return fabric.listen(local);
    }

    /** Client: asks for a link; it comes while the engine is driven. */
    public void connect(InetAddress host, String address, long timeoutNanos) {
        fabric.connect(host, address, timeoutNanos);
    }

    /**
     * Drives the engine until the link is up.
     *
     * @param idle called after each turn; throws when it has taken too long
     */
    public void awaitLink(long peerNic, Runnable idle) {
        while (!isLinked(peerNic)) {
            idle.run();
        }
    }

    /** Drives the engine once. @return whether the link is up */
    public boolean isLinked(long peerNic) {
        boolean[] up = new boolean[1];
        fabric.checkConnecting();
        drive();
        engine.call(() -> up[0] = engine.path(peerNic).isUp());
        return up[0];
    }

    /** Whether one-sided operations and appends reach the peer's memory without packets. */
    public boolean isDirect(long peerNic) {
        boolean[] direct = new boolean[1];
        engine.call(() -> {
            Path path = engine.path(peerNic);
            direct[0] = path.remoteKeys() != null;
        });
        return direct[0];
    }

    /** Runs a turn of the engine, where it has no thread of its own. @return the amount of work done */
    public int drive() {
        return engine.mode() == EngineMode.THREAD ? 0 : engine.doWork();
    }

    @Override
    public void close() {
        fabric.close();
        nic.close();
    }
}
