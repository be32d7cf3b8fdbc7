package io.verbena.connection;

import io.verbena.dispatch.DutyCycleAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Takes the memory back that channels hold for messages, from those that have sent nothing for a while: what lies
 * staged, and the requests of the send queue. It comes again with the next message.
 *
 * <p>Under the lock of {@link Connections}.
 */
public final class IdleMemory implements DutyCycleAgent {
    /** A channel, as far as it holds memory. */
    public interface Holder {
        /**
         * Gives the memory for messages back, and what the window had grown by, if nothing was sent since the last look
         * and nothing is under way. By the node; a thread that begins to send waits for it.
         *
         * @param bytes that it begins with
         * @return whether it has none any more
         */
        boolean giveBackIfIdle(int bytes);
    }

    /** Channels that give back in one turn of the node: each waits until its thread is out of it. */
    private static final int MAX_PER_TURN = 16;

    private static final long NEXT_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final int stagingLength;
    private final long idleNanos;
    private final List<Holder> watched = new ArrayList<>();
    private int at; // those below are still to be looked at in this round
    private long nextRound; // or when this one goes on

    /**
     * Watches nothing.
     *
     * @param settings say what a channel begins with, and when it is idle
     */
    IdleMemory(ConnectionSettings settings) {
        stagingLength = settings.stagingLength();
        idleNanos = settings.idleNanos();
    }

    /** A channel has memory from here on. */
    void watch(Holder channel, long now) {
        if (watched.isEmpty()) {
            nextRound = now + idleNanos;
        }
        watched.add(channel);
    }

    /**
     * Looks at some of the channels, each once in the time after which it is idle, if it is time.
     *
     * @return how many gave back
     */
    @Override
    public int doWork(long now) {
        if (watched.isEmpty() || now - nextRound < 0) {
            return 0;
        }
        if (at == 0) {
            at = watched.size();
        }
        int given = 0;
        while (at > 0 && given < MAX_PER_TURN) {
            if (watched.get(--at).giveBackIfIdle(stagingLength)) {
                watched.set(at, watched.get(watched.size() - 1));
                watched.remove(watched.size() - 1);
                given++;
            }
        }
        nextRound = now + (at > 0 ? NEXT_TURN_NANOS : idleNanos);
        return given;
    }

    @Override
    public long nextDeadline() {
        return watched.isEmpty() ? NEVER : nextRound;
    }
}
