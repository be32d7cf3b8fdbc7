package io.verbena.tier;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The address space: its blocks, of which those exist that were written, and what they share. Thread-safe. */
final class Space {
    private final Geometry geometry;
    private final Frames frames;
    private final Stores stores;
    private final Counters counters = new Counters();
    private final AtomicReferenceArray<Block> blocks;

    Space(Geometry geometry, Frames frames, Stores stores) {
        this.geometry = geometry;
        this.frames = frames;
        this.stores = stores;
        this.blocks = new AtomicReferenceArray<>(geometry.blocks);
    }

    Geometry geometry() {
        return geometry;
    }

    Frames frames() {
        return frames;
    }

    Stores stores() {
        return stores;
    }

    Counters counters() {
        return counters;
    }

    /** A block; null if nothing of it was ever written. */
    @Nullable
    Block find(int number) {
        return blocks.get(number);
    }

    /** A block, which exists from now on. */
    Block get(int number) {
        Block known = blocks.get(number);
        if (known != null) {
            return known;
        }
        Block made = new Block(number, this);
        Block other = blocks.compareAndExchange(number, null, made);
        return other == null ? made : other;
    }
}
