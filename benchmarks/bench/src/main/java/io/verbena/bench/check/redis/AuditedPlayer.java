package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * A player with keys of its own, which it reads back over a fresh connection when the load is over, and then removes.
 *
 * <p>A death leaves keys in doubt that unanswered commands would have changed. Such a key is given up for another,
 * since the server may execute what it has read at any later time; in the end it must hold one of the values that it
 * can have.
 */
abstract class AuditedPlayer extends Player {
    private enum Stage {
        LOAD,
        READ,
        REMOVE,
        OVER
    }

    private final List<Doubt> doubts = new ArrayList<>();
    private Stage stage = Stage.LOAD;

    AuditedPlayer(Run run, int id, String group, boolean timed) {
        super(run, id, group, timed);
    }

    /** Nothing is outstanding, and the load goes on. */
    abstract void load();

    /** The player's keys. */
    abstract List<Slot> slots();

    @Override
    final void next() {
        switch (stage) {
            case LOAD -> {
                if (run().isEnding()) {
                    stage = Stage.READ;
                    reconnect();
                } else {
                    load();
                }
            }
            case READ -> {
                stage = Stage.REMOVE;
                send(readAll());
            }
            case REMOVE -> {
                stage = Stage.OVER;
                send(removeAll());
            }
            default -> finish();
        }
    }

    @Override
    final void lost(List<PlayerRequest> inDoubt) {
        doubts.addAll(Doubt.of(inDoubt));
    }

    final int doubts() {
        return doubts.size();
    }

    private Batch readAll() {
        Batch batch = new Batch();
        for (Slot slot : slots()) {
            Readings.add(batch, slot, slot.name(), () -> Readings.of(slot));
            batch.add("TTL", () -> KeyCommands.left(slot, 1), slot);
        }
        for (Doubt doubt : doubts) {
            Readings.add(batch, doubt.slot(), doubt.name(), doubt::expected);
        }
        long own = slots().stream().filter(Slot::exists).count();
        return batch.add("DBSIZE", () -> Expected.between(own, Long.MAX_VALUE));
    }

    private Batch removeAll() {
        Batch batch = new Batch();
        for (Slot slot : slots()) {
            boolean exists = slot.exists();
            batch.add("DEL", () -> Expected.integer(exists ? 1 : 0), slot);
        }
        for (Doubt doubt : doubts) {
            batch.add("DEL", () -> Expected.between(0, 1), doubt.name());
        }
        return batch.add("PING", () -> Expected.status("PONG"));
    }
}
