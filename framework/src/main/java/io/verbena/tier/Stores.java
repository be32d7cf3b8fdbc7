package io.verbena.tier;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All stores of a memory, and which of them gets a block: the peers with the most room, in turn where several have as
 * much, and the file if no peer has any. Thread-safe.
 */
final class Stores {
    private final Geometry geometry;
    private final List<Store> peers;
    private final @Nullable FileStore file;
    private final int replicas;
    private int turn; // under this

    Stores(Geometry geometry, List<? extends Store> peers, @Nullable FileStore file, int replicas) {
        this.geometry = geometry;
        this.peers = List.copyOf(peers);
        this.file = file;
        this.replicas = replicas;
    }

    @Nullable
    FileStore file() {
        return file;
    }

    /** How many replicas a block should have. */
    int replicas() {
        return replicas;
    }

    Store get(int number) {
        if (number < peers.size()) {
            return peers.get(number);
        }
        if (file == null) {
            throw new IllegalArgumentException("store " + number + " of " + peers.size());
        }
        return file;
    }

    /** Adds replicas to those that a block has, as far as there is room. @return the old and the new ones */
    synchronized List<Replica> complete(List<Replica> old) {
        List<Replica> all = new ArrayList<>(old);
        for (Store best = roomiest(all); best != null && all.size() < replicas; best = roomiest(all)) {
            Replica next = at(best);
            if (next != null) { // else it has just died, and has no room now
                all.add(next);
            }
        }
        Replica last = all.isEmpty() ? at(file) : null;
        if (last != null) {
            all.add(last);
        }
        return List.copyOf(all);
    }

    private @Nullable Replica at(@Nullable Store store) {
        long block = store == null ? Store.NONE : store.take();
        return store == null || block == Store.NONE ? null : new Replica(store, block, geometry);
    }

    private @Nullable Store roomiest(List<Replica> others) {
        Store best = null;
        turn = (turn + 1) % peers.size();
        for (int i = 0; i < peers.size(); i++) {
            Store each = peers.get((turn + i) % peers.size());
            boolean isUsed = others.stream().anyMatch(other -> other.store == each);
            if (!isUsed && each.room() > (best == null ? 0 : best.room())) {
                best = each;
            }
        }
        return best;
    }

    /** The number of peers. */
    int peers() {
        return peers.size();
    }

    /** The number of peers that are alive. */
    int living() {
        return (int) peers.stream().filter(Store::isAlive).count();
    }

    /** Why there may be no room, for texts. */
    String rooms() {
        StringBuilder text = new StringBuilder();
        for (Store peer : peers) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(peer)
                    .append(peer.isAlive() ? " has room for " + peer.room() + " blocks" : " is lost");
        }
        return text.append(file == null ? ", and there is no file" : ", and " + file)
                .toString();
    }
}
