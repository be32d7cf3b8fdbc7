package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * One of two groups whose waiting times are reported: large values in deep pipelines, or small commands, a few ahead.
 */
final class TenantPlayer extends AuditedPlayer {
    private static final int BULK_DEPTH = 64;
    private static final int SMALL_DEPTH = 4;
    private static final int MIN_BULK = 4096;
    private static final int SMALL_VALUE = 128;
    private static final int SLOTS = 8;
    private static final long MAX_BATCH = 16L << 20;

    private final boolean bulk;
    private final int largest;
    private final List<Slot> slots = new ArrayList<>();

    /**
     * Creates one.
     *
     * @param bulk which of the groups
     * @param share bytes that it may keep in the server
     */
    TenantPlayer(Run run, int id, boolean bulk, long share) {
        super(run, id, bulk ? "bulk" : "small", true);
        this.bulk = bulk;
        this.largest = (int) Math.max(MIN_BULK + 1, Math.min(run.context().maxValue(), share / SLOTS));
        for (int i = 0; i < SLOTS; i++) {
            slots.add(new Slot(run.prefix() + id, false, i, Kind.STRING));
        }
    }

    @Override
    List<Slot> slots() {
        return slots;
    }

    @Override
    void load() {
        Batch batch = new Batch();
        int depth = Math.min(run().context().maxDepth, 1 + random().nextInt(bulk ? BULK_DEPTH : SMALL_DEPTH));
        while (batch.size() < depth && batch.requestBytes() < MAX_BATCH && batch.replyBytes() < MAX_BATCH) {
            Slot slot = slots.get(random().nextInt(SLOTS));
            if (random().nextBoolean()) {
                int length = bulk
                        ? MIN_BULK + random().nextInt(largest - MIN_BULK)
                        : ValueContent.MIN_NAMED + random().nextInt(SMALL_VALUE);
                ValueContent value = value(slot.number(), slot.nextVersion(), length);
                batch.change(slot, "SET", () -> stored(slot, value), slot, value);
            } else {
                batch.add("GET", () -> Expected.bulk(slot.string()), slot).replies(bulk ? largest / 2 : SMALL_VALUE);
            }
        }
        send(batch);
    }

    private static Expected stored(Slot slot, ValueContent value) {
        slot.set(value);
        return Expected.ok();
    }
}
