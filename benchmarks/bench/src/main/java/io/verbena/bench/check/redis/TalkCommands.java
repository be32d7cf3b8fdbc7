package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Slot.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Commands about the conversation: echoes, mistakes, other databases, transactions. */
final class TalkCommands {
    private static final int QUEUED = 8;

    private final Player player;
    private final PlayerKeys keys;
    private final SplittableRandom random;

    TalkCommands(Player player, PlayerKeys keys) {
        this.player = player;
        this.keys = keys;
        this.random = player.random();
    }

    /** Adds one that may stand anywhere, in a transaction too. */
    void add(Batch batch) {
        Slot slot = keys.any();
        ValueContent text = keys.element(slot);
        if (random.nextInt(3) == 0) {
            batch.add("PING", () -> Expected.status("PONG"));
        } else {
            batch.add(random.nextBoolean() ? "ECHO" : "PING", () -> Expected.bulk(text), text);
        }
    }

    /** Adds a command that must be refused. */
    void addMistake(Batch batch) {
        switch (random.nextInt(4)) {
            case 0 -> batch.add("NOSUCHCOMMAND", () -> Expected.error("ERR unknown command"), "x");
            case 1 -> batch.add("GET", () -> Expected.error("ERR wrong number of arguments"));
            case 2 ->
                batch.add("SET", () -> Expected.error("ERR syntax error"), keys.any(Kind.STRING), "v", "NONSENSE");
            default -> batch.add("EXEC", () -> Expected.error("ERR EXEC without MULTI"));
        }
    }

    /** Adds a look into another database, where the player's keys are not. */
    void addVisit(Batch batch) {
        Slot slot = keys.any();
        batch.add("SELECT", Expected::ok, Player.DATABASES + random.nextInt(Player.DATABASES));
        batch.add("EXISTS", () -> Expected.integer(0), slot);
        batch.add("SELECT", Expected::ok, player.database());
    }

    /** Adds a transaction of commands that another makes. */
    void addTransaction(Batch batch, Consumer<Batch> commands) {
        keys.onlyTagged(true);
        Slot watched = keys.any(Kind.STRING);
        int kind = random.nextInt(10);
        boolean broken = false;
        if (kind < 3 && player.run().isWatchOffered()) {
            batch.add("WATCH", Expected::ok, watched);
            if (kind == 0) {
                ValueContent value = keys.element(watched);
                batch.change(watched, "SET", () -> stored(watched, value), watched, value);
                broken = true;
            }
        }
        Batch inner = new Batch();
        int count = 1 + random.nextInt(QUEUED);
        while (inner.size() < count) {
            commands.accept(inner);
        }
        keys.onlyTagged(false);
        batch.add("MULTI", Expected::ok);
        Set<Slot> changed = new LinkedHashSet<>();
        for (PlayerRequest each : inner.requests()) {
            batch.add(each.command(), () -> Expected.status("QUEUED"), each.arguments());
            changed.addAll(each.changed());
        }
        batch.replies(inner.replyBytes());
        if (kind == 9) {
            batch.add("DISCARD", Expected::ok);
        } else if (kind == 8) {
            batch.add("NOSUCHCOMMAND", () -> Expected.error("ERR unknown command"));
            batch.add("EXEC", () -> Expected.error("EXECABORT"));
        } else if (broken) {
            batch.add("EXEC", Expected::nil);
        } else {
            batch.change(List.copyOf(changed), "EXEC", () -> executed(inner.requests()));
        }
    }

    private static Expected stored(Slot slot, ValueContent value) {
        slot.set(value);
        return Expected.ok();
    }

    private static Expected executed(List<PlayerRequest> requests) {
        List<Expected> replies = new ArrayList<>();
        for (PlayerRequest each : requests) {
            replies.add(each.outcome().apply());
        }
        return Expected.array(replies);
    }
}
