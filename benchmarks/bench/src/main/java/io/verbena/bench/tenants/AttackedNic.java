package io.verbena.bench.tenants;

import io.verbena.bench.path.WaitLimit;
import io.verbena.nic.NicContext;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.FabricNode;
import java.net.InetAddress;

/**
 * The NIC that peers attack, which another thread drives.
 *
 * @param fabric over which it is reached
 * @param nicId its identity
 * @param address where it listens
 */
record AttackedNic(FabricKind fabric, long nicId, String address) {
    private static final int LINK_SECONDS = 10;
    private static final long CONNECT_NANOS = 10_000_000_000L;

    /** A new peer with a link to it; for the thread that calls. */
    FabricNode peer() {
        FabricNode made = FabricNode.open(fabric, new NicContext().mode(EngineMode.INVOKER));
        try {
            connect(made);
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /** Links a peer to it, again if need be. */
    void connect(FabricNode peer) {
        peer.connect(InetAddress.getLoopbackAddress(), address, CONNECT_NANOS);
        peer.awaitLink(nicId, WaitLimit.ofSeconds(LINK_SECONDS, "link"));
    }
}
