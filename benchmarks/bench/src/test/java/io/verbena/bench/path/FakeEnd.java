package io.verbena.bench.path;

import java.util.function.LongConsumer;

/** A near end whose far end is a queue in this object: an answer is there when so many turns have passed. */
public final class FakeEnd extends End {
    private final int turns;
    private final LongConsumer onTurn;
    private final int room;
    private long sent;
    private long answered;
    private long turn;

    /**
     * Creates one.
     *
     * @param room messages that may be under way
     * @param turns of polling that an answer takes
     * @param onTurn told of each
     */
    public FakeEnd(int room, int turns, LongConsumer onTurn) {
        super(PathSettings.ofLength(MIN_LENGTH));
        this.room = room;
        this.turns = turns;
        this.onTurn = onTurn;
    }

    @Override
    public boolean offer(long number) {
        if (sent - answered >= room) {
            return false;
        }
        sent++;
        return true;
    }

    @Override
    int receive(int limit) {
        onTurn.accept(++turn);
        if (answered == sent || turn % turns != 0) {
            return 0;
        }
        accept(answered++);
        return 1;
    }

    @Override
    public void close() {}
}
