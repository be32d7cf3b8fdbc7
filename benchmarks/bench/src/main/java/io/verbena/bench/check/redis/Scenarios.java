package io.verbena.bench.check.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The scenarios. Static. */
final class Scenarios {
    private static final int ALL = Integer.MAX_VALUE;
    private static final int MIB = 1 << 20;
    private static final int COLD = 12;
    private static final double TICK = 0.05;

    private final Run run;

    private Scenarios(Run run) {
        this.run = run;
    }

    /** Those that make sense with a run's settings. */
    static List<Scenario> of(Run run) {
        List<Scenario> all = new Scenarios(run).list();
        List<String> wanted = run.context().scenarios;
        for (String each : wanted) {
            if (all.stream().noneMatch(scenario -> scenario.name().equals(each))) {
                throw new IllegalArgumentException("no scenario '" + each + "', there are "
                        + all.stream().map(Scenario::name).toList());
            }
        }
        return wanted.isEmpty()
                ? all
                : all.stream().filter(each -> wanted.contains(each.name())).toList();
    }

    private List<Scenario> list() {
        List<Scenario> list = new ArrayList<>();
        list.add(Scenario.uniform(
                "get-own-100-deep", ALL, 6, (player, rank, round) -> ownGets(player, round, deep(100))));
        list.add(Scenario.uniform(
                "set-100-bytes-100-deep",
                ALL,
                8,
                (player, rank, round) -> round % 2 == 0 ? sets(player, deep(100), 100) : gets(player, deep(100))));
        list.add(Scenario.uniform("incr-1000-deep", ALL, 3, (player, rank, round) -> increments(player, deep(1000))));
        for (int each : List.of(4096, 16384, 65536)) {
            int size = Math.min(each, run.context().maxValue());
            list.add(Scenario.uniform(
                    "set-" + each + "-16-deep",
                    ALL,
                    4,
                    (player, rank, round) -> round % 2 == 0 ? sets(player, deep(16), size) : gets(player, deep(16))));
        }
        list.add(Scenario.uniform("set-1-mib-16-deep", clientsOf(megabyte()), 3, this::megabytes));
        // Longer than a message: one that a server has read whole at once, and one that it has not.
        for (int each : List.of(160 << 10, MIB)) {
            int size = Math.min(each, run.context().maxValue());
            list.add(Scenario.uniform(
                    "overwrite-" + each + "-8-deep",
                    clientsOf(size),
                    3,
                    (player, rank, round) -> overwrites(player, round, size)));
        }
        list.add(new Scenario("cut-1-mib", clientsOf(megabyte()), 1, this::cuts));
        list.add(Scenario.uniform("large-arguments", Math.min(2, clientsOf(megabyte())), 4, this::largeArguments));
        list.add(new Scenario("large-beside-small", 2, 1, this::largeBesideSmall));
        list.add(Scenario.uniform("pipe", 2, 3, (player, rank, round) -> pipe(player)));
        list.add(Scenario.uniform("unread-gets", 1, 2, this::unread));
        list.add(new Scenario("cold", COLD, 4, Scenarios::cold));
        return list;
    }

    private int deep(int depth) {
        return Math.min(depth, run.context().maxDepth);
    }

    private int megabyte() {
        return Math.min(MIB, run.context().maxValue());
    }

    private int clientsOf(int length) {
        return (int) Math.max(1, run.context().maxData / 4 / length);
    }

    private static void set(Batch batch, ScenarioPlayer player, Slot slot, int length) {
        ValueContent value = player.value(slot.number(), slot.nextVersion(), length);
        batch.change(slot, "SET", () -> stored(slot, value), slot, value);
    }

    private static Expected stored(Slot slot, ValueContent value) {
        slot.set(value);
        return Expected.ok();
    }

    private static void get(Batch batch, Slot slot) {
        batch.add("GET", () -> Expected.bulk(slot.string()), slot);
    }

    private static Batch ownGets(ScenarioPlayer player, int round, int depth) {
        Batch batch = new Batch();
        if (round == 0) {
            set(batch, player, player.small(0), 64);
            return batch;
        }
        for (int i = 0; i < depth; i++) {
            get(batch, player.small(0));
        }
        return batch;
    }

    private static Batch sets(ScenarioPlayer player, int depth, int length) {
        Batch batch = new Batch();
        for (int i = 0; i < depth; i++) {
            set(batch, player, player.small(i), length);
        }
        return batch;
    }

    private static Batch gets(ScenarioPlayer player, int depth) {
        Batch batch = new Batch();
        for (int i = 0; i < depth; i++) {
            get(batch, player.small(i));
        }
        return batch;
    }

    private static Batch increments(ScenarioPlayer player, int depth) {
        Batch batch = new Batch();
        Slot counter = player.counter();
        for (int i = 0; i < depth; i++) {
            batch.change(counter, "INCR", () -> incremented(counter), counter);
        }
        return batch;
    }

