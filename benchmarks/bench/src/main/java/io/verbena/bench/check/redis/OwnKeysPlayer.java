package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Manner.End;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The general mix: commands of all kinds on keys of its own, one to thousands sent ahead, in fragments, with pauses,
 * half closes and deaths.
 */
final class OwnKeysPlayer extends AuditedPlayer {
    private static final long MAX_REQUEST_BYTES = 4L << 20;
    private static final long MAX_REPLY_BYTES = 8L << 20;
    private static final int DOOMED_DEPTH = 200;
    private static final int HALF_CLOSED_REPLIES = 8 << 10;
    private static final int MAX_DOUBTS = 400;
    private static final int MAX_CUT = 1 << 20;

    private final PlayerKeys keys;
    private final StringCommands strings;
    private final NumberCommands numbers;
    private final KeyCommands ofKeys;
    private final ListCommands lists;
    private final SetCommands sets;
    private final HashCommands hashes;
    private final SortedSetCommands sortedSets;
    private final TalkCommands talk;

    /**
     * Creates one.
     *
     * @param largest bytes of the largest value
     */
    OwnKeysPlayer(Run run, int id, int largest) {
        super(run, id, "own keys", false);
        SplittableRandom random = random();
        keys = new PlayerKeys(this, largest);
        strings = new StringCommands(keys, random);
        numbers = new NumberCommands(keys, random);
        ofKeys = new KeyCommands(keys, random);
        lists = new ListCommands(keys, random);
        sets = new SetCommands(keys, random);
        hashes = new HashCommands(keys, random);
        sortedSets = new SortedSetCommands(keys, random);
        talk = new TalkCommands(this, keys);
    }

    @Override
    List<Slot> slots() {
        return keys.all();
    }

    @Override
    void load() {
        send(batch());
    }

    private Batch batch() {
        SplittableRandom random = random();
        int kind = random.nextInt(100);
        // Of commands in doubt that may also have been refused, no prefix would tell what there can be.
        boolean doomed = kind < 2 && doubts() < MAX_DOUBTS && !run().context().allowOom;
        boolean halfClosed = kind == 2 && !run().context().noHalfClose;
        int depth = depth();
        if (doomed || halfClosed) {
            depth = Math.min(depth, DOOMED_DEPTH);
        }
        Batch batch = new Batch();
        while (batch.size() < depth
                && batch.requestBytes() < MAX_REQUEST_BYTES
                && batch.replyBytes() < (halfClosed ? HALF_CLOSED_REPLIES : MAX_REPLY_BYTES)) {
            addAny(batch, doomed, halfClosed);
        }
        if (doomed && random.nextBoolean()) {
            return addCut(batch);
        }
        return batch.manner(manner(batch, doomed, halfClosed));
    }

    /** Adds a large value in the middle of which the connection dies: it is never stored. */
    private Batch addCut(Batch batch) {
        Slot slot = keys.large();
        SplittableRandom random = random();
        long before = batch.requestBytes();
        int length = 1 + random.nextInt(Math.min(keys.largest(), MAX_CUT));
        batch.add("SET", Expected::none, slot, value(slot.number(), slot.nextVersion(), length));
        return batch.manner(Manner.dying(before + 1 + random.nextLong(batch.requestBytes() - before - 1)));
    }

    private int depth() {
        SplittableRandom random = random();
        int kind = random.nextInt(100);
        int depth;
        if (kind < 25) {
            depth = 1;
        } else if (kind < 55) {
            depth = 1 + random.nextInt(10);
        } else if (kind < 85) {
            depth = 1 + random.nextInt(100);
        } else if (kind < 98) {
            depth = 1 + random.nextInt(1000);
        } else {
            depth = 1 + random.nextInt(10_000);
        }
        return Math.min(depth, run().context().maxDepth);
    }

    private Manner manner(Batch batch, boolean doomed, boolean halfClosed) {
        SplittableRandom random = random();
        long fragments = random.nextInt(12) == 0 ? 1 + random.nextInt(400) : 0;
        long pause = random.nextInt(25) == 0 ? TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(300)) : 0;
        End end = End.STAY;
        long after = 0;
        if (doomed) {
            boolean sending = random.nextBoolean();
            end = sending ? End.DIE_SENDING : End.DIE_READING;
            after = 1 + (sending ? random.nextLong(batch.requestBytes()) : random.nextInt(batch.size()));
        } else if (halfClosed) {
            end = End.HALF_CLOSE;
            pause = 0;
        }
        return new Manner(fragments, pause, end, after);
    }

    private void addAny(Batch batch, boolean doomed, boolean halfClosed) {
        int kind = random().nextInt(100);
        if (kind < 82) {
            addSimple(batch);
        } else if (kind < 86) {
            talk.add(batch);
        } else if (kind < 88) {
            talk.addMistake(batch);
        } else if (doomed && kind < 92) {
            addLargeReading(batch);
        } else if (doomed || halfClosed) {
            addSimple(batch);
        } else if (kind < 89) {
            talk.addVisit(batch);
        } else if (kind < 92 && !run().context().allowOom) {
            talk.addTransaction(batch, this::addSimple);
        } else if (kind < 95 && batch.size() < 50) {
            addLarge(batch);
        } else {
            addSimple(batch);
        }
    }

    private void addSimple(Batch batch) {
        int kind = random().nextInt(100);
        if (kind < 35) {
            strings.add(batch);
        } else if (kind < 50) {
            numbers.add(batch);
        } else if (kind < 62) {
            ofKeys.add(batch);
        } else if (kind < 72) {
            lists.add(batch);
        } else if (kind < 80) {
            sets.add(batch);
        } else if (kind < 90) {
            hashes.add(batch);
        } else {
            sortedSets.add(batch);
        }
    }

    /** A value of any size, mostly far below the largest, and what looks at it. */
    private void addLarge(Batch batch) {
        Slot slot = keys.large();
        SplittableRandom random = random();
        int kind = random.nextInt(10);
        if (kind < 4) {
            int length = (int) (keys.largest() * Math.pow(random.nextDouble(), 4));
            ValueContent value = value(slot.number(), slot.nextVersion(), length);
            keys.largePlanned(length);
            batch.change(slot, "SET", () -> stored(slot, value), slot, value);
        } else if (kind < 5) {
            // All of it, so that the model need not keep what is written into what; often while it is still read.
            ValueContent value = value(slot.number(), slot.nextVersion(), keys.largePlanned());
            batch.change(slot, "SETRANGE", () -> StringCommands.overwrite(slot, 0, value), slot, 0, value);
        } else {
            addLargeReading(batch);
        }
    }

    private void addLargeReading(Batch batch) {
        Slot slot = keys.large();
        SplittableRandom random = random();
        int kind = random.nextInt(5);
        if (kind < 3) {
            batch.add("GET", () -> Expected.bulk(slot.string()), slot).replies(keys.largePlanned());
        } else if (kind < 4) {
            batch.add("STRLEN", () -> Expected.integer(length(slot)), slot);
        } else {
            int first = random.nextInt(keys.largest());
            batch.add("GETRANGE", () -> Expected.bulk(StringCommands.range(slot, first, -1)), slot, first, -1)
                    .replies(keys.largePlanned());
        }
    }

    private static Expected stored(Slot slot, ValueContent value) {
        slot.set(value);
        return Expected.ok();
    }

    private static int length(Slot slot) {
        ValueContent value = slot.string();
        return value == null ? 0 : value.length();
    }
}
