package io.verbena.nic;

import io.verbena.nic.memory.DeregisterResult;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryTable;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.Segment;
import io.verbena.nic.verbs.NicCounter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The regions and windows of one protection domain, and the memory behind them: {@link ProtectionDomain} says what its
 * methods promise.
 *
 * <p>A region covers a segment, which the NIC allocated, or memory of the caller. Several regions may cover the same
 * memory; a segment is given back with the last of its regions.
 *
 * <p>Under the NIC's lock.
 */
final class DomainMemory {
    private static final Logger LOG = LoggerFactory.getLogger(DomainMemory.class);

    private final Nic nic;
    private final int number; // of the protection domain
    private final PerformanceGroup group;

    // In the order of registration: regions are hashed by identity.
    private final Map<MemoryRegion, Segment> segments = new LinkedHashMap<>();
    private final Map<MemoryRegion, AtomicBuffer> registered = new LinkedHashMap<>(); // with all of the caller's memory

    /** Segments in which an initiator may be in the middle of an operation, under a key that is invalid now. */
    private final Set<Integer> setAside = new HashSet<>();

    private final List<MemoryWindow> windows = new ArrayList<>();
    private final LogRateLimiter reports = new LogRateLimiter();

    DomainMemory(Nic nic, int number, PerformanceGroup group) {
        this.nic = nic;
        this.number = number;
        this.group = group;
    }

    int regions() {
        return segments.size() + registered.size();
    }

    int windows() {
        return windows.size();
    }

    /**
     * Allocates a segment and makes a region of it.
     *
     * @return null if the group's limits do not allow it now
     * @throws MemoryExhaustedException if there is not enough memory, or the group's limit never allows as much
     */
    @Nullable
    MemoryRegion tryAllocate(int length, int access) {
        if (!group.mayHaveRegion()) {
            group.memory().refused();
            return null;
        }
        if (!table().hasRoom()) {
            group.giveBackIdleRegions(); // if that is not enough, what registers says so
        }
        if (!group.memory().tryReserve(length)) {
            if (length > group.memory().limit()) {
                throw group.memory().exhausted(length);
            }
            return null;
        }
        Segment segment = null;
        MemoryRegion region = null;
        try {
            segment = map(length);
            region = table().register(segment.buffer(), segment.id(), 0, length, access, number);
        } finally {
            if (region == null) {
                group.memory().adjust(-length);
                if (segment != null) {
                    nic.memory().release(segment);
                }
            }
        }
        group.memory().adjust(segment.buffer().capacity() - length);
        segments.put(region, segment);
        return region;
    }

    private Segment map(int length) {
        try {
            return nic.memory().allocate(length);
        } catch (MemoryExhaustedException e) {
            nic.count(NicCounter.MEMORY_EXHAUSTED);
            long leftOut = reports.ask(System.nanoTime());
            if (leftOut >= 0) {
                LOG.warn("{} gets no memory for {}: {} ({} such lines left out)", nic, group, e.getMessage(), leftOut);
            }
            throw e;
        }
    }

    /** Whether another region may be made now. */
    boolean mayRegister() {
        return group.mayHaveRegion() && (table().hasRoom() || (group.giveBackIdleRegions() && table().hasRoom()));
    }

    /** Makes a region of the caller's memory. */
    MemoryRegion register(AtomicBuffer buffer, int access) {
        group.checkRegions();
        MemoryRegion region = table().register(buffer, -1, 0, buffer.capacity(), access, number);
        registered.put(region, buffer);
        return region;
    }

    /** Makes another region of the memory of a region. */
    MemoryRegion register(MemoryRegion region, int access) {
        Segment segment = segments.get(region);
        AtomicBuffer own = registered.get(region);
        if (segment == null && own == null) {
            throw foreign(region);
        }
        group.checkRegions();
        MemoryRegion again = table().register(
                        region.buffer(), region.segmentId(), region.segmentOffset(), region.length(), access, number);
        keep(again, segment, own);
        return again;
    }

