package io.verbena.bench.check.redis;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Looks, when all others are done, at what was shared, removes it, and counts what is left: keys, and memory. */
final class ClosingPlayer extends Player {
    /** Tables that are still to shrink, and the like. */
    private static final long SPARE = 512 << 10;

    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);
    private static final double PAUSE = 0.05;

    private final Shared shared;
    private int step;
    private long memory = Long.MAX_VALUE;
    private long until;

    ClosingPlayer(Run run, int id, Shared shared) {
        super(run, id, "closing", false);
        this.shared = shared;
    }

    @Override
    int database() {
        return Shared.DATABASE;
    }

    @Override
    void next() {
        switch (step) {
            case 0 -> {
                shared.registers().forEach(SharedRegister::judgeLast);
                step = 1;
                send(look());
            }
            case 1 -> {
                step = 2;
                send(remove());
            }
            case 2 -> {
                step = 3;
                send(count());
            }
            default -> lookAtMemory();
        }
    }

    /** What values and clients took is given back, perhaps a little later. */
    private void lookAtMemory() {
        long before = run().memoryBefore();
        long now = System.nanoTime();
        if (before == Run.UNKNOWN || memory <= before + SPARE) {
            finish();
        } else if (step++ % 2 != 0) {
            until = until == 0 ? now + Math.min(PATIENCE, run().context().stallNanos()) : until;
            send(new Batch().add("INFO", this::memory, "memory"));
        } else if (now - until < 0) {
            wait(PAUSE);
        } else {
            run().fail(String.format(
                    Locale.ROOT,
                    "memory not given back%n  used_memory %,d before the load, %,d when all keys were removed",
                    before,
                    memory));
        }
    }

    private Expected memory() {
        return Expected.when("used_memory", reply -> {
            memory = Run.usedMemory(reply);
            return memory != Run.UNKNOWN;
        });
    }

    private Batch look() {
        Batch batch = new Batch();
        for (SharedCounter each : shared.counters()) {
            batch.add("GET", each::last, each.key());
        }
        for (SharedBag each : shared.bags()) {
            if (each.isOrdered()) {
                batch.add("LRANGE", each::last, each.key(), 0, -1);
            } else {
                batch.add("SMEMBERS", each::last, each.key());
            }
        }
        return batch.add("PING", () -> Expected.status("PONG"));
    }

    private Batch remove() {
        Batch batch = new Batch();
        for (SharedCounter each : shared.counters()) {
            batch.add("DEL", () -> Expected.between(0, 1), each.key());
        }
        for (SharedBag each : shared.bags()) {
            batch.add("DEL", () -> Expected.between(0, 1), each.key());
        }
        for (SharedRegister register : shared.registers()) {
            for (String key : register.keys()) {
                batch.add("DEL", () -> Expected.between(0, 1), key);
            }
        }
        return batch.add("PING", () -> Expected.status("PONG"));
    }

    /** A server that nobody else uses is empty now. */
    private Batch count() {
        Batch batch = new Batch();
        long most = run().context().own ? 0 : Long.MAX_VALUE;
        for (int i = 0; i < 2 * DATABASES; i++) {
            batch.add("SELECT", Expected::ok, i);
            batch.add("DBSIZE", () -> Expected.between(0, most));
        }
        return batch;
    }
}
