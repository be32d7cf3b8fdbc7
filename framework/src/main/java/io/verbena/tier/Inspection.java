package io.verbena.tier;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at each block of a memory, and says what it found. */
final class Inspection {
    private Inspection() {}

    static PagedStatistics statistics(Space space, List<PeerStore> peers) {
        Geometry geometry = space.geometry();
        Counters counters = space.counters();
        long single = 0;
        for (int i = 0; i < geometry.blocks; i++) {
            Block block = space.find(i);
            if (block != null) {
                single += block.isSingle() ? 1 : 0;
            }
        }
        List<PagedPeer> states = new ArrayList<>();
        long remote = 0;
        for (PeerStore each : peers) {
            long bytes = each.taken() * geometry.blockLength;
            boolean alive = each.isAlive();
            remote += alive ? bytes : 0;
            states.add(new PagedPeer(each.address(), alive, bytes, each.blocks() * geometry.blockLength));
        }
        FileStore file = space.stores().file();
        return new PagedStatistics(
                counters.hits.sum(),
                counters.faults.sum(),
                counters.evictions.sum(),
                counters.writeBacks.sum(),
                counters.readAhead.sum(),
                counters.readAheadUsed.sum(),
                counters.resident.sum(),
                counters.dirty.sum(),
                counters.lost.sum(),
                single,
                remote,
                file == null ? 0 : file.taken() * geometry.blockLength,
                List.copyOf(states));
    }

    static List<LostRange> lost(Space space) {
        Geometry geometry = space.geometry();
        List<LostRange> ranges = new ArrayList<>();
        for (int i = 0; i < geometry.blocks; i++) {
            Block block = space.find(i);
            if (block != null) {
                block.check();
                for (int page = 0; page < geometry.pagesPerBlock; page++) {
                    long offset = geometry.offset(geometry.page(i, page));
                    addLost(ranges, offset, geometry.pageLength, block.lostWith(page));
                }
            }
        }
        return ranges;
    }

    private static void addLost(List<LostRange> ranges, long offset, int length, @Nullable Store store) {
        if (store == null) {
            return;
        }
        LostRange last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
        if (last != null
                && last.offset() + last.length() == offset
                && last.peer().equals(store.toString())) {
            ranges.set(ranges.size() - 1, new LostRange(last.offset(), last.length() + length, last.peer()));
        } else {
            ranges.add(new LostRange(offset, length, store.toString()));
        }
    }
}
