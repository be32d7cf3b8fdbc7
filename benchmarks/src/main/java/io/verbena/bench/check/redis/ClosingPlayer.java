package io.verbena.bench.check.redis;

/** Looks, when all others are done, at what was shared, removes it, and counts what is left. */
final class ClosingPlayer extends Player {
    private final Shared shared;
    private int step;

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
        switch (step++) {
            case 0 -> {
                shared.registers().forEach(SharedRegister::judgeLast);
                send(look());
            }
            case 1 -> send(remove());
            case 2 -> send(count());
            default -> finish();
        }
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
        long most = run().context().own() ? 0 : Long.MAX_VALUE;
        for (int i = 0; i < 2 * DATABASES; i++) {
            batch.add("SELECT", Expected::ok, i);
            batch.add("DBSIZE", () -> Expected.between(0, most));
        }
        return batch;
    }
}
