package io.verbena.bench.cores;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.verbena.verification.RunException;
import java.util.List;

/**
 * The cores of the two threads that a measurement is between, or {@link #NONE}. As text: {@code 0,2} or {@code none}.
 *
 * @param near of the thread that measures
 * @param far of the thread at the other end
 */
public record CorePair(int near, int far) {
    /** Both threads run where the system puts them. */
    public static final CorePair NONE = new CorePair(-1, -1);

    private static final String NO_PAIR = "none";

    /**
     * One of all pairs of these cores: each turn has another until all have had theirs. None if there are fewer than
     * two cores.
     *
     * @param turn 1, 2 and so on
     */
    public static CorePair of(List<Integer> cores, int turn) {
        int count = cores.size();
        if (count < 2) {
            return NONE;
        }
        int left = (turn - 1) % (count * (count - 1) / 2);
        int near = 0;
        for (int others = count - 1; left >= others; others--) {
            left -= others;
            near++;
        }
        return new CorePair(cores.get(near), cores.get(near + 1 + left));
    }

    /** Of its {@link #text}. */
    @JsonCreator
    public static CorePair parse(String text) {
        if (text.equals(NO_PAIR)) {
            return NONE;
        }
        List<Integer> cores = Cores.parse(text);
        if (cores.size() != 2) {
            throw new RunException("'" + text + "' is no pair of cores");
        }
        return new CorePair(cores.get(0), cores.get(1));
    }

    /** Its cores, or that there are none. */
    @JsonValue
    public String text() {
        return isPinned() ? near + "," + far : NO_PAIR;
    }

    boolean isPinned() {
        return near >= 0;
    }

    /** Pins the calling thread to the near core. Best when all threads are there that are to stay free. */
    public void pinNear() {
        pin(near);
    }

    /** Pins the calling thread to the far core. */
    public void pinFar() {
        pin(far);
    }

    private void pin(int core) {
        if (isPinned()) {
            Cores.pin(core);
        }
    }
}
