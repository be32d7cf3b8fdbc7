package io.verbena.papers.etc;

import io.verbena.papers.receive.ReceiveScheme;
import io.verbena.verification.RunException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Kills a process of senders now and then, waits until what it left half done is out of the way, and starts another in
 * its place. A queue hands messages out in the order in which their places were claimed: so the first message that was
 * scheduled after the death, and comes, says that the dead one's places are behind. For the consumer's thread.
 */
final class Killer implements AutoCloseable {
    /** No kill so near to the end of the run: what comes afterwards is to be seen. */
    static final double QUIET_SECONDS = 2;

    private static final long PAUSE_NANOS = 50_000_000L; // between two turns
    private static final long HURRY_NANOS = 20_000_000L;
    private static final long HOPELESS_NANOS = 20_000_000_000L;
    private static final long BOUND_NANOS = 2_000_000_000L; // the queue's timeout of 1 s, and a turn of its allocator

    private enum Phase {
        WAITING,
        HURRYING,
        RECOVERING,
        REPLACING
    }

    private final EtcSetting setting;
    private final StallPlan plan;
    private final ReceiveScheme receiver;
    private final List<SenderGroup> groups;
    private final IntFunction<SenderGroup> starts;
    private final List<SenderGroup> killed = new ArrayList<>();
    private Phase phase = Phase.WAITING;
    private @Nullable SenderGroup subject; // the victim, then the one in its place
    private long due;
    private long hurried;
    private long fallen;
    private long lastTurn;
    private boolean recovered = true;
    private long cameAfter;
    private long settled; // until here what was scheduled was disturbed
    private long longest;

    /**
     * A killer that begins after the first interval.
     *
     * @param groups all processes of senders; changed here
     * @param starts starts one by the number of its first sender
     */
    Killer(
            EtcSetting setting,
            StallPlan plan,
            ReceiveScheme receiver,
            List<SenderGroup> groups,
            IntFunction<SenderGroup> starts) {
        this.setting = setting;
        this.plan = plan;
        this.receiver = receiver;
        this.groups = groups;
        this.starts = starts;
        due = plan.start() + EtcSetting.nanos(setting.killEvery());
    }

    /** Does what is due. */
    void turn(long now) {
        if (!recovered && now - lastTurn > PAUSE_NANOS) {
            fallen += now - lastTurn; // this process was away, and would have seen nothing
        }
        lastTurn = now;
        switch (phase) {
            case WAITING:
                if (setting.killEvery() > 0 && now - due >= 0 && now - end() < -EtcSetting.nanos(QUIET_SECONDS)) {
                    SenderGroup victim = groups.remove(0);
                    victim.hurry();
                    killed.add(victim);
                    hurried = now;
                    settled = end();
                    subject = victim;
                    phase = Phase.HURRYING;
                }
                break;
            case HURRYING:
                if (now - hurried >= HURRY_NANOS) {
                    subject().kill();
                    fallen = System.nanoTime();
                    lastTurn = fallen;
                    recovered = false;
                    phase = Phase.RECOVERING;
                }
                break;
            case RECOVERING:
                recover(now);
                break;
            default:
                if (subject().connect()) {
                    subject().start(System.nanoTime(), end());
                    groups.add(subject());
                    due = now + EtcSetting.nanos(setting.killEvery());
                    phase = Phase.WAITING;
                }
        }
    }

    private void recover(long now) {
        if (!recovered) {
            if (now - fallen > HOPELESS_NANOS) {
                throw new RunException("nothing has come for " + TimeUnit.NANOSECONDS.toSeconds(HOPELESS_NANOS)
                        + " s after a process of senders was killed");
            }
            return;
        }
        longest = Math.max(longest, cameAfter - fallen);
        settled = cameAfter;
        subject().dismiss();
        subject = starts.apply((EtcSetting.PROCESSES + killed.size() - 1) * EtcSetting.SENDERS_EACH);
        phase = Phase.REPLACING;
    }

    private SenderGroup subject() {
        if (subject == null) {
            throw new IllegalStateException("nobody was killed yet");
        }
        return subject;
    }

    private long end() {
        return plan.start() + plan.length();
    }

    /** Notes a message that has come. */
    void onMessage(long scheduled, long came) {
        if (!recovered && scheduled - fallen >= 0) {
            recovered = true;
            cameAfter = came;
        }
    }

    /** Whether a message that was scheduled for a time had a kill, or the hurry before it, in its way. */
    boolean isDisturbed(long scheduled) {
        return !killed.isEmpty() && scheduled - hurried >= 0 && scheduled - settled < 0;
    }

    /** Whether all is as it was before the last kill. */
    boolean isIdle() {
        return phase == Phase.WAITING;
    }

    /** Who was killed. */
    List<SenderGroup> killed() {
        return killed;
    }

    /** Ends a process that is being connected; all others are the caller's, or dead. */
    @Override
    public void close() {
        if (phase != Phase.WAITING) {
            subject().close();
        }
    }

    /** What came of it. */
    SchemeReport.Kills report() {
        long bound = BOUND_NANOS + plan.stall();
        return new SchemeReport.Kills(killed.size(), receiver.holes(), longest, longest <= bound);
    }
}
