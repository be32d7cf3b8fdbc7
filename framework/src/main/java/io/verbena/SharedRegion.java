package io.verbena;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Memory of this node that peers read, write and change atomically, without running code of this node's application.
 * Peers {@linkplain Node#attach attach} to it by name.
 *
 * <p>Thread-safe. Its bytes change under the reader: data that must be consistent needs a protocol, such as a version
 * before and after it.
 */
public final class SharedRegion implements AutoCloseable {
    private final Node node;
    private final Tenant tenant;
    private final String name;
    private final MemoryRegion region;
    private final int grantable;
    private final Map<Integer, MemoryRegion> byAccess = new HashMap<>(); // what peers are given a key of; under this
    private boolean closed;

    SharedRegion(Node node, Tenant tenant, String name, MemoryRegion region, int grantable) {
        this.node = node;
        this.tenant = tenant;
        this.name = name;
        this.region = region;
        this.grantable = grantable;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Its bytes; a remote offset is an index here. */
    public AtomicBuffer buffer() {
        return region.buffer();
    }

    /** Bytes. */
    public long length() {
        return region.length();
    }

    /** Refuses a range that is not within the region. */
    void checkOwned(Tenant user, long offset, int bytes) {
        if (user != tenant) {
            throw new IllegalArgumentException(this + " is not of " + user + ", whose operation would use it");
        }
        if (!MemoryRegion.contains(offset, bytes, region.length())) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + " + length " + bytes + " leaves " + this + " of length " + region.length());
        }
    }

    Tenant tenant() {
        return tenant;
    }

    /** What peers may be granted, of {@link Access#REMOTE}. */
    int grantable() {
        return grantable;
    }

    /** The key for the tenant's own operations, which no peer gets. */
    int localKey() {
        return region.key();
    }

    /**
     * The key under which a peer has these rights to the region, and no others.
     *
     * @param rights of {@link Access#REMOTE}
     * @throws IllegalStateException if it is closed, or the node has as many keys as it may have
     */
    synchronized int key(int rights) {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        MemoryRegion known = byAccess.get(rights);
        if (known == null) {
            known = tenant.pd().register(region, Access.LOCAL_WRITE | rights);
            byAccess.put(rights, known);
        }
        return known.key();
    }

    /** Takes it back: operations of peers fail from now on, and their regions close with REFUSED. Idempotent. */
    @Override
    public void close() {
        List<MemoryRegion> all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = new ArrayList<>(byAccess.values());
        }
        all.add(region);
        node.openings().forget(this, all);
    }

    @Override
    public String toString() {
        return "region '" + name + "' of " + node;
    }
}
