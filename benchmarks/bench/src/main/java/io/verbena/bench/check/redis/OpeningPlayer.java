package io.verbena.bench.check.redis;

/** Asks, before all others begin, what the server offers. */
final class OpeningPlayer extends Player {
    private boolean asked;

    OpeningPlayer(Run run, int id) {
        super(run, id, "opening", false);
    }

    @Override
    void next() {
        if (asked) {
            finish();
            return;
        }
        asked = true;
        Batch batch = new Batch().add("WATCH", this::watch, run().prefix() + "none");
        if (run().context().own) {
            batch.add("INFO", this::memory, "memory");
        }
        send(batch.add("PING", () -> Expected.status("PONG")));
    }

    private Expected memory() {
        return Expected.when("used_memory or an error", reply -> {
            run().memoryBefore(Run.usedMemory(reply));
            return true;
        });
    }

    private Expected watch() {
        return Expected.when("+OK or an error", reply -> {
            run().watchOffered(!reply.isError());
            return reply.isError() || reply.string().equals("OK");
        });
    }
}
