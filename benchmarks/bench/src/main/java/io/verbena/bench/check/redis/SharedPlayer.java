package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Manner.End;
import java.util.List;
import java.util.SplittableRandom;

/** Uses what all share, mostly a command at a time, so that there is something to judge. */
final class SharedPlayer extends Player {
    private final Shared shared;
    private int lives;
    private long puts;

    SharedPlayer(Run run, int id, Shared shared) {
        super(run, id, "shared keys", false);
        this.shared = shared;
    }

    @Override
    int database() {
        return Shared.DATABASE;
    }

    @Override
    void next() {
        if (run().isEnding()) {
            finish();
            return;
        }
        SplittableRandom random = random();
        int kind = random.nextInt(10);
        int depth = Math.min(run().context().maxDepth, kind < 6 ? 1 : 1 + random.nextInt(kind < 9 ? 8 : 64));
        Batch batch = new Batch();
        while (batch.size() < depth) {
            add(batch, random);
        }
        if (random.nextInt(100) == 0) {
            boolean sending = random.nextBoolean();
            batch.manner(new Manner(
                    0,
                    0,
                    sending ? End.DIE_SENDING : End.DIE_READING,
                    1 + (sending ? random.nextLong(batch.requestBytes()) : random.nextInt(batch.size()))));
        }
        send(batch);
    }

    private void add(Batch batch, SplittableRandom random) {
        int kind = random.nextInt(3);
        if (kind == 0) {
            SharedCounter counter = any(shared.counters(), random);
            batch.add("INCR", counter.begin(), counter.key());
        } else if (kind == 1) {
            any(shared.registers(), random).add(batch, this, random.nextInt(3));
        } else {
            SharedBag bag = any(shared.bags(), random);
            if (random.nextBoolean()) {
                bag.addPut(batch, "p" + id() + "." + lives, ++puts);
            } else {
                bag.addTake(batch);
            }
        }
    }

    private static <T> T any(List<T> list, SplittableRandom random) {
        return list.get(random.nextInt(list.size()));
    }

    @Override
    void lost(List<PlayerRequest> inDoubt) {
        // What is in doubt may be executed late, behind what comes next: that is another producer's.
        lives++;
        super.lost(inDoubt);
    }
}