    private static Expected incremented(Slot counter) {
        long next = 1 + (counter.value() instanceof Long now ? now : 0);
        counter.value(next);
        return Expected.integer(next);
    }

    private static void drop(Batch batch, Slot slot) {
        batch.change(slot, "DEL", () -> dropped(slot), slot);
    }

    private static Expected dropped(Slot slot) {
        boolean had = slot.exists();
        slot.set(null);
        return Expected.integer(had ? 1 : 0);
    }

    private Batch megabytes(ScenarioPlayer player, int rank, int round) {
        Batch batch = new Batch();
        if (round == 2) {
            drop(batch, player.large());
            return batch;
        }
        for (int i = 0; i < deep(16); i++) {
            if (round == 0) {
                set(batch, player, player.large(), megabyte());
            } else if (i % 4 == 0) {
                get(batch, player.large());
            }
        }
        return batch;
    }

    /** What is being read is written over in place, by requests longer than a message, and read behind each. */
    private Batch overwrites(ScenarioPlayer player, int round, int length) {
        Batch batch = new Batch();
        Slot slot = player.large();
        if (round == 0) {
            set(batch, player, slot, length);
        } else if (round == 2) {
            drop(batch, slot);
        } else {
            for (int i = 0; i < deep(8); i++) {
                if (i % 2 == 0) {
                    get(batch, slot);
                } else {
                    ValueContent value = player.value(slot.number(), slot.nextVersion(), length);
                    batch.change(slot, "SETRANGE", () -> StringCommands.overwrite(slot, 0, value), slot, 0, value);
                }
            }
        }
        return batch;
    }

    /** Clients die in the middle of a value, again and again; the next ones store another, and read it. */
    private @Nullable Step cuts(ScenarioPlayer player, int rank, int round, int step) {
        Batch batch = new Batch();
        Slot slot = player.large();
        if (step < 4) {
            ValueContent never = player.value(slot.number(), slot.nextVersion(), megabyte());
            batch.add("SET", Expected::none, slot, never);
            return Step.of(batch.manner(Manner.dying(1 + player.random().nextInt(megabyte()))));
        }
        if (step == 4) {
            set(batch, player, slot, megabyte());
            get(batch, slot);
            drop(batch, slot);
            return Step.of(batch);
        }
        return null;
    }

    /** Values of a command that a proxy has to collect before it knows where they go, up to 6 MiB in one request. */
    private Batch largeArguments(ScenarioPlayer player, int rank, int round) {
        Batch batch = new Batch();
        if (round == 3) {
            drop(batch, player.large());
            return batch;
        }
        Slot slot = player.large();
        for (int i = 0; i < deep(3); i++) {
            int length = Math.min(round == 0 ? 200_000 : 6 * MIB, run.context().maxValue());
            ValueContent value = player.value(slot.number(), slot.nextVersion(), length);
            batch.change(slot, "MSET", () -> stored(slot, value), slot, value);
            get(batch, player.small(0));
        }
        get(batch, slot);
        return batch;
    }

    /** One stores 1 MiB again and again while another reads 64 bytes every 50 ms. */
    private @Nullable Step largeBesideSmall(ScenarioPlayer player, int rank, int round, int step) {
        if (rank == 0) {
            if (step == 20) {
                return null;
            }
            Batch batch = new Batch();
            for (int i = 0; i < deep(8); i++) {
                set(batch, player, player.large(), megabyte());
            }
            get(batch, player.large());
            return Step.of(batch);
        }
        Slot slot = player.small(0);
        if (step == 0) {
            Batch batch = new Batch();
            set(batch, player, slot, 64);
            return Step.of(batch);
        }
        if (step % 2 == 1) {
            return player.playing() > 1 ? new Step(null, TICK, false) : null;
        }
        Batch batch = new Batch();
        get(batch, slot);
        return Step.of(batch);
    }

    /** As redis-cli's --pipe sends a file: as much as goes, and an ECHO at the end. */
    private Batch pipe(ScenarioPlayer player) {
        Batch batch = sets(player, deep(10_000), 40);
        ValueContent mark = player.value(player.large().number(), player.large().nextVersion(), 20);
        return batch.add("ECHO", () -> Expected.bulk(mark), mark);
    }

    /** 300 replies of 1 MiB that are not read for two seconds. */
    private Batch unread(ScenarioPlayer player, int rank, int round) {
        Batch batch = new Batch();
        if (round == 0) {
            set(batch, player, player.large(), megabyte());
            return batch;
        }
        for (int i = 0; i < deep(300); i++) {
            get(batch, player.large());
        }
        return batch.manner(Manner.pausing(TimeUnit.SECONDS.toNanos(2)));
    }

    /** New connections that send 32 commands at once. */
    private static @Nullable Step cold(ScenarioPlayer player, int rank, int round, int step) {
        if (step > 0) {
            return null;
        }
        return new Step(round % 2 == 0 ? sets(player, 32, 64) : gets(player, 32), 0, true);
    }
}
