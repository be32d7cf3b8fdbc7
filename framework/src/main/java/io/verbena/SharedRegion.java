package io.verbena;

import io.verbena.nic.memory.MemoryRegion;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Memory of this node that peers read, write and change atomically without this node's help. Peers {@linkplain
 * Node#attach attach} to it by name.
 *
 * <p>Thread-safe. Its bytes change under the reader: what must hold together needs a protocol, such as a version before
 * and after.
 */
public final class SharedRegion implements AutoCloseable {
    private final Node node;
    private final Tenant tenant;
    private final String name;
    private final MemoryRegion region;
    private boolean closed;

    SharedRegion(Node node, Tenant tenant, String name, MemoryRegion region) {
        this.node = node;
        this.tenant = tenant;
        this.name = name;
        this.region = region;
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

    /** Refuses a range that a tenant's own operations may not use. */
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

    int key() {
        return region.key();
    }

    /** Takes it back: operations of peers fail from here on, and their regions close with REFUSED. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        node.forget(this, region);
    }

    @Override
    public String toString() {
        return "region '" + name + "' of " + node;
    }
}
