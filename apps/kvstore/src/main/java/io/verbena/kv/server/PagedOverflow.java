package io.verbena.kv.server;

import io.verbena.kv.store.OverflowException;
import io.verbena.kv.store.OverflowFullException;
import io.verbena.kv.store.OverflowMemory;
import io.verbena.tier.NoRoomException;
import io.verbena.tier.PageLostException;
import io.verbena.tier.PagedMemory;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Values of shards in a {@link PagedMemory}, which all shards of a server share. Thread-safe. */
final class PagedOverflow implements OverflowMemory {
    private final PagedMemory memory;

    PagedOverflow(PagedMemory memory) {
        this.memory = memory;
    }

    @Override
    public boolean tryRead(long offset, MutableDirectBuffer target, int index, int length) {
        try {
            return memory.tryRead(offset, target, index, length);
        } catch (PageLostException e) {
            throw lost(e);
        }
    }

    @Override
    public boolean tryWrite(long offset, DirectBuffer source, int index, int length) {
        try {
            return memory.tryWrite(offset, source, index, length);
        } catch (PageLostException e) {
            throw lost(e);
        } catch (NoRoomException e) {
            throw new OverflowFullException(String.valueOf(e.getMessage()));
        }
    }

    private static OverflowException lost(PageLostException e) {
        return new OverflowException("the value is lost with " + e.peer() + ", which alone had it");
    }

    @Override
    public void discard(long offset, int length) {
        memory.discard(offset, length);
    }
}
