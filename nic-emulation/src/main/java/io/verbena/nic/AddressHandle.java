package io.verbena.nic;

import io.verbena.nic.port.NicId;
import io.verbena.nic.transport.AddressTable;

/**
 * The destination of datagrams ({@code ibv_create_ah(3)}): a peer NIC. Belongs to a protection domain and works with
 * that domain's queue pairs. Immutable; thread-safe.
 */
public final class AddressHandle implements AutoCloseable {
    private final ProtectionDomain pd;
    private final AddressTable table;
    private final int key;
    private final long peerNic;

    AddressHandle(ProtectionDomain pd, AddressTable table, long peerNic) {
        this.pd = pd;
        this.table = table;
        this.peerNic = peerNic;
        this.key = table.add(peerNic, pd.number());
    }

    /** Identity of the NIC that it leads to. */
    public long peerNic() {
        return peerNic;
    }

    int key() {
        return key;
    }

    /** Destroys it: requests that name it and have not been sent end in LOC_QP_OP_ERR. Idempotent. */
    @Override
    public void close() {
        synchronized (pd.nic()) {
            if (pd.forget(this)) {
                table.remove(key);
            }
        }
    }

    @Override
    public String toString() {
        return "address handle of NIC " + NicId.text(peerNic);
    }
}
