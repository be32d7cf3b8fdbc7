package io.verbena.verification.simulate;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.SimNode;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * The regions of a host's application, of one life, and what lies where in them, with guards between that nobody may
 * write.
 *
 * <pre>
 *   local    [guard | sends of end 0 | receives of end 0 | sends of end 1 | ... | shared receives]
 *            slots, a guard behind each
 *   target   [counter of all | guard | slice of end 0 | guard | slice of end 1 | guard | ...]
 * </pre>
 */
final class HostMemory {
    /** Bytes at the start of the target region: a counter that all channels add to. */
    private static final int SHARED = 64;

    private static final int OTHER = 4096;

    private final SimNode node;
    private final int places;
    private final int slot;
    private final ProtectionDomain pd;
    private final MemoryRegion readOnly;
    private final MemoryRegion other;
    private MemoryRegion local;
    private MemoryRegion target;

    /**
     * Allocates and registers it.
     *
     * @param places ends that have memory here
     * @param slot bytes of a slot of the local region
     */
    HostMemory(SimNode node, int places, int slot) {
        this.node = node;
        this.places = places;
        this.slot = slot;
        pd = node.nic().allocateProtectionDomain();
        ProtectionDomain otherPd = node.nic().allocateProtectionDomain();
        local = pd.allocate(sharedSlot(SharedReceives.SLOTS), Access.LOCAL_WRITE);
        target = pd.allocate(slice(places), Access.ALL | Access.MW_BIND);
        Pattern.guard(local.buffer(), 0, (int) local.length());
        Pattern.guard(target.buffer(), SHARED, PairEnd.GUARD);
        for (int i = 0; i < places; i++) {
            Pattern.guard(target.buffer(), slice(i) + DirectionModel.SLICE, PairEnd.GUARD);
        }
        readOnly = pd.allocate(OTHER, Access.REMOTE_READ);
        other = otherPd.allocate(OTHER, Access.ALL);
    }

    // ---- what lies where ---------------------------------------------------------------------------------------

    /** Bytes from one slot of the local region to the next. */
    int stride() {
        return slot + PairEnd.GUARD;
    }

    /** Offset in the local region of what an end uses. */
    int base(int place) {
        return PairEnd.GUARD + place * 2 * PairEnd.SLOTS * stride();
    }

    /** Offset in the local region of a slot that shared receives use; behind those of the ends. */
    int sharedSlot(int index) {
        return base(places) + index * stride();
    }

    /** Offset in the target region of what the requests of an end's peer change. */
    static int slice(int place) {
        return SHARED + PairEnd.GUARD + place * (DirectionModel.SLICE + PairEnd.GUARD);
    }

    // ---- regions -----------------------------------------------------------------------------------------------

    ProtectionDomain pd() {
        return pd;
    }

    AtomicBuffer local() {
        return local.buffer();
    }

    int localKey() {
        return local.key();
    }

    AtomicBuffer target() {
        return target.buffer();
    }

    MemoryRegion targetRegion() {
        return target;
    }

    MemoryRegion readOnlyRegion() {
        return readOnly;
    }

    int targetKey() {
        return target.key();
    }

    int readOnlyKey() {
        return readOnly.key();
    }

    /** Key of a region of another protection domain. */
    int otherKey() {
        return other.key();
    }

    /**
     * Registers the local region anew while it is in use: its key is another from here on. @return false if the host
     * died
     */
    boolean moveLocal() {
        MemoryRegion[] region = {local};
        boolean moved = reregister(region);
        local = region[0];
        return moved;
    }

    /**
     * The same with the region that the peers reach.
     *
     * @throws IllegalStateException if a window is bound to it
     */
    boolean moveTarget() {
        MemoryRegion[] region = {target};
        boolean moved = reregister(region);
        target = region[0];
        return moved;
    }

    private boolean reregister(MemoryRegion[] region) {
        return node.act(() -> region[0] = pd.reregister(region[0], region[0].access()));
    }

    // ---- what nobody may write ---------------------------------------------------------------------------------

    /** Looks at all guards, and at the regions that nobody may write to. */
    void check() {
        untouched("local region", local.buffer(), 0, PairEnd.GUARD);
        for (int i = 0; i < places * 2 * PairEnd.SLOTS + SharedReceives.SLOTS; i++) {
            untouched("local region", local.buffer(), PairEnd.GUARD + i * stride() + slot, PairEnd.GUARD);
        }
        untouched("target region", target.buffer(), SHARED, PairEnd.GUARD);
        for (int i = 0; i < places; i++) {
            untouched("target region", target.buffer(), slice(i) + DirectionModel.SLICE, PairEnd.GUARD);
        }
        for (int i = 0; i < OTHER; i++) {
            if (readOnly.buffer().getByte(i) != 0 || other.buffer().getByte(i) != 0) {
                throw new WalkFailure(
                        node.name() + ": byte " + i + " of a region that nobody may write to was written");
            }
        }
    }

    private void untouched(String what, DirectBuffer b, int offset, int length) {
        int at = Pattern.unguarded(b, offset, length);
        if (at >= 0) {
            throw new WalkFailure(
                    node.name() + ": byte " + (offset + at) + " of the " + what + ", a guard, was written");
        }
    }
}
