package io.verbena.remote;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Direct buffers of the application's that are registered for its operations. A few stay registered after their
 * operations, those used last, so that a buffer that comes again costs only a lookup: as the registration caches of MPI
 * libraries and UCX. A buffer is known by identity and kept from the collector while it is here.
 *
 * <p>Any thread. The lock is not held while memory is registered or deregistered, which take the NIC's; under the NIC's
 * it may be taken.
 */
final class BufferRegistrations {
    /** Buffers that are registered at a time; the operations of others are copied. */
    static final int MAX_BUFFERS = 16;

    private final ProtectionDomain pd;
    private final BooleanSupplier giveBackUnused = this::giveBackUnused;

    // Under this.
    private final List<Registered> known = new ArrayList<>(MAX_BUFFERS); // the one used last at the end
    private final ArrayDeque<Use> spare = new ArrayDeque<>();
    private boolean closed;

    BufferRegistrations(ProtectionDomain pd) {
        this.pd = pd;
        pd.group().addIdleRegions(giveBackUnused);
    }

    /** A buffer that is registered. */
    private static final class Registered {
        final ByteBuffer bytes;
        final MemoryRegion region;
        int uses;

        Registered(ByteBuffer bytes, MemoryRegion region) {
            this.bytes = bytes;
            this.region = region;
        }
    }

    /** An operation on a registered buffer, which its end gives back before the application is told. */
    final class Use implements OperationHandler {
        private @Nullable Registered buffer;
        private @Nullable OperationHandler handler;

        /** The local key of the buffer's memory, whose first byte is the buffer's. */
        int key() {
            Registered own = buffer;
            if (own == null) {
                throw new IllegalStateException("the operation has ended");
            }
            return own.region.key();
        }

        @Override
        public void onOperation(long correlationId, Outcome outcome, long value) {
            OperationHandler told = handler;
            end();
            if (told != null) {
                told.onOperation(correlationId, outcome, value);
            }
        }

        /** The operation has ended, or was not taken. */
        void end() {
            Registered own = buffer;
            buffer = null;
            handler = null;
            if (own != null) {
                release(own, this);
            }
        }
    }

    /**
     * Registers a buffer, unless it is registered.
     *
     * @param handler of the operation that uses it
     * @return null if it cannot be: as many others are in use, or the tenant may have no more regions
     */
    @Nullable
    Use acquire(ByteBuffer bytes, OperationHandler handler) {
        Registered victim = null;
        synchronized (this) {
            Registered found = find(bytes);
            if (found != null) {
                return use(found, handler);
            }
            if (closed) {
                return null;
            }
            if (known.size() == MAX_BUFFERS) {
                victim = removeUnused();
                if (victim == null) {
                    return null;
                }
            }
        }
        if (victim != null) {
            pd.deregister(victim.region);
        }
        MemoryRegion region = pd.tryRegister(bytes.duplicate().clear(), Access.LOCAL_WRITE);
        return region == null ? null : add(new Registered(bytes, region), handler);
    }

    /** Deregisters those that no operation uses: the tenant needs room. Returns whether there were any. */
    private boolean giveBackUnused() {
        List<Registered> unused = new ArrayList<>();
        synchronized (this) {
            for (Registered victim = removeUnused(); victim != null; victim = removeUnused()) {
                unused.add(victim);
            }
        }
        unused.forEach(each -> pd.deregister(each.region));
        return !unused.isEmpty();
    }

    /** By identity: buffers with the same content are equal. The one found is the one used last from now on. */
    @SuppressWarnings("ReferenceEquality")
    private @Nullable Registered find(ByteBuffer bytes) {
        for (int i = known.size() - 1; i >= 0; i--) {
            if (known.get(i).bytes == bytes) {
                Registered found = known.remove(i);
                known.add(found);
                return found;
            }
        }
        return null;
    }

    private @Nullable Registered removeUnused() {
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).uses == 0) {
                return known.remove(i);
            }
        }
        return null;
    }

    private @Nullable Use add(Registered made, OperationHandler handler) {
        synchronized (this) {
            if (!closed && known.size() < MAX_BUFFERS) {
                known.add(made);
                return use(made, handler);
            }
        }
        pd.deregister(made.region); // another thread won the race
        return null;
    }

    /** Under this. */
    private Use use(Registered buffer, OperationHandler handler) {
        buffer.uses++;
        Use use = spare.isEmpty() ? new Use() : spare.pop();
        use.buffer = buffer;
        use.handler = handler;
        return use;
    }

    private synchronized void release(Registered buffer, Use use) {
        buffer.uses--;
        spare.push(use);
    }

    /** Deregisters all, also those of operations whose end nobody was told yet: the queue pair is gone. */
    void close() {
        pd.group().removeIdleRegions(giveBackUnused);
        List<Registered> last;
        synchronized (this) {
            closed = true;
            last = List.copyOf(known);
            known.clear();
        }
        last.forEach(each -> pd.deregister(each.region));
    }
}
