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
        send(new Batch().add("WATCH", this::watch, run().prefix() + "none").add("PING", () -> Expected.status("PONG")));
    }

    private Expected watch() {
        return Expected.when("+OK or an error", reply -> {
            run().watchOffered(!reply.isError());
            return reply.isError() || reply.string().equals("OK");
        });
    }
}