    private void keep(MemoryRegion region, @Nullable Segment segment, @Nullable AtomicBuffer own) {
        if (segment != null) {
            segments.put(region, segment);
        } else if (own != null) {
            registered.put(region, own);
        }
    }

    /** Invalidates a region's key, and gives its memory back if no other region covers it. */
    DeregisterResult deregister(MemoryRegion region) {
        Segment segment = segments.get(region);
        if (segment == null && !registered.containsKey(region)) {
            throw foreign(region);
        }
        DeregisterResult result = table().deregister(region);
        segments.remove(region);
        registered.remove(region);
        if (result == DeregisterResult.DONE && !nic.quiesce()) {
            result = DeregisterResult.BUSY; // an engine here may still copy
        }
        if (segment != null) {
            giveBack(segment, result);
        }
        return result;
    }

    /**
     * Removes a region of a segment. The segment is given back with the last one, unless an initiator may be in the
     * middle of an operation.
     */
    private void giveBack(Segment segment, DeregisterResult result) {
        if (result == DeregisterResult.BUSY) {
            setAside.add(segment.id());
        }
        if (regions(segment) == 0 && !setAside.remove(segment.id())) {
            group.memory().adjust(-segment.buffer().capacity());
            nic.memory().release(segment);
        }
    }

    private long regions(Segment segment) {
        return segments.values().stream()
                .filter(each -> each.id() == segment.id())
                .count();
    }

    /** Makes another region of a range of a region's memory, in this domain or another, in place of that one. */
    MemoryRegion reregister(MemoryRegion region, int access, DomainMemory to, long offset, long length) {
        Segment segment = segments.get(region);
        AtomicBuffer own = registered.get(region);
        AtomicBuffer whole = segment == null ? own : segment.buffer();
        if (whole == null) {
            throw foreign(region);
        }
        if (length < 1 || !MemoryRegion.contains(offset, length, whole.capacity())) {
            throw new IllegalArgumentException("range of " + length + " bytes at " + offset + " outside the memory of "
                    + whole.capacity() + " bytes");
        }
        if (segment != null && to != this && regions(segment) > 1) {
            throw new IllegalStateException(region + " is busy (EBUSY): its memory is registered more than once");
        }
        if (to.group != group) {
            to.group.checkRegions();
        }
        int moved = segment == null || to.group == group ? 0 : segment.buffer().capacity();
        to.group.memory().reserve(moved);
        MemoryRegion anew = null;
        try {
            anew = table().reregister(
                            region,
                            new UnsafeBuffer(whole, (int) offset, (int) length),
                            segment == null ? -1 : segment.id(),
                            segment == null ? 0 : offset,
                            length,
                            access,
                            to.number);
        } finally {
            (anew == null ? to : this).group.memory().adjust(-moved);
        }
        if (anew == null) {
            throw new IllegalStateException(region + " is busy (EBUSY): a peer is in the middle of an operation");
        }
        segments.remove(region);
        registered.remove(region);
        to.keep(anew, segment, own);
        nic.quiesce();
        return anew;
    }

    /** Where a region begins in the memory of which it was first made. */
    long offset(MemoryRegion region) {
        AtomicBuffer whole = registered.get(region); // one of a segment says so itself
        long slice = whole == null ? 0 : region.buffer().addressOffset() - whole.addressOffset();
        return region.segmentOffset() + slice;
    }

    MemoryWindow allocateWindow(MemoryWindow.Type type) {
        group.checkRegions();
        MemoryWindow window = table().allocateWindow(type, number);
        windows.add(window);
        return window;
    }

    void deallocate(MemoryWindow window) {
        if (!windows.remove(window)) {
            throw foreign(window);
        }
        table().deallocate(window);
    }

    void deallocateWindows() {
        List.copyOf(windows).forEach(this::deallocate);
    }

    void deregisterAll() {
        List.copyOf(segments.keySet()).forEach(this::deregister);
        List.copyOf(registered.keySet()).forEach(this::deregister);
    }

    private MemoryTable table() {
        return nic.regions();
    }

    private IllegalArgumentException foreign(Object what) {
        return new IllegalArgumentException(what + " is not of protection domain " + number);
    }
}
